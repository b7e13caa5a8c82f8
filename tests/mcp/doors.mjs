// Every way an official client can reach the server: two generations of the SDK, two eras, two
// transports. Each door opens a connected client.
import * as v1 from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as V1Stdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as V1Http } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as v2 from '@modelcontextprotocol/client';
import { StdioClientTransport as V2Stdio } from '@modelcontextprotocol/client/stdio';

import { startHttp, stdioServer } from './servers.mjs';

const name = { name: 'perdure-mcp-tests', version: '1.0.0' };

const clients = {
  'SDK 1.x': { make: () => new v1.Client(name), Http: V1Http, Stdio: V1Stdio },
  'SDK 2.x, legacy': {
    make: () => new v2.Client(name, { versionNegotiation: { mode: 'legacy' } }),
    Http: v2.StreamableHTTPClientTransport,
    Stdio: V2Stdio,
  },
  'SDK 2.x, auto': {
    make: () => new v2.Client(name, { versionNegotiation: { mode: 'auto' } }),
    Http: v2.StreamableHTTPClientTransport,
    Stdio: V2Stdio,
    isModern: true,
  },
  'SDK 2.x, 2026-07-28': {
    make: () => new v2.Client(name, { versionNegotiation: { mode: { pin: '2026-07-28' } } }),
    Http: v2.StreamableHTTPClientTransport,
    Stdio: V2Stdio,
    isModern: true,
  },
};

async function openHttp({ make, Http }) {
  const server = await startHttp();
  const client = make();
  const headers = { Authorization: `Bearer ${server.token}` };
  await client.connect(new Http(server.url, { requestInit: { headers } }));
  return {
    client,
    server,
    async close() {
      await client.close();
      await server.stop();
    },
  };
}

async function openStdio({ make, Stdio }) {
  const { command, args, cleanUp } = stdioServer();
  const client = make();
  const transport = new Stdio({ command, args, stderr: 'ignore' });
  await client.connect(transport);
  return {
    client,
    async close() {
      await client.close();
      cleanUp();
    },
  };
}

export const doors = Object.entries(clients).flatMap(([label, client]) => [
  { label: `${label} over HTTP`, isModern: !!client.isModern, open: () => openHttp(client) },
  { label: `${label} over stdio`, isModern: !!client.isModern, open: () => openStdio(client) },
]);
