import { spawn } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { MessagingClient } from '../../src';

// Measures `client.track` of 100,000 messages against a sandbox in another process: `npx ts-node scripts/bench/track.ts`.

const MESSAGES = 100_000;
const EVERY_MS = 1000;
const DELIVERED_AFTER_MS = 10_000;

async function main(): Promise<void> {
  const command = ['-r', 'ts-node/register/transpile-only', join(__dirname, '../../src/cli/main.ts')];
  const sandbox = spawn(process.execPath, [...command, 'sandbox', '--port', '0', '--quiet', '--deliver'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface(sandbox.stdout), 'line');
  const baseUrl = new URL(String(line).replace(/^.* at /, '')).origin;
  const client = new MessagingClient({
    ...{ baseUrl, namespace: 'http://messaging.example/', apiKey: 'sandbox-key' },
    ...{ successStatuses: [200], finalStatuses: [10] },
  });
  const receptor = Array.from({ length: MESSAGES }, (_, index) => `0912${String(index % 9000).padStart(7, '0')}`);
  const steps = [{ afterMs: DELIVERED_AFTER_MS, status: 10 }];
  await fetch(`${baseUrl}/sandbox/delivery`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ enabled: true, steps, receptors: [] }),
  });
  const ids = await client.sendSimple({ sender: '3000', message: 'hello', unixdate: 0n, msgmode: 1, receptor });
  // The sandbox has taken the messages shortly before.
  const sentAt = Date.now();
  const before = process.memoryUsage().rss;
  const cpu = process.cpuUsage();
  let requests = 0;
  let peak = 0;
  const delays: number[] = [];
  subscribe('tracing:messaging-soap:call:asyncEnd', () => {
    requests++;
    peak = Math.max(peak, process.memoryUsage().rss);
  });
  for await (const { final } of client.track(ids, { everyMs: EVERY_MS })) {
    if (final) delays.push(Date.now() - sentAt - DELIVERED_AFTER_MS);
  }
  delays.sort((a, b) => a - b);
  const { user, system } = process.cpuUsage(cpu);
  const mebibytes = (bytes: number): number => Math.round(bytes / 2 ** 20);
  console.log({
    messages: delays.length,
    requests,
    secondsOfCpu: (user + system) / 1e6,
    memoryAddedMiB: mebibytes(peak - before),
    changeSeenAfterMs: { median: delays[delays.length >> 1], last: delays.at(-1) },
  });
  await client.close();
  sandbox.kill();
}

void main();
