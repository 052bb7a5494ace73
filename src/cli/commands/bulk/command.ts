import { existsSync } from 'node:fs';
import { basename, join, parse, resolve } from 'node:path';
import { Option } from 'commander';
import { operations as elements } from '../../../../generated/operations';
import {
  type BulkFields,
  type BulkOperation,
  type Comparing,
  type Fate,
  formatProblem,
  InputError,
  JournalError,
  type RowOptions,
  type RowState,
  type Texts,
} from '../../../bulk';
import { journalPathOf } from '../../../bulk/journal-path';
import { readRecordedValues } from '../../../bulk/list/given';
import { List } from '../../../bulk/list/list';
import { journalOptions, movedOption } from '../../../bulk/options';
import { queueOptions } from '../../../bulk/queue/options';
import { bulkOperations } from '../../../bulk/rows/fields';
import { parseTemplate } from '../../../bulk/rows/template';
import { runOptions } from '../../../bulk/sending/options';
import { batchOptions } from '../../../bulk/state/plan';
import type { ListRecord } from '../../../bulk/state/records';
import { statusOf } from '../../../bulk/status';
import type { SettingsInForce } from '../../../client/options/sources';
import { ConfigurationError } from '../../../errors';
import type { Element, Operation } from '../../../soap/element';
import { type CliCommand, type Context, optionsOf } from '../../commander/command';
import { OperationFields } from '../../fields/fields';
import { addFlags, readFlags } from '../../fields/flags';
import { flagOf, kebabCase, ownOptions, spellProblems } from '../../fields/option-names';
import type { GlobalOptions } from '../../settings/global-options';
import { checkSettings } from '../../settings/session';
import { pickSettings } from '../../settings/settings';
import { CommandFailure, exitCodes, UsageError } from '../../terminal/failure';
import {
  formatStep,
  keptOptions,
  type Step,
  spellOption,
  stepsOfList,
  stepsOfOtherService,
  stepsOfWrongCells,
} from './next-steps';

/** A bulk command as it was given. */
export interface BulkCall {
  /** The absolute path of the CSV file; empty for a command without a file. */
  readonly file: string;
  readonly journal: string;
  /** The name of the command, such as `run`. */
  readonly command: string;
  /** The options for fields have keys such as `--sender`. */
  readonly flags: GlobalOptions & { readonly [option: string]: unknown };
  readonly context: Context;
}

/** Sets the action of a bulk command. The library's errors are worded for the user. */
export function setAction(
  command: CliCommand,
  context: Context,
  act: (call: BulkCall) => Promise<void>,
  hasFile = true,
): void {
  if (hasFile) command.argument('<file>');
  command.action(async () => {
    const [given] = command.args;
    if (given === '-')
      throw new UsageError('bulk does not read its file from stdin: save the list to a file, and name it');
    const file = given === undefined ? '' : resolve(given);
    const journal = journalPathOf(file);
    const call = { file, journal, command: command.name(), flags: optionsOf(command), context };
    try {
      await act(call);
    } catch (error) {
      throw await explainBulk(error, call);
    }
  });
}

/** Prints steps that a person may take next. */
export function tellSteps({ context: { io, log } }: Pick<BulkCall, 'context'>, steps: Iterable<Step>): void {
  for (const step of steps) log(formatStep(step, io.invocation));
}

/** Reads the options about rows whose messages somebody has. @throws {UsageError} when they say both */
export function fateOf({ others, again }: BulkCall['flags']): Fate | 'refuse' {
  if (others && again) throw new UsageError('give one of --others and --again');
  return again ? 'send' : others ? 'leave out' : 'refuse';
}

/** The path of a new list beside a list: `list-2.csv`. */
export function newFileOf(file: string): string {
  const { dir, name, ext } = parse(file);
  for (let number = 2; ; number++) {
    const path = join(dir, `${name}-${number}${ext}`);
    if (!existsSync(path) && !existsSync(journalPathOf(path))) return path;
  }
}

/** The number of problems of the file that are shown. */
const MAX_PROBLEMS = 20;

async function explainBulk(error: unknown, call: BulkCall): Promise<unknown> {
  const { log } = call.context;
  if (!(error instanceof ConfigurationError)) return error;
  if (error instanceof JournalError && error.code === 'changed' && error.problems.length > 0)
    await adviseOnChange(call, error);
  if (!(error instanceof InputError)) return new UsageError(spellProblems(error, nameOption));
  for (const problem of error.problems.slice(0, MAX_PROBLEMS)) log(formatProblem(problem));
  if (error.count > MAX_PROBLEMS) log(`and ${error.count - MAX_PROBLEMS} more`);
  await adviseOnCells(call, error);
  return new CommandFailure(exitCodes.usage, 'the file or its fields are wrong; this command has sent nothing');
}

/** Names `bulk prepare` for what it mends. */
async function adviseOnCells(call: BulkCall, { problems }: InputError): Promise<void> {
  const { file, flags } = call;
  const mended = problems.flatMap(({ mendedBy }) => mendedBy ?? []);
  if (mended.length === 0 || mended.length < problems.length) return;
  const encoding = mended.flatMap((options) => options.encoding ?? []).slice(0, 1);
  // The journal has the fields that were given before.
  const { list } = (await List.at(call.journal)).state;
  const receptor = parseTemplate(String(flags['--receptor'] ?? list?.fields.receptor ?? ''));
  const column = receptor?.columns.length === 1 ? receptor.columns[0] : undefined;
  const options = [...spellOption('encoding', encoding[0]), ...spellOption('receptorColumn', column)];
  tellSteps(call, stepsOfWrongCells(file, newFileOf(file), options));
}

/** Says what can be done with a list that cannot be changed. */
async function adviseOnChange(call: BulkCall, { problems }: JournalError): Promise<void> {
  const { file, flags } = call;
  if (problems.some(({ option }) => ['baseUrl', 'namespace'].includes(option))) {
    const names = ['baseUrl', 'namespace', 'profile', 'apiKeyFile'];
    tellSteps(
      call,
      stepsOfOtherService(
        file,
        names.flatMap((name) => spellOption(name, flags[name])),
      ),
    );
  } else if (problems.some(({ option }) => option === 'input'))
    tellSteps(call, stepsOfList(file, statusOf(await List.read(call.journal)), !existsSync(file)));
}

/** The options of the library that have another name on the command line. */
const spellings: Readonly<Record<string, string>> = { input: 'the file', journal: 'the journal', ranges: '--row' };

function nameOption(option: string): string {
  return spellings[option] ?? flagOf(option.replace(/^listing\./, ''));
}

const methods = Object.keys(bulkOperations) as BulkOperation[];

/** Adds the options of a list that `run` and `enqueue` begin. */
export function addListOptions(command: CliCommand): void {
  const group = "Fields that are not columns of the file; {{column}} in a text is replaced by the row's value:";
  rowFields().addTo(command, group);
  const operation = new Option('--operation <name>', 'send rows with this operation (default: send-simple)');
  command.optionsGroup('Requests:').addOption(operation.choices(methods.map(kebabCase)));
  addFlags(command, batchOptions);
  const corrected = new Option(
    '--corrected <what>',
    'send texts that have changed to persons who have the old ones, or leave them out',
  );
  command
    .optionsGroup('Before the first row:')
    .option('--dry-run', 'check the file, show the first request, send nothing')
    .option('--yes', 'begin a new list without a question')
    .option('--others', 'send only messages that no other list of the folder has sent')
    .option('--again', 'also send messages that other lists of the folder have sent')
    .addOption(corrected.choices(['send', 'leave']))
    .option('--without <journal...>', 'do not compare the list with these journals of the folder');
}

/** The options of the commands that take fields, without leading dashes. A field of that name gets a prefix. */
export const ownBulkOptions: readonly string[] = [
  ...ownOptions,
  ...Object.keys({ ...batchOptions, ...runOptions, ...journalOptions, ...movedOption, ...queueOptions }).map(kebabCase),
  ...['operation', 'yes', 'others', 'again', 'corrected', 'without'],
];

/** The fields of a row as options. A list in the request has one value for all rows here. */
function rowFields(): OperationFields {
  const requests = Object.values(bulkOperations).flatMap((name) => {
    const { request }: Operation = elements[name];
    return request;
  });
  const fields = new Map<string, Element>();
  for (const element of requests) {
    if (element.filledByClient || fields.has(element.name)) continue;
    // An item of a list cannot be left out, and is named after the list.
    fields.set(element.name, element.kind === 'list' ? { ...element.item, name: element.name } : element);
  }
  return new OperationFields(Object.values(bulkOperations), [...fields.values()], ownBulkOptions);
}

/** Reads states such as "rejected,unknown". @throws {UsageError} */
export function readStates<State extends RowState>(text: string, known: readonly State[]): State[] {
  return text.split(',').map((word) => {
    const state = known.find((each) => each === word.trim());
    if (state !== undefined) return state;
    throw new UsageError(`--state: ${JSON.stringify(word.trim())} is none of these states: ${known.join(', ')}`);
  });
}

/** Reads the options of a list, which the library checks. The list of the journal has those that were not given. */
export async function readListOptions(
  { file, flags, journal, context }: BulkCall,
  list: ListRecord | undefined,
  { inForce, texts }: { readonly inForce?: SettingsInForce; readonly texts?: Texts } = {},
): Promise<RowOptions> {
  const plain = inForce && pickSettings({ ...inForce, ignored: [] }, ['defaults', 'dates']);
  const checked = plain && checkSettings(plain, context, { needed: [] });
  // The options of the fields come from the same table as the type.
  const fields = (await rowFields().read({ ...flags }, [], {
    io: context.io,
    dates: checked?.dates,
    signal: undefined,
  })) as BulkFields;
  const operation = methods.find((method) => kebabCase(method) === flags.operation);
  const recorded = (values: ListRecord['fields'] = {}) => (list ? readRecordedValues(values, list) : {});
  return {
    input: file,
    journal,
    ...list?.plan,
    ...(operation && { operation }),
    ...readFlags(flags, { ...batchOptions, ...journalOptions, ...movedOption }),
    fields: { ...recorded(list?.fields), ...fields },
    defaults: { ...recorded(list?.defaults), ...checked?.options.defaults },
    settings: texts,
    others: 'folder',
    again: fateOf(flags),
    corrected: flags.corrected === 'leave' ? 'leave out' : (flags.corrected as 'send' | undefined),
    without: flags.without as string[] | undefined,
    onComparing: tellComparing(context),
  };
}

/** The time after which a comparison says what it reads, in milliseconds. */
const PATIENCE_MS = 2000;

/** Says which journals are read, once this has taken a while. */
function tellComparing({ log }: Context): (progress: Comparing) => void {
  const started = performance.now();
  return ({ path, number, of }) => {
    if (performance.now() - started > PATIENCE_MS) log(`comparing with ${basename(path)} (${number} of ${of})`);
  };
}

/** The limits of this command and the promise of the provider, or those of an earlier command. */
export function keptOptionsOf({ flags }: BulkCall, earlier: Texts = {}): Texts {
  const values = keptOptions.map((name) => [name, flags[name] ?? earlier[name]] as const);
  return Object.fromEntries(values.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])));
}
