import { settingNames } from '../../client/options/settings';
import { type ConfigurationError, formatOptionProblem } from '../../errors';
import { UsageError } from '../terminal/failure';

/**
 * A name as an option, without the leading dashes: `startUnixdate` is `start-unixdate`, `clientMessageID` is
 * `client-message-id`, `local_id` and `local.id` are `local-id`.
 */
export function kebabCase(name: string): string {
  return (
    name
      .replace(/([^A-Z])([A-Z])/g, '$1-$2')
      // The last capital of several begins a word (URLField), but not the one of a plural (messageIDs).
      .replace(/([A-Z])([A-Z](?!s(?![a-z]))[a-z])/g, '$1-$2')
      .replace(/[-_.]+/g, '-')
      .replace(/^-|-$/g, '')
      .toLowerCase()
  );
}

/** An option of the library as the user writes it: `batchSize` is `--batch-size`. */
export function flagOf(option: string): string {
  return `--${kebabCase(option)}`;
}

/**
 * The message of a ConfigurationError with the options as the user writes them.
 *
 * @param spell returns the option of a problem
 */
export function spellProblems(
  { problems, message }: Pick<ConfigurationError, 'problems' | 'message'>,
  spell = flagOf,
): string {
  if (problems.length === 0) return message;
  return problems.map((problem) => formatOptionProblem({ ...problem, option: spell(problem.option) })).join('; ');
}

/**
 * Runs work of the library, whose errors then name options as the user writes them.
 *
 * @param spellings the options that the command line spells in another way
 * @throws {UsageError} in place of a ConfigurationError
 */
export async function withSpelledOptions<T>(
  spellings: Readonly<Record<string, string>>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // In the package the command is bundled and the sandbox is not, so that each has an error class of its own.
    if ((error as Error).name !== 'ConfigurationError') throw error;
    const spell = (option: string) => {
      // A repeated option is a list of the library.
      const name = option.replace(/\[\d+\]$/, '');
      return spellings[name] ?? flagOf(name);
    };
    throw new UsageError(spellProblems(error as ConfigurationError, spell), { cause: error });
  }
}

/** The options that the commands of operations have themselves. A field of that name gets a prefix. */
export const ownOptions: readonly string[] = [
  ...settingNames.map(kebabCase),
  ...['profile', 'output', 'columns', 'spreadsheet', 'verbose', 'help', 'version'],
  ...['omit', 'follow', 'every', 'within', 'dry-run', 'as-is', 'yes'],
];

/** Before the option of a field whose own name is taken: `output` becomes `--field-output`. */
const PREFIX = 'field-';

export class OptionConflict extends Error {
  override name = 'OptionConflict';

  constructor(
    readonly fields: readonly [string, string],
    option: string,
  ) {
    super(`the fields ${fields.join(' and ')} have the same option --${option}`);
  }
}

/**
 * The options of an operation's fields, by element name, without the leading dashes. Any legal element name gets one.
 * Each field also has `<option>-file`, and no two of all these are equal.
 *
 * @param own options that the command has itself
 * @throws {OptionConflict} when two fields have the same option
 */
export function optionNames(fields: readonly string[], own = ownOptions): ReadonlyMap<string, string> {
  const taken = new Set([...own, ...fields.map((field) => fileOption(kebabCase(field)))]);
  const names = new Map<string, string>();
  const owners = new Map<string, string>();
  for (const field of fields) {
    const plain = kebabCase(field);
    const option = plain === '' ? PREFIX + field : taken.has(plain) ? PREFIX + plain : plain;
    for (const name of [option, fileOption(option)]) {
      const owner = owners.get(name);
      if (owner !== undefined) throw new OptionConflict([owner, field], name);
      owners.set(name, field);
    }
    names.set(field, option);
  }
  return names;
}

export function fileOption(option: string): string {
  return `${option}-file`;
}
