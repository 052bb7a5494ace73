import type { BulkStatus, QueueRecord, RowRange, RowsElsewhere, Texts } from '../../../bulk';
import { fileOfEarlier } from '../../../bulk/list/replace';
import { rangesOf } from '../../../bulk/state/records';
import { flagOf } from '../../fields/option-names';
import { quoteForTerminal } from '../../terminal/text';
import { countsOf, fileOf, formatCount, formatRows, nameRefusal, refusalsOf } from './words';

// The only place that spells a command of bulk. A command is made from the journal: it needs the name of the file only,
// works in any folder, and in a shell whose variables name another service. It never has `--yes` or `--again`, and
// sends no row again that may have been sent.

/** A step that a person may take next. */
export interface Step {
  /** The words. The command replaces the last `%`; an earlier one belongs to a path. */
  readonly words: string;
  /** The words of the command after `bulk`. */
  readonly command?: readonly string[];
}

/** Says how a list goes on. */
export function* stepsOfList(file: string, status: BulkStatus, isFileMissing: boolean): Generator<Step> {
  const { counts, holder, isWorthLooking, isReplaced, queued, queue, settings, waiting } = status;
  if (holder) {
    yield* stepsOfHolder(file, holder);
    return;
  }
  if (isReplaced) yield { words: 'the file has changed: % goes on with it', command: ['run', fileOfEarlier(file)] };
  else if (isFileMissing) yield { words: `${file} is missing: put it back, or rename its journal as well` };
  else {
    // While rows are in a queue, no unknown row is looked for.
    const unknown = isWorthLooking && queued === 0 ? counts.unknown : 0;
    const next = countsOf({ pending: counts.pending - (waiting?.count ?? 0), unknown });
    if (next.length > 0) {
      yield { words: `${next.join(', ')}: % goes on`, command: ['run', file] };
      yield* stepsOfKey(settings);
    }
    if (waiting) yield* stepsOfWaiting(waiting);
    yield* undecided(file, status);
    yield* rejected(file, status);
  }
  if (queued > 0) yield* collect(file, queued, queue);
  if (counts.sent === counts.total) yield { words: 'all rows are sent' };
}

function* stepsOfHolder(file: string, { pid, host, isElsewhere }: NonNullable<BulkStatus['holder']>): Generator<Step> {
  if (!isElsewhere) yield { words: `process ${pid} works on this list: wait for it to end` };
  else {
    const who = `process ${pid} on ${host} opened the journal and did not close it`;
    yield { words: `${who}; if that process has ended: %`, command: ['run', file, '--take-over'] };
  }
}

/** Says of rows that wait because of another list what decides them. */
export function* stepsOfWaiting({ count, first, lists }: RowsElsewhere): Generator<Step> {
  if (count === 0) return;
  const [{ rowThere = 1, journal = '' } = {}] = first;
  const wait = count === 1 ? '1 row waits' : `${formatRows(count)} wait`;
  const more = count > 1 ? ' (and more)' : '';
  const other = lists.find((list) => list.journal === journal);
  const file = fileOf(journal);
  if (other?.pid !== undefined)
    yield { words: `${wait}: process ${other.pid} works on ${file}: run again when it has ended` };
  else
    yield {
      words: `${wait}: row ${rowThere} of ${file}${more} may have sent the message: % says what decides it`,
      command: ['status', file],
    };
}

function* undecided(file: string, { counts, isWorthLooking, rows }: BulkStatus): Generator<Step> {
  if (counts.unknown === 0 || isWorthLooking) return;
  const ranges = formatRanges(rangesOf(Array.from(rows('unknown'), ({ row }) => row)));
  const list = ['results', file, '--state', 'unknown'];
  const resolve = ['resolve', file, '--row', ranges, '--as'];
  yield {
    words: `${formatRows(counts.unknown)} undecided: % lists ${counts.unknown === 1 ? 'it with its reason' : 'them with their reasons'}`,
    command: list,
  };
  yield { words: '  when you know that rows were sent: %', command: [...resolve, 'sent'] };
  yield { words: '  when you know that rows were not sent: %', command: [...resolve, 'not-sent'] };
}

function* rejected(file: string, status: BulkStatus): Generator<Step> {
  for (const [refusal, count] of refusalsOf(status)) {
    const words = `${formatRows(count)} rejected (${nameRefusal(refusal)}): % makes ${count === 1 ? 'it' : 'them'} pending`;
    yield { words, command: ['retry', file, ...(refusal === '' ? ['--all'] : ['--status', refusal])] };
  }
  if (status.counts.rejected > 0)
    yield {
      words: '  to correct rejected rows first, correct them in the file: % sends what has changed',
      command: ['run', file],
    };
}

function* collect(file: string, queued: number, queue: QueueRecord | undefined): Generator<Step> {
  const are = `${queued === 1 ? 'is' : 'are'} in the queue or with a worker`;
  yield { words: `${formatRows(queued)} ${are}: % records what was sent`, command: ['collect', file] };
  const effect = 'takes back what none has claimed, and gives up workers that have ended';
  yield { words: `  when no worker is to send more: % ${effect}`, command: ['collect', file, '--take-back'] };
  if (queue?.hasPassword)
    yield { words: 'Redis has a password: set MESSAGING_REDIS_URL to its URL with the password first' };
}

/** Says of queued rows that no worker can get what becomes of them. */
export function* stepsOfQueue(
  file: string,
  queue: QueueRecord | undefined,
  { inNoQueue, lost = 0 }: { readonly inNoQueue: number; readonly lost?: number },
): Generator<Step> {
  const are = (rows: number) => `${formatRows(rows)} ${rows === 1 ? 'is' : 'are'}`;
  const redis = queue?.hasPassword ? [] : spellOption('redis', queue?.redis);
  const command = ['enqueue', file, ...redis, ...spellOption('queue', queue?.name)];
  const it = (rows: number) => (rows === 1 ? 'it' : 'them');
  if (inNoQueue > 0)
    yield {
      words: `${are(inNoQueue)} in no queue, so no worker gets ${it(inNoQueue)}: % puts ${it(inNoQueue)} back`,
      command,
    };
  if (lost > 0)
    yield {
      words: `${are(lost)} not known to this Redis: give the Redis that has ${it(lost)}; if it has lost ${it(lost)}, bulk collect with --lost-are-unknown makes ${it(lost)} unknown`,
    };
}

/** Names `bulk prepare` for wrong cells. @param options are those that it needs for them */
export function* stepsOfWrongCells(file: string, newFile: string, options: readonly string[]): Generator<Step> {
  const command = ['prepare', file, '--to', newFile, ...options];
  // The columns of a file in another encoding are not known yet.
  const isEncoded = options.includes('--encoding');
  const named = options.includes('--receptor-column') ? '' : NAME_COLUMN;
  yield isEncoded
    ? { words: `to make a list of this file: %${named}`, command }
    : { words: 'to make a list without the wrong rows: %', command };
}

const NAME_COLUMN = '; if the column of the numbers is not named receptor, add --receptor-column with its name';

/** Says how a list goes on at another service. @param options name the service */
export function* stepsOfOtherService(file: string, options: readonly string[]): Generator<Step> {
  // The key of the earlier address is not sent to another one.
  const hasKey = options.some((word) => word === '--profile' || word === '--api-key-file');
  const key = hasKey ? '' : ', with --api-key-file';
  const command = ['run', file, ...options, '--service-moved'];
  yield { words: `if the provider of this list has moved there: %${key}`, command };
}

/** Names the command that sends only what nobody has. @param command `run` or `enqueue` */
export function* stepsOfOthers(command: string, file: string): Generator<Step> {
  yield { words: '% sends the other rows', command: [command, file, '--others'] };
}

/** Says where more rows are listed. */
export function* stepsOfMoreRows(file: string, count: number): Generator<Step> {
  const command = ['results', file, '--state', 'unknown,rejected'];
  yield { words: `and ${formatCount(count)} more: % lists all of them`, command };
}

/** Says how a prepared list is sent. @param missing the options that it needs */
export function* stepsOfPrepared(file: string, missing: readonly string[]): Generator<Step> {
  const needed = missing.length > 0 ? `, which needs ${missing.join(', ')} or defaults` : '';
  yield { words: `send the list: %${needed}`, command: ['run', file] };
}

/** Says what becomes of a file that has changed. */
export function* stepsOfChangedFile(file: string): Generator<Step> {
  yield { words: '% begins a new list with the file', command: ['run', file] };
}

/** Says how workers are started. @param options are those of the queue */
export function* stepsOfWorkers(options: readonly string[], settings: Texts): Generator<Step> {
  const words = 'start workers on as many machines as you like, all with the same --rows-per-second: %';
  yield { words, command: ['work', ...spellSettings(settings), ...options] };
  yield* stepsOfKey(settings);
}

/** Says how a worker that stopped goes on. */
export function* stepsOfStoppedWorker(options: readonly string[], settings: Texts): Generator<Step> {
  yield { words: 'when the cause is removed, go on: %', command: ['work', ...spellSettings(settings), ...options] };
  yield* stepsOfKey(settings);
}

/** Says where the key comes from when neither the journal nor a profile has one: no printed command contains it. */
function* stepsOfKey({ apiKeyFile, profile, baseUrl }: Texts): Generator<Step> {
  if (apiKeyFile !== undefined || profile !== undefined || baseUrl === undefined) return;
  const key = `--api-key-file, or MESSAGING_API_KEY beside MESSAGING_BASE_URL=${baseUrl}`;
  yield { words: `  a shell without the API key needs ${key}` };
}

/** The options of a run that its journal keeps, and that later commands have by themselves. */
export const keptOptions = ['concurrency', 'rowsPerSecond', 'settleMs', 'uniqueClientmessageid'] as const;

/** Spells how a service is reached, as options. */
function spellSettings(settings: Texts): string[] {
  const others: readonly string[] = keptOptions;
  const names = Object.keys(settings).filter((name) => !others.includes(name));
  return names.flatMap((name) => spellOption(name, settings[name]));
}

/** Spells an option with its value; no words for a value that was not given. */
export function spellOption(name: string, value: unknown): string[] {
  if (value === undefined || value === false) return [];
  const option = flagOf(name);
  if (value === true) return [option];
  // A value that looks like an option is joined to its option.
  return String(value).startsWith('-') ? [`${option}=${value}`] : [option, String(value)];
}

/** Writes a step as a line, with its command as the shell of the platform takes it. */
export function formatStep({ words, command }: Step, invocation: string): string {
  if (command === undefined) return words;
  const line = [`${invocation} bulk`, ...command.map((word) => quoteForTerminal(word))].join(' ');
  return words.replace(/%(?!.*%)/s, () => `\`${line}\``);
}

/** The number of ranges of rows that a command has: a command line has a greatest length. */
const MAX_RANGES = 20;

/** Spells rows as `--row` takes them: "3,7-9". Rows beyond the 20th range are left out. */
function formatRanges(ranges: readonly RowRange[]): string {
  const shown = ranges.slice(0, MAX_RANGES);
  return shown.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',');
}
