import { createInterface } from 'node:readline';
import { MessagingClient } from '../../../src';
import { NAMESPACE } from '../../support/envelopes';
import { Random } from '../../support/random';
import { defaults, waysOf } from './ways';

// A program that uses the client in all ways of ways.ts, mixed and 16 at a time, until its input ends. For each line of its input it prints
// the bytes of its heap that are in use. At the end it prints the number of uses.

const [baseUrl = ''] = process.argv.slice(2);

async function main(): Promise<void> {
  const client = new MessagingClient({
    baseUrl,
    namespace: NAMESPACE,
    apiKey: 'sandbox-key',
    successStatuses: [200],
    defaults,
    maxConnections: 16,
  });
  await client.sendSimple({ message: 'listed', receptor: new Array(1000).fill('1') });
  const random = new Random(17);
  const ways = waysOf(client);
  let isOver = false;
  let uses = 0;
  const users = Array.from({ length: 16 }, async () => {
    for (; !isOver; uses++) await ways[random.below(ways.length)]?.[1]();
  });
  for await (const _ of createInterface(process.stdin)) {
    global.gc?.();
    console.log(process.memoryUsage().heapUsed);
  }
  isOver = true;
  await Promise.all(users);
  await client.close();
  console.log(uses);
}

main();
