import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { idAt, RECORD_FIELDS, recordAt, type Workload } from './data';
import type { LineProcess } from './processes';

export const ITEM_END = '\x1e';
const FIELD_END = '\x1f';

/**
 * Writes a result's item as the text in which results are compared. An absent string equals an empty one here, because several
 * clients give null for both. A wrong id or text disqualifies a client.
 */
export function comparable(item: unknown): string {
  if (typeof item !== 'object' || item === null) return String(item);
  const record = item as Record<string, unknown>;
  return RECORD_FIELDS.map((name) => String(record[name] ?? '')).join(FIELD_END);
}

/** Compares the result of a client's last call with the expected result. Describes the difference; undefined for an equal result. */
export async function findWrongResult(
  client: LineProcess,
  workload: Workload,
  items: number,
  folder: string,
): Promise<string | undefined> {
  const file = join(folder, 'result');
  await client.ask(`dump ${file}`);
  const found = readFileSync(file, 'utf8').split(ITEM_END).slice(0, -1);
  if (found.length !== items) return `${found.length} items instead of ${items}`;
  const wrong = new Map<string, number>();
  for (const [index, item] of found.entries()) {
    const expected = comparable(workload === 'selectLatest' ? recordAt(index) : idAt(index));
    if (item === expected) continue;
    for (const field of differingFields(item, expected)) wrong.set(field, (wrong.get(field) ?? 0) + 1);
  }
  const counts = Array.from(wrong, ([field, count]) => `${field} in ${count.toLocaleString('en')}`);
  return wrong.size === 0 ? undefined : `wrong ${counts.join(', ')} of ${items.toLocaleString('en')}`;
}

function differingFields(found: string, expected: string): string[] {
  const [left, right] = [found.split(FIELD_END), expected.split(FIELD_END)];
  if (left.length !== RECORD_FIELDS.length) return ['item'];
  return RECORD_FIELDS.flatMap((name, index) => {
    if (left[index] === right[index]) return [];
    return [left[index]?.replaceAll('\r\n', '\n') === right[index] ? `line ends of ${name}` : name];
  });
}
