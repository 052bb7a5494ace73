import { List } from '../../src/bulk/list/list';
import { checkRowOptions } from '../../src/bulk/options';
import { BulkState } from '../../src/bulk/state/bulk-state';
import { planOptions } from '../../src/bulk/state/plan';
import type { BulkRecord } from '../../src/bulk/state/records';
import { checkOptions } from '../../src/options/table';
import { csvOf, fields } from './support';

/** The state of a list of this many rows after some records. */
function stateAfter(total: number, records: readonly BulkRecord[]): BulkState {
  const state = new BulkState();
  const plan = checkOptions(planOptions, {});
  state.begin('opening');
  const all: BulkRecord[] = [
    { t: 'list', id: '1234567890', sha256: '', total, plan, fields: {}, defaults: {} },
    ...records,
  ];
  for (const record of all) expect(state.apply(record)).toBe(true);
  return state;
}

test('the late refusal of a silent worker gives no reason to a row that was found meanwhile', () => {
  const { table } = stateAfter(2, [
    { t: 'intent', n: 1, range: [1, 2], queued: true },
    { t: 'unknown', n: 1, error: 'its worker ended', silent: true },
    { t: 'known-sent', row: 1, id: '77' },
    { t: 'rejected', n: 1, error: 'status 412', refusal: '412', refusedTogether: true },
  ]);
  expect([table.state(1), table.reason(1).text, table.mustGoAlone(1)]).toEqual(['sent', '', false]);
  expect([table.state(2), table.reason(2).text, table.mustGoAlone(2)]).toEqual(['rejected', 'status 412', true]);
});

test('a list without a journal makes its table once, which takes 48 bytes a row', async () => {
  const list = await List.of(checkRowOptions({ input: csvOf(2).input, fields }));
  expect(list.state.table).toBe(list.state.table);
});
