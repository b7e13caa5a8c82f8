// Every client against the product: each tool is listed and can be called.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { doors } from './doors.mjs';

// What each tool is called with, given a memory that was stored before.
const argumentsOf = {
  memory_store: () => ({ text: 'The kettle is in the left cupboard.', title: 'Kettle' }),
  memory_search: () => ({ query: 'where is the kettle' }),
  memory_get: ({ id }) => ({ ids: [id] }),
  memory_edit: ({ id }) => ({ id, old_text: 'left', new_text: 'right' }),
  memory_describe: ({ id }) => ({ id, tags: ['kitchen'] }),
  memory_list: () => ({ limit: 5 }),
  memory_history: ({ id }) => ({ id }),
  memory_archive: ({ id }) => ({ id }),
  memory_restore: ({ id }) => ({ id }),
  memory_revert: ({ id }) => ({ id, version: 1 }),
  memory_forget: ({ id }) => ({ id }),
  fact_assert: () => ({ subject: 'kettle', predicate: 'stands in', object: 'the right cupboard' }),
  fact_about: () => ({ subject: 'Kettle', history: true }),
  candidate_propose: () => ({ text: 'Perhaps the kettle is to be sold.' }),
  scope_list: () => ({}),
  memory_context: () => ({ query: 'Where is the kettle?', tokens: 500 }),
};

async function callAll(client) {
  const { tools } = await client.listTools();
  const names = tools.map((tool) => tool.name);
  for (const name of Object.keys(argumentsOf)) assert.ok(names.includes(name), `${name} is listed`);
  assert.ok(tools.length <= 16, `an agent sees ${tools.length} tools`);
  assert.ok(Buffer.byteLength(JSON.stringify(tools)) < 20_000, 'the list is under 20 kB');
  let memory = {};
  for (const [name, make] of Object.entries(argumentsOf)) {
    const result = await client.callTool({ name, arguments: make(memory) });
    assert.ok(!result.isError, `${name}: ${result.content[0].text}`);
    assert.equal(typeof result.structuredContent, 'object', name);
    if (name === 'memory_store') memory = result.structuredContent;
  }
}

test('every tool an agent sees is listed and answers', async (t) => {
  for (const door of doors) {
    await t.test(door.label, async () => {
      const { client, close } = await door.open();
      try {
        await callAll(client);
      } finally {
        await close();
      }
    });
  }
});

test('the contents, a memory and its past are resources', async (t) => {
  for (const door of doors) {
    await t.test(door.label, async () => {
      const { client, close } = await door.open();
      try {
        const stored = await client.callTool({
          name: 'memory_store',
          arguments: { text: 'Rain is forecast for Tuesday.' },
        });
        const { id } = stored.structuredContent;
        const { resources } = await client.listResources();
        assert.ok(resources.some(({ uri }) => uri === 'perdure://index'));
        for (const uri of [`perdure://memory/${id}`, `perdure://memory/${id}/v/1`]) {
          const { contents } = await client.readResource({ uri });
          assert.match(contents[0].text, /Rain is forecast/);
        }
        const { prompts } = await client.listPrompts();
        assert.ok(prompts.length >= 2);
      } finally {
        await close();
      }
    });
  }
});
