import { ConfigurationError, formatOptionProblem, type OptionProblem } from '../errors';
import { type Masker, noMasker } from '../internal/mask';

export interface OptionRow {
  /** Checks a value and returns it as the code uses it. @throws {WrongValue} */
  readonly read: (value: unknown) => unknown;
  /** True for an option that every user must give. An empty text counts as missing. */
  readonly required?: true;
  /** The value of an option that is not given, as `read` would return it. */
  readonly default?: unknown;
  readonly variable?: string;
  /** Has the type of the value that a program gives, where `read` returns another type. It has no value. */
  readonly given?: unknown;
}

export type OptionTable = Readonly<Record<string, OptionRow>>;

/** The words of an option for the command line. */
interface Flag {
  /** The name of the option's value; an option without a value has none. */
  readonly value?: string;
  readonly help: string;
  /** True for a text; the text of any other value is read as a number. */
  readonly isText?: true;
  readonly choices?: readonly string[];
  /** The variable that gives the value on the command line too. */
  readonly variable?: string;
}

export interface FlagRow extends OptionRow {
  /** The option of the command line that sets it. Its name is the option's name in kebab case. */
  readonly flag?: Flag;
}

export type FlagTable = Readonly<Record<string, FlagRow>>;

/** The values of the options of a table: checked, and with every default in place. */
export type ResolvedOptions<Table extends OptionTable> = { readonly [K in keyof Table]: ResolvedOption<Table[K]> };
type ResolvedOption<Row extends OptionRow> =
  | ReturnType<Row['read']>
  | (Row extends { required: true } | { default: NonNullable<unknown> } ? never : undefined);

/** The options of a table as a program gives them. Each has the words that it has in the table. */
export type GivenOptions<Table extends OptionTable> = {
  readonly [K in keyof Table as Table[K] extends { required: true } ? K : never]: GivenOption<Table[K]>;
} & {
  readonly [K in keyof Table as Table[K] extends { required: true } ? never : K]?: GivenOption<Table[K]> | undefined;
};
type GivenOption<Row extends OptionRow> = Row extends { readonly given: infer Given } ? Given : ReturnType<Row['read']>;

/** A part of a row: a program gives a value of this type, and `read` returns another type. */
export function givenAs<Given>(): { readonly given: Given } {
  return {} as { readonly given: Given };
}

/** Thrown for wrong options. The names of its problems are empty, or those of settings inside the option. */
export class WrongValue extends TypeError {
  constructor(readonly problems: readonly OptionProblem[]) {
    super(
      problems.map((problem) => (problem.option === '' ? problem.message : formatOptionProblem(problem))).join('; '),
    );
  }
}

/**
 * Refuses the value of an option.
 *
 * @param message completes a sentence that begins with the option's name and a colon
 */
export function refuseValue(message: string): never {
  throw new WrongValue([{ option: '', message }]);
}

/** The error of one wrong option. @param message completes a sentence that begins with the option's name and a colon */
export function wrongOption(option: string, message: string): ConfigurationError {
  return new ConfigurationError({ problems: [{ option, message }] });
}

/**
 * Checks options and fills in the defaults. Callers use the values that it returns, and never the given ones: a getter
 * may give another value the next time.
 *
 * @param masker masks the API key, which may have been given to the wrong option
 * @param known problems that were found before. An option with such a problem is not read
 * @throws {ConfigurationError} that names every missing, wrong and unknown option
 */
export function checkOptions<Table extends OptionTable>(
  table: Table,
  given: unknown,
  { mask }: Masker = noMasker,
  known: readonly OptionProblem[] = [],
): ResolvedOptions<Table> {
  try {
    return readOptions(table, given, 'option', known);
  } catch (error) {
    if (!(error instanceof WrongValue)) throw error;
    const problems = error.problems.map(({ option, message, ...others }) => ({
      option: option === '' ? 'options' : mask(option),
      message: mask(message),
      ...others,
    }));
    throw new ConfigurationError({ problems });
  }
}

/**
 * Reads the options of a table from an object.
 *
 * @param noun what the names are. Null and an empty text are values of a field, as in JSON, and missing options.
 * @param known problems that were found before. An option with such a problem is not read
 * @throws {WrongValue} with all problems
 */
export function readOptions<Table extends OptionTable>(
  table: Table,
  given: unknown,
  noun: 'option' | 'field' | 'parameter' = 'option',
  known: readonly OptionProblem[] = [],
): ResolvedOptions<Table> {
  if (!isObject(given)) return refuseValue('an object is needed');
  const values: Record<string, unknown> = {};
  const problems: OptionProblem[] = [];
  for (const option in table) {
    problems.push(...known.filter((problem) => rootOf(problem) === option));
    if (problems.some((problem) => problem.option === option)) continue;
    const row: OptionRow = table[option] as OptionRow;
    const value = given[option];
    const isEmpty = noun === 'option' && (value === null || (row.required === true && value === ''));
    try {
      const read = value === undefined || isEmpty ? missingValue(row) : row.read(value);
      if (read !== undefined) values[option] = read;
    } catch (error) {
      if (!(error instanceof WrongValue)) throw error;
      problems.push(...error.problems.map((problem) => nameProblem(problem, option, row)));
    }
  }
  problems.push(...known.filter((problem) => !Object.hasOwn(table, rootOf(problem))));
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(table, name));
  for (const [index, option] of unknown.entries()) {
    // The last problem lists the names.
    const names = Object.keys(table).join(', ');
    const list = index === unknown.length - 1 && names !== '' ? ` (${noun}s: ${names})` : '';
    problems.push({ option, message: `no such ${noun}${list}` });
  }
  if (problems.length > 0) throw new WrongValue(problems);
  return values as ResolvedOptions<Table>;
}

/** Makes a reader of a list. A problem of an item is named by its index: `[0].name`. */
export function listOf<T>(read: (value: unknown) => T): (value: unknown) => readonly T[] {
  return (value) => {
    if (!Array.isArray(value)) return refuseValue('a list is needed');
    return value.map((item, index) => readNamed(`[${index}]`, () => read(item)));
  };
}

/** Reads a part of a value. A problem of the part is named by the part. */
export function readNamed<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof WrongValue)) throw error;
    throw new WrongValue(error.problems.map((problem) => nameProblem(problem, name)));
  }
}

/** True for an object that is not a list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function missingValue(row: OptionRow): unknown {
  return row.required ? refuseValue('missing') : row.default;
}

/** The option that a problem is about, also when it is about a setting inside the option. */
function rootOf({ option }: OptionProblem): string {
  return option.replace(/[.[].*/s, '');
}

function nameProblem(
  { option: inner, message, variable }: OptionProblem,
  option: string,
  row?: OptionRow,
): OptionProblem {
  const name = inner === '' || inner.startsWith('[') ? `${option}${inner}` : `${option}.${inner}`;
  const own = variable ?? row?.variable;
  return { option: name, message, ...(own !== undefined && { variable: own }) };
}
