import { existsSync } from 'node:fs';
import { join, parse, resolve } from 'node:path';
import { Option } from 'commander';
import { operations as elements } from '../../../../generated/operations';
import {
  type BulkFields,
  type BulkOperation,
  formatProblem,
  InputError,
  JournalError,
  type RowOptions,
  type RowState,
  readBulk,
  type Texts,
} from '../../../bulk';
import { journalPathOf } from '../../../bulk/journal-path';
import { List, readRecordedValues } from '../../../bulk/list';
import { journalOptions, movedOption } from '../../../bulk/options';
import { queueOptions } from '../../../bulk/queue/options';
import { bulkOperations } from '../../../bulk/rows/fields';
import { runOptions } from '../../../bulk/sending/options';
import { batchOptions } from '../../../bulk/state/plan';
import type { ListRecord } from '../../../bulk/state/records';
import { ConfigurationError } from '../../../errors';
import { checkOptions } from '../../../options/table';
import type { Element, Operation } from '../../../soap/element';
import { type CliCommand, type Context, optionsOf } from '../../commander/command';
import { OperationFields } from '../../fields/fields';
import { addFlags, readFlags } from '../../fields/flags';
import { flagOf, kebabCase, optionNames, ownOptions, spellProblems } from '../../fields/option-names';
import type { GlobalOptions } from '../../settings/global-options';
import { checkSettings } from '../../settings/session';
import { pickSettings, type SettingsInForce } from '../../settings/settings';
import { CommandFailure, exitCodes, UsageError } from '../../terminal/failure';
import { formatStep, keptOptions, nextSteps, type Situation, spellOption } from './next-steps';

/** A bulk command as it was given. */
export interface BulkCall {
  /** The absolute path of the CSV file; empty for a command without a file. */
  readonly file: string;
  readonly journal: string;
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
    const call = { file, journal: journalPathOf(file), flags: optionsOf(command), context };
    try {
      await act(call);
    } catch (error) {
      throw await explainBulk(error, call);
    }
  });
}

/** Prints steps that a person may take next. */
export function tellSteps({ context: { io, log } }: Pick<BulkCall, 'context'>, situation: Situation): void {
  for (const step of nextSteps(situation)) log(formatStep(step, io.invocation));
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

/** Names `bulk prepare` for what it mends in a list of which nothing may have been sent. */
async function adviseOnCells(call: BulkCall, { problems }: InputError): Promise<void> {
  const { file, flags } = call;
  const list = await List.find(call.journal);
  if (list?.state.isLocked) return tellSteps(call, { kind: 'broken-list', file });
  const mended = problems.flatMap(({ mendedBy }) => mendedBy ?? []);
  if (mended.length === 0 || mended.length < problems.length) return;
  const encoding = mended.flatMap((options) => options.encoding ?? []).slice(0, 1);
  const [, column] = /^\{\{([^{}]+)\}\}$/.exec(String(flags['--receptor'] ?? '')) ?? [];
  const options = [...spellOption('encoding', encoding[0]), ...spellOption('receptorColumn', column)];
  tellSteps(call, { kind: 'wrong-cells', file, newFile: newFileOf(file), options });
}

/** Says what can be done with a list that cannot be changed any more. */
async function adviseOnChange(call: BulkCall, { problems }: JournalError): Promise<void> {
  const { file } = call;
  const isOther = (...names: readonly string[]) => problems.some(({ option }) => names.includes(option));
  tellSteps(call, {
    kind: 'changed',
    file,
    status: await readBulk(call.journal),
    newFile: newFileOf(file),
    hasOtherRows: isOther('input'),
    otherService: isOther('baseUrl', 'namespace')
      ? ['baseUrl', 'namespace', 'profile', 'apiKeyFile'].flatMap((name) => spellOption(name, call.flags[name]))
      : [],
  });
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
  command
    .optionsGroup('Before the first row:')
    .option('--dry-run', 'check the file, show the first request, send nothing')
    .option('--yes', 'begin a new list without a question');
}

/** The options of the commands that take fields, without leading dashes. A field of that name gets a prefix. */
export const ownBulkOptions: readonly string[] = [
  ...ownOptions,
  ...Object.keys({ ...batchOptions, ...runOptions, ...journalOptions, ...movedOption, ...queueOptions }).map(kebabCase),
  ...['operation', 'yes'],
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

/** Spells the options that send another list as this one is sent. */
export function spellList({ plan, fields, defaults }: ListRecord): string[] {
  const { operation, ...others } = plan;
  const usual = checkOptions(batchOptions, {});
  const changed = Object.entries(others).filter(([name, value]) => usual[name as keyof typeof usual] !== value);
  const names = optionNames(Object.keys(fields), ownBulkOptions);
  const given = Object.entries(fields).flatMap(([field, value]) => {
    const name = names.get(field) as string;
    return value === null ? ['--omit', name] : spellOption(name, value);
  });
  return [
    ...(operation === 'sendSimple' ? [] : ['--operation', kebabCase(operation)]),
    ...changed.flatMap(([name, value]) => spellOption(name, value)),
    ...given,
    ...(Object.keys(defaults).length === 0 ? [] : spellOption('defaults', JSON.stringify(defaults))),
  ];
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
    service: texts,
  };
}

/** The limits of this command and the promise of the provider, or those of an earlier command. */
export function keptOptionsOf({ flags }: BulkCall, earlier: Texts = {}): Texts {
  const values = keptOptions.map((name) => [name, flags[name] ?? earlier[name]] as const);
  return Object.fromEntries(values.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])));
}
