import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { comparable, differingFields, expectedAt, ITEM_END, idAt, receptorAt, textAt, type Workload } from './data';
import type { LineProcess } from './processes';
import type { BenchServer } from './service';

/** Compares what the candidate's last call gave with what it should have; gives what is wrong, or undefined. */
export async function compareAnswer(
  candidate: LineProcess,
  workload: Workload,
  items: number,
  folder: string,
): Promise<string | undefined> {
  const file = join(folder, 'answer');
  await candidate.ask(`dump ${file}`);
  const found = readFileSync(file, 'utf8').split(ITEM_END).slice(0, -1);
  if (found.length !== items) return `${found.length} items instead of ${items}`;
  const wrong = new Map<string, number>();
  for (const [index, item] of found.entries()) {
    const expected = comparable(expectedAt(workload, index));
    if (item === expected) continue;
    for (const field of differingFields(item, expected)) wrong.set(field, (wrong.get(field) ?? 0) + 1);
  }
  if (wrong.size === 0) return undefined;
  const counts = Array.from(wrong, ([field, count]) => `${field} in ${count.toLocaleString('en')}`);
  return `wrong ${counts.join(', ')} of ${items.toLocaleString('en')}`;
}

/** Compares the request that the server got last with what was to be sent; gives what is wrong, or undefined. */
export async function compareRequest(
  server: BenchServer,
  workload: Workload,
  items: number,
): Promise<string | undefined> {
  if (workload === 'latest') return undefined;
  const all = Array.from({ length: items }, (_, index) => index);
  const [name, expected] = {
    sendSimple: ['string', [receptorAt(0)]] as const,
    sendArray: ['string', [...all.map(() => '3000'), ...all.map(textAt), ...all.map(receptorAt)]] as const,
    getStatus: ['long', all.map((index) => String(idAt(index)))] as const,
  }[workload];
  const body = await server.lastRequest();
  const pattern = new RegExp(`<(?:[\\w-]+:)?${name}(?: [^>]*)?>([^<]*)</`, 'g');
  const sent = Array.from(body.matchAll(pattern), ([, text = '']) => resolve(text));
  const wrong = expected.filter((text, index) => text !== sent[index]).length;
  return sent.length === expected.length && wrong === 0
    ? undefined
    : `sent ${sent.length} of ${expected.length} texts, ${wrong} of them wrong`;
}

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function resolve(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (_, hex?: string, decimal?: string, name?: string) =>
    name ? (NAMED[name] ?? '?') : String.fromCodePoint(hex ? Number.parseInt(hex, 16) : Number(decimal)),
  );
}
