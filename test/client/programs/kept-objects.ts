import { setImmediate as turn } from 'node:timers/promises';
import { getHeapSnapshot } from 'node:v8';
import { MessagingClient } from '../../../src';
import { NAMESPACE } from '../../support/envelopes';
import { defaults, waysOf } from './ways';

// A program that uses the client in each way of ways.ts many times. It prints the names of the ways, and then the number of objects of
// each class that are kept. The third argument, the name of a way, tells it to use this way only.

const [baseUrl = '', count = '0', only] = process.argv.slice(2);
const AT_A_TIME = 16;

/** Counts the objects that are left after a garbage collection, by the names of their classes. */
async function countObjects(): Promise<Map<string, number>> {
  // A finalizer, and what an ended socket still has to do, need some turns of the event loop.
  for (let turns = 0; turns < 10; turns++) {
    global.gc?.();
    await turn();
  }
  let json = '';
  for await (const part of getHeapSnapshot().setEncoding('utf8')) json += part;
  const { snapshot, nodes, strings } = JSON.parse(json) as Snapshot;
  const { node_fields: fields, node_types: types } = snapshot.meta;
  const [type, name] = [fields.indexOf('type'), fields.indexOf('name')];
  const objects = types[type]?.indexOf('object');
  const counts = new Map<string, number>();
  for (let node = 0; node < nodes.length; node += fields.length) {
    if (nodes[node + type] !== objects) continue;
    const named = strings[nodes[node + name] as number] as string;
    counts.set(named, (counts.get(named) ?? 0) + 1);
  }
  return counts;
}

interface Snapshot {
  readonly snapshot: { readonly meta: { readonly node_fields: readonly string[]; readonly node_types: string[][] } };
  readonly nodes: readonly number[];
  readonly strings: readonly string[];
}

async function main(): Promise<void> {
  const client = new MessagingClient({
    baseUrl,
    namespace: NAMESPACE,
    apiKey: 'sandbox-key',
    successStatuses: [200],
    defaults,
    maxConnections: AT_A_TIME,
  });
  // The messages that are listed.
  await client.sendSimple({ message: 'listed', receptor: new Array(1000).fill('1') });
  const ways = waysOf(client).filter(([name]) => only === undefined || name === only);
  // What is made once is there before the first count.
  for (const [, use] of ways) await Promise.all(Array.from({ length: AT_A_TIME }, use));
  const before = await countObjects();
  for (const [name, use, share = 1] of ways) {
    const users = Array.from({ length: AT_A_TIME }, async () => {
      for (let index = 0; index < (Number(count) * share) / AT_A_TIME; index++) await use();
    });
    await Promise.all(users);
    console.log(name);
  }
  const after = await countObjects();
  const growth = [...after].map(([name, number]) => [name, number - (before.get(name) ?? 0)] as const);
  // The last uses at a time may have left two objects each. A class of which each use of a way keeps one grows by more.
  const limit = Math.max(Number(count) / 20, 2 * AT_A_TIME);
  console.log(JSON.stringify(Object.fromEntries(growth.filter(([, number]) => number > limit))));
  await client.close();
}

main();
