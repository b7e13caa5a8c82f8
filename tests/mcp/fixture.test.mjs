// The protocol itself, against the fixture server of tests/server/mcp.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { doors } from './doors.mjs';

async function throughEvery(t, use) {
  for (const door of doors) {
    await t.test(door.label, async () => {
      const opened = await door.open();
      try {
        await use(opened.client, door, opened);
      } finally {
        await opened.close();
      }
    });
  }
}

test('the era that was asked for is spoken', (t) =>
  throughEvery(t, (client, door) => {
    assert.equal(client.getServerVersion().name, 'perdure-echo');
    assert.equal(client.getInstructions(), 'Call echo to hear yourself.');
    const version = client.getNegotiatedProtocolVersion?.();
    if (version) assert.equal(version >= '2026', door.isModern);
  }));

test('tools are listed in fixed order and described whole', (t) =>
  throughEvery(t, async (client) => {
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map((tool) => tool.name),
      ['echo', 'note_put', 'note_get', 'note_fail', 'note_throw'],
    );
    assert.equal(tools[0].annotations.readOnlyHint, true);
    assert.equal(tools[0].outputSchema.type, 'object');
  }));

test('a call answers structured content that fits its schema, and text', (t) =>
  throughEvery(t, async (client) => {
    await client.listTools(); // so that the client checks results against the output schemas
    const said = await client.callTool({ name: 'echo', arguments: { text: 'hé', times: '2' } });
    assert.equal(said.structuredContent.text, 'héhé');
    assert.equal(JSON.parse(said.content[0].text).text, 'héhé');
    await client.callTool({ name: 'note_put', arguments: { id: 'a', text: 'remember' } });
    const note = await client.callTool({ name: 'note_get', arguments: { id: 'a' } });
    assert.equal(note.structuredContent.text, 'remember');
    assert.match(note.content[0].text, /^<<<perdure-data /);
  }));

test('errors of tools are results that a model can read', (t) =>
  throughEvery(t, async (client) => {
    await client.listTools();
    const wrong = await client.callTool({ name: 'echo', arguments: { tekst: 'a' } });
    assert.equal(wrong.isError, true);
    assert.match(wrong.content[0].text, /"tekst" is not a known argument; known are: tags, text/);
    assert.equal(wrong._meta.code, 'invalid_argument');
    const conflict = await client.callTool({ name: 'note_fail', arguments: { code: 'conflict' } });
    assert.equal(conflict._meta.code, 'conflict');
    await assert.rejects(client.callTool({ name: 'nope', arguments: {} }), /Unknown tool/);
    await assert.rejects(client.callTool({ name: 'note_throw', arguments: {} }), /planted bug/);
    assert.equal((await client.listTools()).tools.length, 5);
  }));

test('resources and prompts are listed and read', (t) =>
  throughEvery(t, async (client) => {
    await client.callTool({ name: 'note_put', arguments: { id: 'é %2F', text: 'accent' } });
    const read = await client.readResource({ uri: 'perdure://memory/é %2F' });
    assert.equal(read.contents[0].text, 'accent');
    assert.equal((await client.listResources()).resources[0].uri, 'perdure://index');
    const { resourceTemplates } = await client.listResourceTemplates();
    assert.equal(resourceTemplates[0].uriTemplate, 'perdure://memory/{id}');
    await assert.rejects(client.readResource({ uri: 'perdure://memory/gone' }));
    assert.equal((await client.listPrompts()).prompts[0].name, 'recall');
    const prompt = await client.getPrompt({ name: 'recall', arguments: { topic: 'tea' } });
    assert.equal(prompt.messages[0].content.text, 'Search for tea');
  }));

test('a subscription reports what changes', async (t) => {
  for (const door of doors.filter(({ isModern }) => isModern)) {
    await t.test(door.label, async () => {
      const { client, close } = await door.open();
      try {
        const uri = 'perdure://memory/n';
        const changed = new Promise((resolve) => {
          client.setNotificationHandler('notifications/resources/updated', resolve);
        });
        const subscription = await client.listen({ resourceSubscriptions: [uri] });
        await client.callTool({ name: 'note_put', arguments: { id: 'n', text: 'new' } });
        assert.equal((await changed).params.uri, uri);
        await subscription.close();
        assert.equal((await client.listTools()).tools.length, 5);
      } finally {
        await close();
      }
    });
  }
});

test('a large text goes there and back', (t) =>
  throughEvery(t, async (client) => {
    const text = '記憶 🧠 \u0000 \r\n'.repeat(60_000);
    await client.callTool({ name: 'note_put', arguments: { id: 'big', text } });
    const note = await client.callTool({ name: 'note_get', arguments: { id: 'big' } });
    assert.equal(note.structuredContent.text, text);
  }));
