// One requirement set of the conformance suite against one server:
//   suite.mjs REVISION BASELINE      with MCP_SERVER, MCP_KIND and MCP_MODE as in ../mcp/servers.mjs
//
// Prints each scored scenario that does not pass, then "N passed, N expected, N failed". Failed is
// what the baseline does not excuse, and what it excuses without need.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { parse } from 'yaml';

import { startHttp } from '../mcp/servers.mjs';

const suite = 'node_modules/@modelcontextprotocol/conformance';
const [revision, baseline] = process.argv.slice(2);

// The suite knows no tokens, so it talks through a door that adds one and changes nothing else.
function openDoor(server) {
  const { hostname, port } = server.url;
  const door = createServer((from, to) => {
    const headers = [...from.rawHeaders, 'Authorization', `Bearer ${server.token}`];
    const onward = request({ hostname, port, method: from.method, path: from.url, headers });
    onward.on('response', (answer) => {
      to.writeHead(answer.statusCode, answer.rawHeaders);
      to.flushHeaders();
      answer.pipe(to);
      answer.on('error', () => to.destroy());
    });
    onward.on('error', () => to.destroy());
    to.on('close', () => onward.destroy());
    from.pipe(onward);
  });
  return new Promise((resolve) => door.listen(0, '127.0.0.1', () => resolve(door)));
}

function runSuite(url, directory) {
  const options = ['--url', url, '--requirements', revision, '--expected-failures', baseline];
  const child = spawn(process.execPath, [`${suite}/dist/index.js`, 'server', ...options, '-o', directory], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return new Promise((resolve) => child.once('exit', resolve));
}

// Scenario -> the checks that failed or warned, each with what it said.
function readFaults(directory) {
  const faults = new Map();
  for (const name of readdirSync(directory)) {
    const scenario = /^server-(.*)-\d{4}-\d\d-\d\dT[-\dZ]+$/.exec(name)[1];
    const checks = JSON.parse(readFileSync(join(directory, name, 'checks.json'), 'utf8'));
    const bad = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
    faults.set(scenario, new Map(bad.map(({ id, errorMessage, details }) => [id, errorMessage ?? details])));
  }
  return faults;
}

function readExcused() {
  const excused = new Map(); // scenario -> the ids of checks, or 'all'
  for (const entry of parse(readFileSync(baseline, 'utf8')).server) {
    const [scenario, check] = entry.split(':');
    if (check === undefined) excused.set(scenario, 'all');
    else excused.set(scenario, (excused.get(scenario) ?? new Set()).add(check));
  }
  return excused;
}

function judge(faults) {
  const counts = { passed: 0, expected: 0, failed: 0 };
  const excused = readExcused();
  for (const scenario of parse(readFileSync(`${suite}/requirements/${revision}.yaml`, 'utf8')).server) {
    const bad = faults.get(scenario) ?? new Map([['it did not run', undefined]]);
    const fine = excused.get(scenario);
    const unforeseen = fine === 'all' ? [] : [...bad.keys()].filter((id) => !fine?.has(id));
    const stale = fine === 'all' ? bad.size === 0 : [...(fine ?? [])].some((id) => !bad.has(id));
    for (const id of unforeseen) console.log(`FAILED ${scenario}:${id}`, bad.get(id) ?? '');
    if (stale) console.log(`FAILED ${scenario}: it passes, so the baseline must not excuse it`);
    if (unforeseen.length > 0 || stale) ++counts.failed;
    else ++counts[bad.size > 0 ? 'expected' : 'passed'];
  }
  return counts;
}

const directory = mkdtempSync(join(tmpdir(), 'perdure-conformance-'));
const server = await startHttp();
const door = await openDoor(server);
try {
  const code = await runSuite(`http://127.0.0.1:${door.address().port}/mcp`, directory);
  const { passed, expected, failed } = judge(readFaults(directory));
  if ((code === 0) !== (failed === 0)) throw new Error(`the suite ended with ${code}: it counts otherwise`);
  console.log(`${passed} passed, ${expected} expected, ${failed} failed`);
} finally {
  door.closeAllConnections();
  door.close();
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
}
