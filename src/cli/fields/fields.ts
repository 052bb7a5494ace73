import { Option } from 'commander';
import { operationDocumentation } from '../../../generated/documentation';
import { type OperationName, operations } from '../../../generated/operations';
import type { DateUnit } from '../../client/options/settings';
import type { RequestError } from '../../errors';
import type { Element, Operation } from '../../soap/element';
import { describeValue } from '../../soap/values';
import type { CliCommand } from '../commander/command';
import { UsageError } from '../terminal/failure';
import type { Io } from '../terminal/io';
import { linesOf, readText, readValue, valueElement } from './field-values';
import { fileOption, optionNames } from './option-names';
import { splitReceptors } from './receptors';

export type FieldValues = Readonly<Record<string, unknown>>;

/** Sources of values beside the command line. */
interface FieldSources {
  /** Its stdin is opened only when a field is read from it: opening takes milliseconds. */
  readonly io: Pick<Io, 'stdin'>;
  readonly dates: DateUnit | undefined;
  /** Ends the reading of stdin. */
  readonly signal: AbortSignal | undefined;
}

/** An option that gives a field. It keeps every value, so that a second value of a single field can be refused. */
class FieldOption extends Option {
  constructor(flags: string, description: string) {
    super(flags, description);
    // Commander takes --no-reply for the opposite of --reply.
    this.negate = false;
    this.argParser((text: string, previous: string[] | undefined) => {
      if (!previous) return [text];
      previous.push(text);
      return previous;
    });
  }

  /** The dashes keep the names of elements, such as `constructor`, apart from those of Commander and JavaScript. */
  override attributeName(): string {
    return this.long ?? '';
  }
}

/** A field with its words on the command line. */
interface Field {
  readonly element: Element;
  /** The option that gives a value, with its dashes, and the option that names a file. */
  readonly option: string;
  readonly file: string;
  /** The name of the field as the user writes it. */
  readonly spelling: string;
  /** The words of the contract about the field, and what it leaves open. */
  readonly text: string;
  readonly open: string | undefined;
}

/** The fields of an operation as options of a command, or as its arguments. */
export class OperationFields {
  /** The fields that the user fills, in the contract's order. */
  readonly fields: readonly Element[];
  /** The field that is given as arguments: the only field of its operation, if it is a list. */
  readonly argument: Element | undefined;
  readonly #fields: ReadonlyMap<string, Field>;

  static of(operation: OperationName): OperationFields {
    const { request }: Operation = operations[operation];
    return new OperationFields([operation], request);
  }

  /** @param operations those whose documentation describes the fields @param own options that the command has itself */
  constructor(operations: readonly OperationName[], request: readonly Element[], own?: readonly string[]) {
    this.fields = request.filter(({ filledByClient }) => !filledByClient);
    const [first] = this.fields;
    this.argument = this.fields.length === 1 && first?.kind === 'list' ? first : undefined;
    const documentation = new Map(
      operations.toReversed().flatMap((operation) => Object.entries(operationDocumentation[operation]?.request ?? {})),
    );
    const elements = new Map(this.fields.map((element) => [element.name, element]));
    const fieldOf = (element: Element, name: string): Field => {
      const { text, open } = splitDocumentation(documentation.get(element.name));
      const [option, file] = [`--${name}`, `--${fileOption(name)}`];
      return { element, option, file, spelling: element === this.argument ? element.name : option, text, open };
    };
    const names = [...optionNames([...elements.keys()], own)];
    this.#fields = new Map(names.map(([name, option]) => [name, fieldOf(elements.get(name) as Element, option)]));
  }

  addTo(command: CliCommand, group = 'Fields, each required here or in --defaults:'): void {
    const { argument } = this;
    const all = [...this.#fields.values()];
    const isOptional = ({ element }: Field) => element.omittable === true;
    const fields = [...all.filter((field) => !isOptional(field)), ...all.filter(isOptional)];
    command.optionsGroup(argument ? 'Options:' : group);
    for (const field of fields) {
      const { element, option: name } = field;
      if (isOptional(field) && !argument) command.optionsGroup('Optional fields:');
      const value = valueElement(element);
      const type = value.kind === 'integer' ? value.type : value.kind === 'boolean' ? 'boolean' : 'string';
      const list = element.kind === 'list' ? '...' : '';
      const option = new FieldOption(`${name} <${type}${list}>`, helpOf(field));
      // For completion: readValue checks the value, and names all that is wrong at once.
      if (value.kind === 'enumeration') option.argChoices = [...value.values];
      if (value.kind === 'boolean') option.argChoices = ['true', 'false'];
      if (element === argument) command.argument(`[${element.name}...]`, option.description);
      else command.addOption(option);
    }
    for (const [index, { element, file }] of fields.filter(({ element }) => canBeFile(element)).entries()) {
      const what = element.kind === 'list' ? 'read them from a file, one per line' : 'read it from a file';
      const others = argument ? '' : ', as any text or list';
      const option = new FieldOption(`${file} <path>`, `${what}, - for stdin${others}`);
      // The help has one of these options for all.
      command.addOption(index > 0 ? option.hideHelp() : option);
    }
    const absentable = fields.filter(({ element }) => element.optional || element.nillable);
    if (!argument && absentable.length > 0) {
      const names = absentable.map(({ option }) => option.slice(2));
      command.addOption(new Option('--omit <field...>', `leave fields out: ${names.join(', ')}`).choices(names));
    }
    const open = fields.flatMap(({ spelling, open }) => (open === undefined ? [] : [`${spelling} (${open})`]));
    if (open.length > 0) command.notes.push(`The contract does not define: ${open.join(', ')}.`);
  }

  /** Makes a command line with a value for each field. */
  example(command: string): string {
    const values = [...this.#fields.values()].map(({ element, option }) => {
      const { kind, ...value } = valueElement(element);
      const text =
        kind === 'integer' ? '1' : kind === 'boolean' ? 'true' : 'values' in value ? value.values[0] : 'text';
      return element === this.argument ? text : `${option} ${text}`;
    });
    return [command, ...values].join(' ');
  }

  /**
   * Reads the request that options and arguments ask for. It holds only what was given: the client reports what is
   * missing.
   *
   * @throws {UsageError} for all that is wrong: an invalid value, a field that was given in two ways, a file that
   * cannot be read
   */
  async read(options: FieldValues, args: readonly string[], sources: FieldSources): Promise<FieldValues> {
    const request: Record<string, unknown> = {};
    let stdinOption: string | undefined;
    await readAll([...this.#fields.values()], async ({ element, option, file, spelling }) => {
      const isArgument = element === this.argument;
      const texts = isArgument ? args : textsOf(options, option);
      const given = element.name === 'receptor' ? texts.flatMap(splitReceptors) : texts;
      const paths = textsOf(options, file);
      const isOmitted = textsOf(options, 'omit').includes(option.slice(2));
      const ways = [given.length > 0 && (isArgument ? 'arguments' : 'its value'), paths.length > 0 && file];
      const words = [...ways, isOmitted && '--omit'].filter(Boolean);
      if (words.length > 1) throw new UsageError(`${spelling}: give ${words.join(' or ')}, not both`);
      if (paths.includes('-')) {
        if (stdinOption !== undefined) throw new UsageError(`${stdinOption} and ${file}: only one can read stdin`);
        stdinOption = file;
      }
      if (isOmitted) request[element.name] = null;
      else if (paths.length > 0) request[element.name] = await readFile(element, paths, file, sources);
      else if (given.length > 0) request[element.name] = await readGiven(element, given, spelling, sources);
    });
    return request;
  }

  /**
   * Words the client's error about a request for the user, with options in place of elements.
   *
   * @param defaults the values of fields that the request does not have, and the name of their source
   */
  explain(
    request: FieldValues,
    defaults: { readonly values: object; readonly source: string },
    { problems, message }: RequestError,
  ): UsageError {
    const isDefault = (field: string) => !Object.hasOwn(request, field) && Object.hasOwn(defaults.values, field);
    const isMissing = (field: string) => !Object.hasOwn(request, field) && !isDefault(field);
    const missing = problems.filter(({ field }) => isMissing(field)).map(({ field }) => this.#wayOf(field));
    const wrong = problems
      .filter(({ field }) => !isMissing(field))
      .map(({ field, index, message: reason }) => {
        const name = isDefault(field) ? `${defaults.source}: ${field}` : (this.#fields.get(field)?.spelling ?? field);
        return `${name}${index === undefined ? '' : ` (value ${index + 1})`}: ${reason}`;
      });
    const others = wrong.splice(MAX_PROBLEMS).length;
    if (others > 0) wrong.push(`and ${others} more`);
    const words = [...(missing.length > 0 ? [`missing: ${missing.join(', ')}`] : []), ...wrong];
    return new UsageError(words.length > 0 ? words.join('; ') : message);
  }

  /** How a user gives a field. */
  #wayOf(field: string): string {
    const { element, spelling = field, file } = this.#fields.get(field) ?? {};
    return element && element === this.argument ? `${spelling} (as arguments, or ${file})` : spelling;
  }
}

/** The number of wrong values that are named. A list may have thousands. */
const MAX_PROBLEMS = 10;

function helpOf({ element, text }: Field): string {
  const { kind } = valueElement(element);
  const plain = kind === 'integer' ? 'a whole number' : describeValue(valueElement(element));
  const what = text === '' ? plain : text.charAt(0).toLowerCase() + text.slice(1);
  return element.kind === 'list' ? `${what}; one or more` : what;
}

async function readGiven(field: Element, texts: readonly string[], spelling: string, { dates }: FieldSources) {
  const values = await readAll(texts, (text) => readValue(valueElement(field), text, spelling, dates));
  return field.kind === 'list' ? values : onlyOne(values, spelling);
}

async function readFile(field: Element, paths: readonly string[], spelling: string, sources: FieldSources) {
  const { dates } = sources;
  const element = valueElement(field);
  const text = await readText(onlyOne(paths, spelling), sources, spelling);
  if (field.kind !== 'list') return readValue(element, text, spelling, dates);
  return readAll(linesOf(text, spelling), (line, index) =>
    readValue(element, line, `${spelling}: line ${index + 1}`, dates),
  );
}

/** Commander would take the last value, and the first receptor would never get the message. */
function onlyOne<T>([first, ...others]: readonly T[], spelling: string): T {
  if (others.length > 0) throw new UsageError(`${spelling}: takes one value, ${others.length + 1} are given`);
  return first as T;
}

/** The sentence of the documentation that says what the contract leaves open. */
const OPEN = /The contract does not define (.*)\.$/s;

/** Splits the documentation of an element into what it is, without a full stop, and what the contract leaves open. */
export function splitDocumentation(documentation = ''): { readonly text: string; readonly open: string | undefined } {
  return { text: documentation.replace(OPEN, '').trim().replace(/\.$/, ''), open: OPEN.exec(documentation)?.[1] };
}

/** The texts that were given for an option that may be repeated. */
function textsOf(options: FieldValues, key: string): readonly string[] {
  return (options[key] as readonly string[] | undefined) ?? [];
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
