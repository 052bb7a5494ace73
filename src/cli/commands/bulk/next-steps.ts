import type { BulkStatus, QueueRecord, RowRange, Texts } from '../../../bulk';
import { rangesOf } from '../../../bulk/state/records';
import { quoteForTerminal } from '../../../internal/shell';
import { flagOf } from '../../fields/option-names';
import { countsOf, formatCount, formatRows, nameRefusal, refusalsOf } from './words';

/** What a command has met, and what the next step depends on. */
export type Situation =
  | {
      readonly kind: 'list';
      readonly file: string;
      readonly status: BulkStatus;
      /** The settings of the list, with the limits of this command. */
      readonly settings: Texts;
      /** A path for a new list beside this one. */
      readonly newFile: string;
      readonly isFileMissing: boolean;
    }
  /** The file, the fields or the service are not those of a list of which something may have been sent. */
  | {
      readonly kind: 'changed';
      readonly file: string;
      readonly status: BulkStatus;
      readonly newFile: string;
      readonly hasOtherRows: boolean;
      /** The options that name another service than that of the list. */
      readonly otherService: readonly string[];
    }
  /** Cells are wrong, and `bulk prepare` makes a list without them. */
  | {
      readonly kind: 'wrong-cells';
      readonly file: string;
      readonly newFile: string;
      readonly options: readonly string[];
    }
  /** Cells are wrong in a list of which something may have been sent. */
  | { readonly kind: 'broken-list'; readonly file: string }
  | { readonly kind: 'more-rows'; readonly file: string; readonly count: number }
  | { readonly kind: 'prepared'; readonly file: string; readonly missing: readonly string[] }
  | { readonly kind: 'moved'; readonly file: string; readonly options: readonly string[]; readonly settings: Texts }
  | { readonly kind: 'enqueued' | 'worker-stopped'; readonly options: readonly string[]; readonly settings: Texts };

/** A step that a person may take next. */
export interface Step {
  /** The words. The command replaces the last `%`; an earlier one belongs to a path. */
  readonly words: string;
  /** The words of the command after `bulk`. */
  readonly command?: readonly string[];
}

/** The options of a run that its journal keeps, so that a printed command repeats them. */
export const limits = ['concurrency', 'rowsPerSecond', 'settleMs', 'stopAfterFailures'] as const;

/** The options of a run that its journal keeps. A later run has the last one by itself. */
export const keptOptions = [...limits, 'uniqueClientmessageid'] as const;

/**
 * Says what to do next. This is the only place that spells a command of bulk. A command is made from the journal: it
 * works in any folder, and in a shell whose variables name another service. It never has `--yes`, and sends no row
 * again that may have been sent.
 */
export function nextSteps(situation: Situation): readonly Step[] {
  switch (situation.kind) {
    case 'list':
      return [...stepsOf(situation)];
    case 'changed':
      return changed(situation);
    case 'wrong-cells': {
      const { file, newFile, options } = situation;
      const command = ['prepare', file, '--to', newFile, ...options];
      // The columns of a file in another encoding are not known yet.
      if (!options.includes('--encoding')) return [{ words: 'to make a list without the wrong rows: %', command }];
      return [
        { words: `to make a list of this file: %${options.includes('--receptor-column') ? '' : NAME_COLUMN}`, command },
      ];
    }
    case 'broken-list':
      return [{ words: `rows of ${situation.file} may have been sent, so their cells stay: restore the file` }];
    case 'more-rows': {
      const command = ['results', situation.file, '--state', 'unknown,rejected'];
      return [{ words: `and ${formatCount(situation.count)} more: % lists all of them`, command }];
    }
    case 'prepared': {
      const { file, missing } = situation;
      const needed = missing.length > 0 ? `, which needs ${missing.join(', ')} or defaults` : '';
      return [{ words: `send the list: %${needed}`, command: ['run', file] }];
    }
    case 'moved': {
      const { file, options, settings } = situation;
      const { uniqueClientmessageid: time } = settings;
      const command = [
        'run',
        file,
        ...options,
        ...spellOption('uniqueClientmessageid', time),
        ...spellSettings(settings),
      ];
      return [{ words: 'correct the moved rows, then send them: %', command }, ...keyStep(settings)];
    }
    case 'enqueued': {
      const command = ['work', ...spellSettings(situation.settings), ...situation.options];
      const words = 'start workers on as many machines as you like, all with the same --rows-per-second: %';
      return [{ words, command }, ...keyStep(situation.settings)];
    }
    case 'worker-stopped': {
      const command = ['work', ...spellSettings(situation.settings), ...situation.options];
      return [{ words: 'when the cause is removed, go on: %', command }, ...keyStep(situation.settings)];
    }
  }
}

const NAME_COLUMN = '; if the column of the numbers is not named receptor, add --receptor-column with its name';

function* stepsOf(situation: Situation & { readonly kind: 'list' }): Generator<Step> {
  const { file, status, settings, newFile, isFileMissing } = situation;
  const { counts, holder, isWorthLooking, queued, queue, unfinishedMove } = status;
  if (holder) {
    const { pid, host, isElsewhere } = holder;
    if (!isElsewhere) yield { words: `process ${pid} works on this list: wait for it to end` };
    else {
      const who = `process ${pid} on ${host} opened the journal and did not close it`;
      yield { words: `${who}; if that process has ended: %`, command: ['run', file, '--take-over'] };
    }
    return;
  }
  if (isFileMissing) yield { words: `${file} is missing: put it back, or rename its journal as well` };
  else {
    if (unfinishedMove !== undefined) {
      const { to, states } = unfinishedMove;
      const words = `rows were moved to ${to}, and the file has no name yet: % finishes it`;
      yield { words, command: ['split', file, '--state', states.join(','), '--to', to] };
    }
    // While rows are in a queue, no unknown row is looked for.
    const unknown = isWorthLooking && queued === 0 ? counts.unknown : 0;
    const next = countsOf({ pending: counts.pending, unknown });
    if (next.length > 0) {
      const given = limits.flatMap((name) => spellOption(name, settings[name]));
      yield { words: `${next.join(', ')}: % goes on`, command: ['run', file, ...given] };
      yield* keyStep(settings);
    }
    yield* undecided(file, status);
    yield* rejected(file, status, newFile);
  }
  if (queued > 0) yield* collect(file, queued, queue);
  if (counts.sent + counts.moved === counts.total)
    yield { words: counts.moved > 0 ? 'all other rows are sent' : 'all rows are sent' };
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

function* rejected(file: string, status: BulkStatus, newFile: string): Generator<Step> {
  for (const [refusal, count] of refusalsOf(status)) {
    const words = `${formatRows(count)} rejected (${nameRefusal(refusal)}): % makes ${count === 1 ? 'it' : 'them'} pending`;
    yield { words, command: ['retry', file, ...(refusal === '' ? ['--all'] : ['--status', refusal])] };
  }
  if (status.counts.rejected === 0) return;
  const command = ['split', file, '--state', 'rejected', '--to', newFile];
  yield { words: '  to correct rejected rows first: % moves them into a list of their own', command };
}

function* collect(file: string, queued: number, queue: QueueRecord | undefined): Generator<Step> {
  const are = `${queued === 1 ? 'is' : 'are'} in the queue or with a worker`;
  yield { words: `${formatRows(queued)} ${are}: % records what was sent`, command: ['collect', file] };
  const effect = 'takes back what none has claimed, and gives up workers that have ended';
  yield { words: `  when no worker is to send more: % ${effect}`, command: ['collect', file, '--take-back'] };
  if (queue?.hasPassword)
    yield { words: 'Redis has a password: set MESSAGING_REDIS_URL to its URL with the password first' };
}

/** The file, or an option, cannot change any more: the rows that are left can be moved into a list of their own. */
function changed({
  file,
  status: { counts },
  newFile,
  hasOtherRows,
  otherService,
}: Situation & { readonly kind: 'changed' }): readonly Step[] {
  const states = (['pending', 'rejected'] as const).filter((state) => counts[state] > 0);
  const restore = hasOtherRows ? 'restore the file, and ' : '';
  const words = `to change the rows that are left, ${restore}move them into a list of their own: %`;
  const command = ['split', file, '--state', states.join(','), '--to', newFile];
  const move = ['run', file, ...otherService, '--service-moved'];
  // The key of the earlier address is not sent to another one.
  const hasKey = otherService.some((word) => word === '--profile' || word === '--api-key-file');
  const key = hasKey ? '' : ', with --api-key-file';
  return [
    ...(otherService.length > 0
      ? [{ words: `if the provider of this list has moved there: %${key}`, command: move }]
      : []),
    ...(states.length > 0 ? [{ words, command }] : []),
    // It comes last: whoever takes an edited file for another list sends everything again.
    ...(hasOtherRows || states.length === 0
      ? [
          {
            words: 'to send to everybody in the file, also to those who have a message: copy the file to another name',
          },
        ]
      : []),
  ];
}

/** Says where the key comes from when neither the journal nor a profile has one: no printed command contains it. */
function keyStep({ apiKeyFile, profile, baseUrl }: Texts): readonly Step[] {
  if (apiKeyFile !== undefined || profile !== undefined || baseUrl === undefined) return [];
  const key = `--api-key-file, or MESSAGING_API_KEY beside MESSAGING_BASE_URL=${baseUrl}`;
  return [{ words: `  a shell without the API key needs ${key}` }];
}

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
