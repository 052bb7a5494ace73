import { Option } from 'commander';
import { operationDocumentation } from '../../../generated/documentation';
import { type OperationName, operations } from '../../../generated/operations';
import type { RequestError } from '../../errors';
import type { DateUnit } from '../../options/settings';
import type { Element, Operation } from '../../soap/element';
import type { CliCommand } from '../commander/command';
import { UsageError } from '../terminal/failure';
import type { Io } from '../terminal/io';
import { FieldOption, FileOption, fieldKey, fileKey } from './field-options';
import { describeType, linesOf, readText, readValue, valueElement } from './field-values';
import { fileOption, optionNames } from './option-names';

/** A request as the client takes it. */
export type FieldValues = Readonly<Record<string, unknown>>;

/** Sources of values beside the command line. */
export interface FieldSources {
  /** Its stdin is opened only when a field is read from it: opening takes milliseconds. */
  readonly io: Pick<Io, 'stdin'>;
  readonly dates: DateUnit | undefined;
}

/** The way in which a field was given. */
interface Way {
  readonly kind: 'value' | 'file' | 'omit' | 'empty';
  /** The way in an error: `its value`, `--message-file`. */
  readonly words: string;
  readonly texts: readonly string[];
}

/** The fields of an operation as options of a command, or as its arguments. */
export class OperationFields {
  /** The fields that the user fills, in the contract's order. */
  readonly fields: readonly Element[];
  /** The field that is given as arguments: the only field of its operation, if it is a list. */
  readonly argument: Element | undefined;
  readonly #operation: string;
  readonly #options: ReadonlyMap<string, string>;

  static of(operation: OperationName, way: 'with-argument' | 'options-only' = 'with-argument'): OperationFields {
    const { request }: Operation = operations[operation];
    return new OperationFields(operation, request, way === 'with-argument');
  }

  /**
   * @param withArgument true to give a list that is the only field as arguments
   * @param own options that the command has itself
   */
  constructor(operation: string, request: readonly Element[], withArgument: boolean, own?: readonly string[]) {
    this.fields = request.filter(({ filledByClient }) => !filledByClient);
    this.argument =
      withArgument && this.fields.length === 1 && this.fields[0]?.kind === 'list' ? this.fields[0] : undefined;
    this.#operation = operation;
    this.#options = optionNames(
      this.fields.map(({ name }) => name),
      own,
    );
  }

  /** Adds an option for each field, or the arguments. */
  addTo(command: CliCommand, group = 'Fields, each required here or in --defaults:'): void {
    const [first] = this.fields;
    if (!first) return;
    if (this.argument) command.argument(`[${first.name}...]`, this.#describe(first));
    else command.fieldOption = `--${this.#option(first)}`;
    command.optionsGroup(this.argument ? 'Options:' : group);
    for (const field of this.fields) {
      if (field !== this.argument)
        command.addOption(new FieldOption(this.#option(field), field, this.#describe(field)));
    }
    for (const [index, field] of this.fields.filter(canBeFile).entries()) {
      const option = new FileOption(this.#fileOption(field), field, this.argument === undefined);
      // The help has one of these options for all.
      command.addOption(index > 0 ? option.hideHelp() : option);
    }
    if (!this.argument) {
      const absentable = this.fields.filter(({ optional, nillable }) => optional || nillable);
      const lists = this.fields.filter(({ kind }) => kind === 'list');
      this.#addNames(command, 'omit', 'leave fields out', absentable);
      this.#addNames(command, 'empty', 'send lists without an entry', lists);
    }
    const open = this.fields.flatMap((field) => {
      const [, what] = OPEN.exec(this.#documentation(field)) ?? [];
      return what === undefined ? [] : [`${this.#spell(field.name)} (${what})`];
    });
    if (open.length > 0) command.notes.push(`The contract does not define: ${open.join(', ')}.`);
  }

  /**
   * Reads the request that options and arguments ask for. It holds only what was given: the client reports what is
   * missing.
   *
   * @throws {UsageError} for all that is wrong: an invalid value, a field that was given in two ways, a file that
   * cannot be read
   */
  async read(options: FieldValues, args: readonly string[], sources: FieldSources): Promise<FieldValues> {
    this.#checkStdin(options);
    const request: Record<string, unknown> = {};
    await readAll(this.fields, async (field) => {
      const [way, ...others] = this.#waysOf(field, options, args);
      if (!way) return;
      if (others.length > 0) {
        const ways = [way, ...others].map(({ words }) => words).join(' or ');
        throw new UsageError(`${this.#spell(field.name)}: give ${ways}, not both`);
      }
      request[field.name] = await this.#readWay(field, way, sources);
    });
    return request;
  }

  /**
   * Words the client's error about a request for the user: options in place of elements, and all missing options at
   * once.
   *
   * @param defaults the values of fields that the request does not have, and the name of their source
   */
  explain(
    request: FieldValues,
    defaults: { readonly values: object; readonly source: string },
    { field = '', message }: RequestError,
  ): UsageError {
    const [, name = '', index] = /^([^[]*)(?:\[(\d+)\])?$/.exec(field) ?? [];
    const isDefault = (element: string): boolean =>
      !Object.hasOwn(request, element) && Object.hasOwn(defaults.values, element);
    const isMissing = (element: string): boolean => !Object.hasOwn(request, element) && !isDefault(element);
    if (this.#options.has(name) && isMissing(name)) {
      const missing = [...this.#options.keys()].filter(isMissing);
      return new UsageError(`missing: ${missing.map((element) => this.#spellMissing(element)).join(', ')}`);
    }
    const spell = (element: string, place: string | undefined) =>
      (isDefault(element) ? `${defaults.source}: ${element}` : this.#spell(element)) +
      (place === undefined ? '' : ` (value ${Number(place) + 1})`);
    const text = message.replace(`${this.#operation}: `, '').replace(field, () => spell(name, index));
    // One message names all wrong fields.
    return new UsageError(
      text.replace(/(?<=; )(\w+)(?:\[(\d+)\])?(?=: )/g, (whole, element, place) =>
        this.#options.has(element) ? spell(element, place) : whole,
      ),
    );
  }

  #documentation({ name }: Element): string {
    const request = operationDocumentation[this.#operation as OperationName]?.request ?? {};
    return Object.hasOwn(request, name) ? (request[name] as string) : '';
  }

  #describe(field: Element): string {
    const text = this.#documentation(field).replace(OPEN, '').trim().replace(/\.$/, '');
    const what = text === '' ? describeType(valueElement(field)) : text.charAt(0).toLowerCase() + text.slice(1);
    return field.kind === 'list' ? `${what}; one or more` : what;
  }

  #option(field: Element): string {
    return this.#options.get(field.name) as string;
  }

  #fileOption(field: Element): string {
    return fileOption(this.#option(field));
  }

  /** Names a field as the user writes it. */
  #spell(name: string): string {
    return this.argument?.name === name || !this.#options.has(name) ? name : `--${this.#options.get(name)}`;
  }

  #spellMissing(name: string): string {
    const { argument } = this;
    return argument?.name === name ? `${name} (as arguments, or --${this.#fileOption(argument)})` : this.#spell(name);
  }

  #addNames(command: CliCommand, name: string, description: string, fields: readonly Element[]): void {
    if (fields.length === 0) return;
    const names = fields.map((field) => this.#option(field));
    command.addOption(new Option(`--${name} <field...>`, `${description}: ${names.join(', ')}`).choices(names));
  }

  #checkStdin(options: FieldValues): void {
    const readers = this.fields.filter(({ name }) => textsOf(options, fileKey(name))?.includes('-'));
    if (readers.length < 2) return;
    const names = readers.map((field) => `--${this.#fileOption(field)}`).join(' and ');
    throw new UsageError(`${names}: only one can read stdin`);
  }

  /** Lists the ways in which a field was given. */
  #waysOf(field: Element, options: FieldValues, args: readonly string[]): Way[] {
    const isArgument = field === this.argument;
    const texts = isArgument ? args : textsOf(options, fieldKey(field.name));
    const paths = textsOf(options, fileKey(field.name));
    const ways: Way[] = [];
    if (texts?.length) ways.push({ kind: 'value', words: isArgument ? 'arguments' : 'its value', texts });
    if (paths) ways.push({ kind: 'file', words: `--${this.#fileOption(field)}`, texts: paths });
    for (const kind of ['omit', 'empty'] as const) {
      if (textsOf(options, kind)?.includes(this.#option(field))) ways.push({ kind, words: `--${kind}`, texts: [] });
    }
    return ways;
  }

  async #readWay(field: Element, { kind, texts }: Way, { io, dates }: FieldSources): Promise<unknown> {
    if (kind === 'omit') return null;
    if (kind === 'empty') return [];
    const isList = field.kind === 'list';
    const element = valueElement(field);
    const spelling = kind === 'file' ? `--${this.#fileOption(field)}` : this.#spell(field.name);
    if (texts.length > 1 && (!isList || kind === 'file')) {
      // Commander would take the last value, and the first receptor would never get the message.
      throw new UsageError(`${spelling}: takes one value, ${texts.length} are given`);
    }
    const [first = ''] = texts;
    if (kind === 'value') {
      const values = await readAll(texts, (text) => readValue(element, text, spelling, dates));
      return isList ? values : values[0];
    }
    const text = await readText(first, io, spelling);
    if (!isList) return readValue(element, text, spelling, dates);
    return readAll(linesOf(text, spelling), (line, index) =>
      readValue(element, line, `${spelling}: line ${index + 1}`, dates),
    );
  }
}

/** The sentence of the documentation that says what the contract leaves open. */
const OPEN = /The contract does not define (.*)\.$/s;

/** The texts that were given for an option that may be repeated. */
function textsOf(options: FieldValues, key: string): readonly string[] | undefined {
  return options[key] as readonly string[] | undefined;
}

/** Reads one after the other. @throws {UsageError} for all that are wrong, and not only for the first */
async function readAll<T, R>(items: readonly T[], read: (item: T, index: number) => R | Promise<R>): Promise<R[]> {
  const values: R[] = [];
  const problems: string[] = [];
  for (const [index, item] of items.entries()) {
    try {
      values.push(await read(item, index));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      problems.push(error.message);
    }
  }
  if (problems.length > 0) throw new UsageError(problems.join('; '));
  return values;
}

/** True for a text and for a list. A single number is short enough for the command line. */
function canBeFile({ kind }: Element): boolean {
  return kind === 'list' || kind === 'text' || kind === 'enumeration';
}
