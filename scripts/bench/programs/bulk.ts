/** Sends rows with bare calls and in bulk, and prints the times of a row as JSON. */
import { join } from 'node:path';
import { optionsOfOneId, SMALL_MESSAGE } from '../data';

const [folder, url, disk, memory, rounds, rows] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
  string,
];
const { MessagingClient } = require(join(folder, 'dist/src')) as typeof import('../../../src');
const { openBulk } = require(join(folder, 'dist/src/bulk')) as typeof import('../../../src/bulk');

const count = Number(rows);
const fields = { sender: '3000', message: SMALL_MESSAGE, unixdate: 0n, msgmode: 1 };
const client = new MessagingClient(optionsOfOneId(url));

async function main(): Promise<void> {
  const times: Record<string, { readonly wall: number[]; readonly cpu: number[] }> = {};
  for (let round = -1; round < Number(rounds); round++) {
    for (const concurrency of [16, 64]) {
      const name = `${concurrency}-${round}`;
      const ways = {
        bare: () => sendBare(concurrency),
        memory: () => sendRows(concurrency, join(memory, name)),
        disk: () => sendRows(concurrency, join(disk, name)),
      };
      for (const [way, send] of Object.entries(ways)) {
        const [start, before] = [performance.now(), process.cpuUsage()];
        await send();
        const { user, system } = process.cpuUsage(before);
        // The first round warms up.
        if (round < 0) continue;
        times[`${way} ${concurrency}`] ??= { wall: [], cpu: [] };
        times[`${way} ${concurrency}`]?.wall.push((1000 * (performance.now() - start)) / count);
        times[`${way} ${concurrency}`]?.cpu.push((user + system) / count);
      }
    }
  }
  console.log(JSON.stringify(times));
}

async function sendBare(concurrency: number): Promise<void> {
  let left = count;
  const loop = async () => {
    while (left-- > 0) await client.sendSimple({ ...fields, receptor: [`0912${left}`] });
  };
  await Promise.all(Array.from({ length: concurrency }, loop));
}

async function sendRows(concurrency: number, journal: string): Promise<void> {
  const input = Array.from({ length: count }, (_, row) => ({ receptor: `0912${row}` }));
  const bulk = await openBulk({ client, input, fields, journal });
  const { sent } = await bulk.run({ concurrency });
  await bulk.close();
  if (sent !== count) throw new Error(`${sent} of ${count} rows were sent`);
}

main();
