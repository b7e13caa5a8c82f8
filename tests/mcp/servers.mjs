// Starts the server under test: a fixture server of tests/server/mcp, or the product.
//
// MCP_SERVER names the program. MCP_KIND=fixture: it takes "http PORT" or "stdio", or "MODE PORT"
// with MCP_MODE=MODE;
// MCP_KIND=perdure: it is the product, and gets a data directory of its own.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const program = process.env.MCP_SERVER;
export const isProduct = process.env.MCP_KIND === 'perdure';
if (!program) throw new Error('set MCP_SERVER to the server program: see run.sh');

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

async function waitUntilReady(port, child) {
  for (let tries = 0; tries < 600; ++tries) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
    try {
      if ((await fetch(`http://127.0.0.1:${port}/healthz`)).ok) return;
    } catch {
      // not listening yet
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the server does not answer');
}

function ended(child) {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once('exit', resolve);
  });
}

// What a client of the standard input and output has to start, and what cleans up behind it.
export function stdioServer() {
  if (!isProduct) return { command: program, args: ['stdio'], cleanUp: () => {} };
  const data = mkdtempSync(join(tmpdir(), 'perdure-mcp-'));
  return {
    command: program,
    args: ['mcp', '--data', data],
    cleanUp: () => rmSync(data, { recursive: true, force: true }),
  };
}

export async function startHttp() {
  const port = await freePort();
  const data = isProduct ? mkdtempSync(join(tmpdir(), 'perdure-mcp-')) : undefined;
  const args = isProduct
    ? ['serve', '--data', data, '--port', String(port)]
    : [process.env.MCP_MODE ?? 'http', String(port)];
  const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'ignore'] });
  await waitUntilReady(port, child);
  return {
    url: new URL(`http://127.0.0.1:${port}/mcp`),
    token: isProduct ? readFileSync(join(data, 'token'), 'utf8').trim() : 'agent-token',
    async stop() {
      child.stdin.end();
      if (isProduct) child.kill('SIGTERM');
      await ended(child);
      if (data) rmSync(data, { recursive: true, force: true });
    },
  };
}
