import { type BeforeList, checkBulk, type RowOptions, type RowsElsewhere } from '../../../bulk';
import { formatDay, lookBefore, nameOfList } from '../../../bulk/list/before';
import { otherListsOf } from '../../../bulk/list/begin';
import type { List } from '../../../bulk/list/list';
import { checkRate, checkRowOptions, checkSettling, checkUniqueIds } from '../../../bulk/options';
import { ID_FIELD } from '../../../bulk/rows/fields';
import type { RunSettings } from '../../../bulk/sending/options';
import type { Context } from '../../commander/command';
import { formatJson } from '../../output/json';
import { type BulkCall, tellSteps } from './command';
import { describeChange, describeIndistinguishable, describeLostZeros, describeSent, describeUnusual } from './confirm';
import { stepsOfWaiting } from './next-steps';
import { describePromise, fileOf, formatAmount, formatCount, formatRows, nameRows, summaryOf } from './words';

/** The number of rows that are shown as examples. */
const MAX_EXAMPLES = 5;

/** Checks a file, and says what a run would send and ask, what may be a mistake, and what the journal knows. */
export async function dryRun(call: BulkCall, list: List, options: RowOptions, settings: RunSettings): Promise<void> {
  const { log } = call.context;
  // It refuses what a run refuses.
  const given = checkRowOptions(options);
  checkSettling(settings.settleMs, given.plan);
  checkRate(settings.rowsPerSecond, given.plan.batchSize);
  await list.compare(given);
  checkUniqueIds(settings.uniqueClientmessageid, list.rows);
  const checked = await checkBulk(options);
  const { rows, batches, parts, first, longest, indistinguishable } = checked;
  log(`${formatRows(rows)} in ${formatAmount(batches, 'request')}; nothing was sent`);
  log(`first request: ${formatJson(first)}`);
  if (ID_FIELD in first && first[ID_FIELD] === undefined) log(`each row gets a ${ID_FIELD} of its own`);
  log(`${formatAmount(parts, 'part')} in all messages, as networks commonly count`);
  const { row, characters } = longest;
  log(
    `the longest text has ${formatCount(characters)} characters in ${formatAmount(longest.parts, 'part')} (row ${row})`,
  );
  for (const line of describeUnusual(checked)) log(line);
  if (indistinguishable.length > 0) {
    const examples = indistinguishable.slice(0, MAX_EXAMPLES).join(', ');
    const more = indistinguishable.length > MAX_EXAMPLES ? ', …' : '';
    log(`${describeIndistinguishable(indistinguishable.length)} (rows ${examples}${more})`);
  }
  const { before } = await lookBefore(list, otherListsOf(list));
  tellJournal(log, list, before, settings);
  for (const line of describeQuestions(before)) log(line);
  tellSteps(call, stepsOfWaiting(before.waiting));
}

/** Says what a run would ask, with the first rows of each kind. */
function* describeQuestions(before: BeforeList): Generator<string> {
  const { change, sent, corrected, lostZeros, busy, unreadable } = before;
  if (change) {
    yield `a run begins a new list: ${describeChange('the file', change)}`;
    if (change.added.count > 0) yield `  new: ${nameRows(change.added)}`;
    if (change.removed.count > 0) yield `  removed: ${nameRows(change.removed)} of the earlier list`;
  }
  if (lostZeros.count > 0) yield describeLostZeros(before);
  if (sent.count > 0) yield `a run asks: ${describeSent(before)}: ${nameRows(rowsOf(sent))}`;
  if (corrected.count > 0)
    yield `a run asks whether corrected texts are sent to persons who have the old ones: ${nameRows(corrected)}`;
  for (const { journal } of busy.lists) yield `a run is refused while ${fileOf(journal)} is being sent`;
  for (const { error } of unreadable) yield `a run asks whether it goes on without a journal: ${error.message}`;
}

function rowsOf({ count, first }: RowsElsewhere) {
  return { count, first: first.map(({ row }) => row) };
}

/** Says what the journal knows, and what the next run does. */
function tellJournal(
  log: Context['log'],
  { state, change }: List,
  { pending }: BeforeList,
  { baselinePagesize, uniqueClientmessageid }: RunSettings,
): void {
  const fewer = 'fewer rows whose response is lost can be decided';
  if (uniqueClientmessageid !== 'never') log(describePromise(uniqueClientmessageid));
  if (state.isLocked) {
    log(`the journal says: ${summaryOf(state.table.counts())}`);
    const left = pending + (change === 'same' ? state.table.count('unknown') : 0);
    log(left > 0 ? `the next run goes on with ${formatRows(left)}` : 'the next run sends nothing');
  } else if (change === 'anew') log('the journal says that nothing was sent: the next run begins the list anew');
  if (state.isLocked && change === 'same') {
    if (!state.baseline?.pagesize) log(`no baseline was listed: ${fewer}`);
    return;
  }
  const lookedUp = 'a baseline is listed first: a row whose response is lost can be looked up';
  log(baselinePagesize > 0 ? lookedUp : `no baseline is listed: ${fewer}`);
}

/** "list.csv.2026-11-28T101205Z, 28 November: 4 of 10 rows sent" */
export function describeEarlier({ path, state }: List): string {
  const day = state.sentAt === 0 ? '' : `, ${formatDay(state.sentAt)}`;
  return `${nameOfList(path)}${day}: ${summaryOf(state.table.counts())}`;
}
