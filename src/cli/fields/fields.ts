import { Option } from 'commander';
import type { RequestError } from '../../errors';
import { quoteForShell } from '../../internal/strings';
import {
  type Field,
  isClientElement,
  type Operation,
  type OperationName,
  operations,
} from '../../soap/elements/legacy-fields';
import type { CliCommand } from '../commander/command';
import { UsageError } from '../terminal/failure';
import type { Io } from '../terminal/io';
import type { DateUnit } from './dates';
import { linesOf, readText, readValue, typeText } from './field-values';
import { fileOption, optionNames } from './option-names';

/** A request as the client takes it. */
export type FieldValues = Readonly<Record<string, unknown>>;

/** Where values come from beside the command line. */
export interface FieldSources {
  /** Its stdin is opened only when a field is read from it: that takes milliseconds. */
  readonly io: Pick<Io, 'stdin'>;
  readonly dates: DateUnit | undefined;
}

/** The fields of an operation as options of a command, or as its arguments. */
export class OperationFields {
  /** The fields that the user fills, in the contract's order. */
  readonly fields: readonly Field[];
  /** The field that is given as arguments: the only field of its operation, if it is a list. */
  readonly argument: Field | undefined;
  readonly #operation: string;
  readonly #options: ReadonlyMap<string, string>;

  static of(operation: OperationName, way: 'with-argument' | 'options-only' = 'with-argument'): OperationFields {
    return new OperationFields(operation, (operations[operation] as Operation).request, way === 'with-argument');
  }

  /**
   * @param withArgument whether a list that is the only field is given as arguments
   * @param own options that the command has itself
   */
  constructor(operation: string, request: readonly Field[], withArgument: boolean, own?: readonly string[]) {
    this.fields = request.filter(({ name }) => !isClientElement(name));
    this.argument = withArgument && this.fields.length === 1 && this.fields[0]?.item ? this.fields[0] : undefined;
    this.#operation = operation;
    this.#options = optionNames(
      this.fields.map(({ name }) => name),
      own,
    );
  }

  /**
   * Adds an option for each field, or the arguments.
   *
   * @param note what the help says at the end of each field
   */
  addTo(command: CliCommand, group = 'Fields:', note = '; required'): void {
    if (this.fields.length === 0) return;
    if (this.argument) {
      command.argument(`[${this.argument.name}...]`);
      const { argument } = this;
      const ways = `one or more, or --${this.#fileOption(argument)} <path>`;
      describeLater(command.registeredArguments[0], () => `${this.#help(argument)}; ${ways}`);
    } else {
      command.fieldOption = `--${this.#option(this.fields[0] as Field)}`;
    }
    command.optionsGroup(group);
    for (const field of this.fields) {
      if (field !== this.argument)
        command.addOption(new FieldOption(this.#option(field), field, () => this.#help(field), note));
      if (canBeFile(field)) command.addOption(new FileOption(this.#fileOption(field), field));
    }
    const absentable = this.fields.filter(({ optional, nillable }) => optional || nillable);
    const lists = this.fields.filter(({ item }) => item !== undefined);
    if (!this.argument) {
      this.#addNames(command, 'omit', 'fields to leave out of the request', absentable);
      this.#addNames(command, 'empty', 'lists to send without an entry', lists);
    }
    if (this.fields.some(canBeFile)) command.addHelpText('after', fileHelp);
  }

  /**
   * The request that options and arguments ask for. It holds only what was given: the client reports what is missing.
   *
   * @throws {UsageError} for all that is wrong: an invalid value, a field that was given in two ways, a file that cannot be read
   */
  async read(options: FieldValues, args: readonly string[], sources: FieldSources): Promise<FieldValues> {
    this.#checkStdin(options);
    const request: Record<string, unknown> = {};
    await readAll(this.fields, async (field) => {
      const ways = this.#ways(field, options, args);
      if (ways.length > 1)
        throw new UsageError(`${this.#spell(field.name)}: give ${ways.map(([way]) => way).join(' or ')}, not both`);
      const [way] = ways;
      if (way) request[field.name] = await this.#readWay(field, way, sources);
    });
    return request;
  }

  /** The options that give the same again, for a command line that a user pastes. */
  spellGiven(options: FieldValues): string[] {
    return this.fields.flatMap((field) =>
      this.#ways(field, options, []).map(([, kind, texts]) => {
        if (kind === 'omit' || kind === 'empty') return `--${kind} ${this.#option(field)}`;
        const option = kind === 'file' ? this.#fileOption(field) : this.#option(field);
        return `--${option} ${texts.map(quoteForShell).join(' ')}`;
      }),
    );
  }

  /**
   * The client's error about a request, in the user's words: options in place of elements, and all missing ones at once.
   *
   * @param defaults the settings' values of fields that the request does not have, and what to call them
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
    const own = isDefault(name) ? `${defaults.source}: ${name}` : this.#spell(name);
    const spelling = `${own}${index === undefined ? '' : ` (value ${Number(index) + 1})`}`;
    return new UsageError(message.replace(`${this.#operation}: `, '').replace(field, () => spelling));
  }

  #help(field: Field): string {
    // Loaded here: only the help shows it.
    const { operationDocumentation } =
      require('../../../generated/documentation') as typeof import('../../../generated/documentation');
    const request = operationDocumentation[this.#operation as OperationName]?.request ?? {};
    return Object.hasOwn(request, field.name) ? `${request[field.name]} (${typeText(field)})` : typeText(field);
  }

  #option(field: Field): string {
    return this.#options.get(field.name) as string;
  }

  #fileOption(field: Field): string {
    return fileOption(this.#option(field));
  }

  /** A field as the user writes it. */
  #spell(name: string): string {
    return this.argument?.name === name || !this.#options.has(name) ? name : `--${this.#options.get(name)}`;
  }

  #spellMissing(name: string): string {
    const { argument } = this;
    return argument?.name === name ? `${name} (as arguments, or --${this.#fileOption(argument)})` : this.#spell(name);
  }

  #addNames(command: CliCommand, name: string, description: string, fields: readonly Field[]): void {
    if (fields.length === 0) return;
    const names = fields.map((field) => this.#option(field));
    command.addOption(new Option(`--${name} <field...>`, `${description}: ${names.join(', ')}`).choices(names));
  }

  #checkStdin(options: FieldValues): void {
    const readers = this.fields.filter((field) => (options[fileKey(field)] as string[] | undefined)?.includes('-'));
    if (readers.length < 2) return;
    throw new UsageError(
      `${readers.map((field) => `--${this.#fileOption(field)}`).join(' and ')}: only one can read stdin`,
    );
  }

  /** The ways in which a field was given: each with its option, and with its texts where it has any. */
  #ways(field: Field, options: FieldValues, args: readonly string[]): Way[] {
    const option = this.#option(field);
    const isNamed = (names: unknown): boolean => (names as readonly string[] | undefined)?.includes(option) ?? false;
    const texts = field === this.argument ? args : (options[fieldKey(field)] as readonly string[] | undefined);
    const paths = options[fileKey(field)] as readonly string[] | undefined;
    const ways: Way[] = [];
    if (texts && texts.length > 0) ways.push([field === this.argument ? 'arguments' : 'its value', 'value', texts]);
    if (paths) ways.push([`--${this.#fileOption(field)}`, 'file', paths]);
    if (isNamed(options.omit)) ways.push(['--omit', 'omit', []]);
    if (isNamed(options.empty)) ways.push(['--empty', 'empty', []]);
    return ways;
  }

  async #readWay(field: Field, [, kind, texts]: Way, { io, dates }: FieldSources): Promise<unknown> {
    if (kind === 'omit') return null;
    if (kind === 'empty') return [];
    const spelling = kind === 'file' ? `--${this.#fileOption(field)}` : this.#spell(field.name);
    if (texts.length > 1 && (field.item === undefined || kind === 'file')) {
      // Commander would take the last one, and the first receptor would never get the message.
      throw new UsageError(`${spelling}: takes one value, ${texts.length} are given`);
    }
    const [first = ''] = texts;
    if (kind === 'value') {
      const values = await readAll(texts, (text) => readValue(field, text, spelling, dates));
      return field.item === undefined ? values[0] : values;
    }
    const text = await readText(first, io, spelling);
    if (field.item === undefined) return readValue(field, text, spelling, dates);
    return readAll(linesOf(text, spelling), (line, index) =>
      readValue(field, line, `${spelling}: line ${index + 1}`, dates),
    );
  }
}

type Way = readonly [words: string, kind: 'value' | 'file' | 'omit' | 'empty', texts: readonly string[]];

const fileHelp = `
Each text and each list can also be read from a file, which --<field>-file <path>
names; - is stdin. A list has one value per line. One line end at the end of the
file is not part of a text.`;

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

/** A number that is not a list is short enough for the command line. */
function canBeFile({ type, item }: Field): boolean {
  return item !== undefined || type === 'string';
}

/** Sets a description that is made when the help asks for it. */
function describeLater(target: { description: string } | undefined, get: () => string): void {
  Object.defineProperty(target, 'description', { get });
}

/** Where Commander keeps the values of a field. Prefixed, so that no element name meets an option of the program. */
function fieldKey({ name }: Field): string {
  return `field:${name}`;
}

function fileKey({ name }: Field): string {
  return `file:${name}`;
}

/** An option that keeps every value, under a key that Commander does not derive from its name. */
class KeyedOption extends Option {
  readonly #key: string;

  constructor(flags: string, description: string, key: string) {
    super(flags, description);
    this.#key = key;
    // Commander takes --no-reply for the opposite of --reply.
    this.negate = false;
    this.argParser((text: string, previous: string[] | undefined) => {
      if (!previous) return [text];
      previous.push(text);
      return previous;
    });
  }

  override attributeName(): string {
    return this.#key;
  }
}

class FieldOption extends KeyedOption {
  constructor(option: string, field: Field, help: () => string, note: string) {
    const list = field.item === undefined ? '' : '; one or more, may be repeated';
    super(`--${option} <${field.type}${list && '...'}>`, '', fieldKey(field));
    describeLater(this, () => `${help()}${list}${note}`);
  }
}

class FileOption extends KeyedOption {
  constructor(option: string, field: Field) {
    super(`--${option} <path>`, `${field.name} from a file, - for stdin`, fileKey(field));
    // The help has one sentence for all of them.
    this.hideHelp();
  }
}
