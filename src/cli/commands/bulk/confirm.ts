import { basename } from 'node:path';
import type { BeforeList, RowsElsewhere } from '../../../bulk';
import { formatDay, nameOfList } from '../../../bulk/list/before';
import type { BeginReply } from '../../../bulk/list/before-list';
import { CommandFailure, exitCodes, UsageError } from '../../terminal/failure';
import { ask, askYes, canAsk } from '../../terminal/questions';
import { type BulkCall, fateOf, tellSteps } from './command';
import { stepsOfOthers, stepsOfWaiting } from './next-steps';
import type { ServiceInForce } from './service';
import { fileOf, formatAmount, formatCount, formatRows, nameRows } from './words';

const NOTHING = 'nothing was sent';

/**
 * Says what will be sent and where to, and asks when somebody can be asked.
 *
 * @throws {CommandFailure} for a "no"; {UsageError} where nobody can be asked, and the options do not say it
 */
export async function confirm(
  call: BulkCall,
  service: ServiceInForce,
  before: BeforeList,
  signal: AbortSignal,
): Promise<BeginReply> {
  const { log, io } = call.context;
  const begins = before.isNew || before.isChanged;
  for (const line of describeBefore(call, service, before)) log(line);
  tellSteps(call, stepsOfWaiting(before.waiting));
  refuseBusy(before.busy);
  const without = await askUnreadable(call, before, signal);
  const again = await askAgain(call, before, signal);
  const corrected = await askCorrected(call, before, signal);
  const isReplied = again !== undefined || call.flags.yes === true || fateOf(call.flags) !== 'refuse';
  if (begins && !isReplied) {
    if (!canAsk(io)) {
      const what = before.isNew ? 'a new list' : 'a list that has changed';
      throw new UsageError(`${what} needs --yes where nobody can be asked; ${NOTHING}`);
    }
    log(`the first text: ${JSON.stringify(before.firstText)}`);
    if (!(await askYes(io, signal, 'Send?'))) throw new CommandFailure(exitCodes.usage, NOTHING);
  }
  return { again, corrected, without };
}

/** Says what a list sends, what looks wrong, and what has changed. */
function* describeBefore(
  { file }: BulkCall,
  { inForce: { settings }, texts: { profile } }: ServiceInForce,
  before: BeforeList,
): Generator<string> {
  if (!before.isNew && !before.isChanged) return;
  const { rows, parts, senders, indistinguishable } = before;
  const [first = null] = senders;
  const sender = senders.size > 1 ? `${formatCount(senders.size)} senders` : (first ?? 'no sender');
  const where = `${settings.baseUrl?.value}${profile === undefined ? '' : ` (profile ${profile})`}`;
  yield `${formatRows(rows)} (${formatAmount(parts, 'part')}) from ${sender} to ${where}`;
  if (before.change) yield describeChange(basename(file), before.change);
  yield* describeUnusual(before);
  if (before.lostZeros.count > 0) yield describeLostZeros(before);
  if (indistinguishable > 0) yield describeIndistinguishable(indistinguishable);
}

/** "list.csv has changed: 3 new rows, 1 text was changed after it was sent, 5 rows are as they were" */
export function describeChange(
  file: string,
  { added, removed, corrected, unchanged }: NonNullable<BeforeList['change']>,
): string {
  const count = ({ count }: typeof added, one: string, many: string) =>
    count === 0 ? [] : [`${formatCount(count)} ${count === 1 ? one : many}`];
  const changes = [
    ...count(added, 'new row', 'new rows'),
    ...count(removed, 'row was removed', 'rows were removed'),
    ...count(corrected, 'text was changed after it was sent', 'texts were changed after they were sent'),
  ];
  const what = changes.length === 0 ? ' or its fields have changed, but no message' : ' has changed';
  return `${file}${what}: ${[...changes, ...count(unchanged, 'row is as it was', 'rows are as they were')].join(', ')}`;
}

/** Names receptors that look wrong, and texts of several lines, which a stray quote may have made. */
export function* describeUnusual({
  oddReceptors,
  otherLengths,
  ofSeveralLines,
}: Pick<BeforeList, 'oddReceptors' | 'otherLengths' | 'ofSeveralLines'>): Generator<string> {
  const name = ({ count, first }: BeforeList['oddReceptors'], is: string, are: string) => {
    const rows = first.map(({ row, receptor }) => `row ${row}: ${JSON.stringify(receptor)}`).join(', ');
    return `${formatCount(count)} ${count === 1 ? is : are}: ${rows}${count > first.length ? ', …' : ''}`;
  };
  if (oddReceptors.count > 0)
    yield name(oddReceptors, 'receptor is not plain digits', 'receptors are not plain digits');
  if (otherLengths.count > 0) {
    const digits = 'another number of digits than most others';
    yield `${name(otherLengths, `receptor has ${digits}`, `receptors have ${digits}`)}; a spreadsheet program may have taken a zero`;
  }
  if (ofSeveralLines.count > 0) {
    const texts = ofSeveralLines.count === 1 ? 'row has a text' : 'rows have a text';
    yield `${formatCount(ofSeveralLines.count)} ${texts} of several lines (first: row ${ofSeveralLines.row})`;
  }
}

export function describeLostZeros({ lostZeros }: BeforeList): string {
  const receptors = lostZeros.count === 1 ? 'receptor has' : 'receptors have';
  return `${formatCount(lostZeros.count)} ${receptors} lost the zero at the beginning, which an earlier list has: ${nameRows(lostZeros)}`;
}

/** Says what rows that cannot be told apart mean. There are at least two. */
export function describeIndistinguishable(count: number): string {
  const effect = 'if a response is lost, the program cannot tell which of them was sent';
  return `${formatRows(count)} have the receptor and text of another row: ${effect}`;
}

/** "list.csv, 26 November, at https://provider.example", and the number of rows of each of several lists */
export function describeLists({ lists }: RowsElsewhere): string {
  const shown = lists.slice(0, 3).map(({ journal, sentAt, baseUrl, rows }) => {
    const day = sentAt === 0 ? '' : `, ${formatDay(sentAt)}`;
    const words = `${nameOfList(journal)}${day}${baseUrl === undefined ? '' : `, at ${baseUrl}`}`;
    return lists.length > 1 ? `${formatCount(rows)} by ${words}` : words;
  });
  if (lists.length > shown.length) shown.push(`and ${formatAmount(lists.length - shown.length, 'other list')}`);
  return shown.join('; ') || 'an earlier list';
}

/** "4 of 10 rows were sent already (list.csv, 26 November)" */
export function describeSent({ sent, pending, rows, isNew, isChanged }: BeforeList): string {
  const left = `${formatRows(pending)} that ${pending === 1 ? 'is' : 'are'} left`;
  const of = isNew || isChanged ? formatRows(rows) : left;
  const isAll = sent.count === pending && sent.count > 1;
  const who = isAll ? `All ${of}` : `${formatCount(sent.count)} of ${of}`;
  return `${who} ${sent.count === 1 ? 'was' : 'were'} sent already (${describeLists(sent)})`;
}

/** @throws {CommandFailure} while another command sends messages of the list */
function refuseBusy({ lists: [other] }: RowsElsewhere): void {
  if (!other) return;
  const who = other.pid === undefined ? 'another process' : `process ${other.pid}`;
  const what = `${fileOf(other.journal)} is being sent by ${who}, and has messages of this list: run again when it has ended`;
  throw new CommandFailure(exitCodes.notSent, `${what}; ${NOTHING}`);
}

async function askUnreadable({ context: { io } }: BulkCall, { unreadable }: BeforeList, signal: AbortSignal) {
  const without: string[] = [];
  for (const { path, error } of unreadable) {
    const name = basename(path);
    if (!canAsk(io)) throw new UsageError(`${error.message}; --without ${name} goes on without it; ${NOTHING}`);
    const isLeft = await askYes(io, signal, `${error.message}; go on without ${name}?`);
    if (!isLeft) throw new CommandFailure(exitCodes.usage, NOTHING);
    without.push(name);
  }
  return without;
}

async function askAgain(call: BulkCall, before: BeforeList, signal: AbortSignal): Promise<BeginReply['again']> {
  const { context, flags, file, command } = call;
  const { sent, pending } = before;
  if (sent.count === 0 || fateOf(flags) !== 'refuse') return undefined;
  const isAll = sent.count === pending;
  const words = describeSent(before);
  if (!canAsk(context.io)) {
    const again = `--again sends them again`;
    if (isAll) throw new UsageError(`${words}; ${again}; ${NOTHING}`);
    // The options of a list that is not begun are in no journal.
    if (!before.isNew) tellSteps(call, stepsOfOthers(command, file));
    throw new UsageError(`${words}; --others sends the other rows, ${again} with the others; ${NOTHING}`);
  }
  if (isAll) {
    if (await askYes(context.io, signal, `${words}. Send them again?`)) return 'send';
    throw new CommandFailure(exitCodes.usage, NOTHING);
  }
  const message = `${words}. Send the [o]thers, [a]ll, or [N]one?`;
  const reply = await ask(context.io, signal, ({ text }, terminal) => text({ message, ...terminal }));
  if (/^o(thers)?$/i.test(reply)) return 'leave out';
  if (/^a(ll)?$/i.test(reply)) return 'send';
  throw new CommandFailure(exitCodes.usage, NOTHING);
}

async function askCorrected({ context: { io }, flags }: BulkCall, { corrected }: BeforeList, signal: AbortSignal) {
  if (corrected.count === 0 || flags.corrected !== undefined) return undefined;
  const one = corrected.count === 1;
  const are = one
    ? 'row is a corrected text: its person has the old one'
    : 'rows are corrected texts: their persons have the old ones';
  const words = `${formatCount(corrected.count)} ${are}`;
  if (!canAsk(io)) {
    const options = `--corrected send sends ${one ? 'it' : 'them'}, --corrected leave does not`;
    throw new UsageError(`${words} (${nameRows(corrected)}); ${options}; ${NOTHING}`);
  }
  return (await askYes(io, signal, `${words}. Send ${one ? 'it' : 'them'}?`)) ? 'send' : 'leave out';
}
