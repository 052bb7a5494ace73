import { type Command, Option } from 'commander';
import { type Field, type Operation, type OperationName, operations } from '../../generated/operations';
import type { RequestError } from '../errors';
import { type IntegerType, integerRanges, parseInteger } from '../xml/integers';
import { UsageError } from './failure';
import { kebabCase } from './option-names';

/** The elements that the client fills. */
const CLIENT_FIELDS: ReadonlySet<string> = new Set(['apikey', 'status', 'statusmessage']);

const HELP: Readonly<Record<string, string>> = {
  string: 'text',
  long: 'whole number, 64 bits',
  int: 'whole number, 32 bits',
  short: 'whole number, 16 bits',
};

/** A request as the client takes it. */
export type FieldValues = Readonly<Record<string, unknown>>;

/** The fields that the user fills, in the contract's order. */
export function fieldsOf(operation: OperationName): readonly Field[] {
  const { request }: Operation = operations[operation];
  return request.filter(({ name }) => !CLIENT_FIELDS.has(name));
}

/** The field that is given as arguments: the only field of its operation, if it is a list. */
export function argumentOf(operation: OperationName): Field | undefined {
  const [first, ...others] = fieldsOf(operation);
  return others.length === 0 && first?.item !== undefined ? first : undefined;
}

/** A field as the user writes it. */
function spell(operation: OperationName, name: string): string {
  return argumentOf(operation)?.name === name ? name : `--${kebabCase(name)}`;
}

/** Adds an option for each field, or the arguments. */
export function addFields(command: Command, operation: OperationName): void {
  const argument = argumentOf(operation);
  if (argument) {
    command.argument(`<${argument.name}...>`, `${HELP[argument.type]}; one or more`);
    return;
  }
  command.optionsGroup('Fields:');
  const fields = fieldsOf(operation);
  for (const field of fields) {
    const placeholder = field.item === undefined ? `<${field.type}>` : `<${field.type}...>`;
    const list = field.item === undefined ? '' : '; one or more, may be repeated';
    command.addOption(
      new Option(`--${kebabCase(field.name)} ${placeholder}`, `${HELP[field.type]}${list}`).argParser(collect),
    );
  }
  const absentable = fields.filter(({ optional }) => optional);
  const lists = fields.filter(({ item }) => item !== undefined);
  addFieldNames(command, 'omit', 'fields to leave out of the request', absentable);
  addFieldNames(command, 'empty', 'lists to send without an entry', lists);
}

/**
 * The request that options and arguments ask for. It holds only what was given: the client reports what is missing.
 *
 * @throws {UsageError} for an invalid number, and for a field that was given in two ways
 */
export function readRequest(
  operation: OperationName,
  options: Readonly<Record<string, unknown>>,
  args: readonly string[],
): FieldValues {
  const argument = argumentOf(operation);
  if (argument) return { [argument.name]: args.map((text) => readValue(operation, argument, text)) };
  const request: Record<string, unknown> = {};
  for (const field of fieldsOf(operation)) {
    const texts = options[field.name] as readonly string[] | undefined;
    const special = (['omit', 'empty'] as const).filter((name) =>
      readNames(options[name]).includes(kebabCase(field.name)),
    );
    const spelling = spell(operation, field.name);
    if (special.length > 1 || (special[0] && texts)) {
      throw new UsageError(`${spelling}: give ${texts ? 'its value' : '--omit'} or --${special.at(-1)}, not both`);
    }
    if (special[0]) request[field.name] = special[0] === 'omit' ? null : [];
    else if (texts) request[field.name] = readField(operation, field, texts);
  }
  return request;
}

/** What the client says of a request, in the user's words: options in place of the contract's names, and all missing ones at once. */
export function explainRequest(operation: OperationName, request: FieldValues, error: RequestError): UsageError {
  const [, name = '', index] = /^([^[]*)(?:\[(\d+)\])?$/.exec(error.field ?? '') ?? [];
  const fields = fieldsOf(operation).map((field) => field.name);
  if (fields.includes(name) && !Object.hasOwn(request, name)) {
    const missing = fields.filter((field) => !Object.hasOwn(request, field));
    return new UsageError(`missing: ${missing.map((field) => spell(operation, field)).join(', ')}`);
  }
  const spelling = `${spell(operation, name)}${index === undefined ? '' : ` (value ${Number(index) + 1})`}`;
  return new UsageError(error.message.replace(`${operation}: `, '').replace(error.field ?? '', () => spelling));
}

function readField(operation: OperationName, field: Field, texts: readonly string[]): unknown {
  const values = texts.map((text) => readValue(operation, field, text));
  if (field.item !== undefined) return values;
  // Commander would take the last one, and the first receptor would never get the message.
  if (values.length > 1)
    throw new UsageError(`${spell(operation, field.name)}: takes one value, ${values.length} are given`);
  return values[0];
}

function readValue(operation: OperationName, { name, type }: Field, text: string): unknown {
  if (type === 'string') return text;
  // The generator refuses records in requests.
  const value = parseInteger(type as IntegerType, text);
  if (value !== undefined) return value;
  const { min, max } = integerRanges[type as IntegerType];
  const reason = /^\s*[+-]?\d+\s*$/.test(text)
    ? `is not within xsd:${type} (${min} to ${max})`
    : 'is not a whole number';
  throw new UsageError(`${spell(operation, name)}: ${JSON.stringify(text)} ${reason}`);
}

function addFieldNames(command: Command, name: string, description: string, fields: readonly Field[]): void {
  if (fields.length === 0) return;
  const names = fields.map((field) => kebabCase(field.name));
  command.addOption(new Option(`--${name} <field...>`, `${description}: ${names.join(', ')}`).choices(names));
}

function readNames(value: unknown): readonly string[] {
  return (value as readonly string[] | undefined) ?? [];
}

/** Keeps every value of an option, so that readField can refuse a second one. */
function collect(text: string, previous: string[] | undefined): string[] {
  if (!previous) return [text];
  previous.push(text);
  return previous;
}
