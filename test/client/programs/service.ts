import { createInterface } from 'node:readline';
import { gzipSync } from 'node:zlib';
import { startSandbox } from '../../../src/sandbox';
import { NAMESPACE, responseOf } from '../../support/envelopes';

// A sandbox in a process of its own, whose replies go by the text of a message (ways.ts). It prints its base URL, and then, for each
// line of its input, the bytes of its heap that are in use. It ends with its input.

const RECORD = { message: 'text', status: 1, statustext: 'queued', sender: '3000', receptor: '1', date: 1, cost: 1 };

async function main(): Promise<void> {
  const sandbox = await startSandbox({ namespace: NAMESPACE, keep: 2000 });
  const arm = (message: string, reply: Parameters<typeof sandbox.reply>[1]) =>
    sandbox.reply('SendSimpleByApikey', reply, { times: Number.POSITIVE_INFINITY, message });
  arm('fault', { fault: { code: 'Server', reason: 'out of order', detail: '<place>here</place>' } });
  arm('status', { status: 411, statusmessage: 'refused' });
  arm('page', { http: { status: 502, headers: { 'Content-Type': 'text/html' }, body: '<html>busy</html>' } });
  arm('dropped', { drop: 'before' });
  arm('lost', { drop: 'after' });
  arm('delayed', { delayMs: 5 });
  arm('silent', { delayMs: 60_000 });
  arm('packed', {
    http: {
      status: 200,
      headers: { 'Content-Type': 'text/xml; charset=utf-8', 'Content-Encoding': 'gzip' },
      body: gzipSync(responseOf('SendSimpleByApikey', '<long>1</long>')),
    },
  });
  arm('wrong', { http: { status: 200, headers: { 'Content-Type': 'text/xml' }, body: '<a>not an envelope</b>' } });
  const unreadable = [
    { ...RECORD, messageid: 'x' },
    ...Array.from({ length: 5 }, () => ({ ...RECORD, messageid: 1n })),
  ];
  sandbox.reply('SelectoutboxByApikey', { result: unreadable as never }, { times: Number.POSITIVE_INFINITY });
  console.log(sandbox.baseUrl);
  for await (const _ of createInterface(process.stdin)) {
    global.gc?.();
    console.log(process.memoryUsage().heapUsed);
  }
  await sandbox.close();
}

main();
