import { Command, type ErrorOptions } from 'commander';
import { settingRows } from '../../client/options/settings';
import { UsageError } from '../terminal/failure';
import type { Io } from '../terminal/io';
import type { OutputStream } from '../terminal/output-stream';
import { CliHelp } from './help';

/** The parts of the process that every command receives. */
export interface Context {
  readonly io: Io;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Prints a line on stderr, for what is not data. */
  readonly log: (message: string) => void;
}

/** Adds a description, options, an action and examples to a command. */
export type Define = (command: CliCommand, context: Context) => void;

/**
 * Commander's command with examples, with subcommands that are defined when they are used, and with errors of one line.
 */
export class CliCommand extends Command {
  /** Command lines for the help, without the program's name. */
  readonly examples: string[] = [];
  /** Sentences at the end of the help. */
  readonly notes: string[] = [];
  readonly #definitions = new Map<Command, () => void>();

  constructor(name?: string) {
    super(name);
    this.hook('preSubcommand', (_, command) => this.#define(command));
    this.hook('preAction', (_, command) => this.#checkBefore(command as CliCommand));
  }

  override createHelp(): CliHelp {
    return Object.assign(new CliHelp(), this.configureHelp());
  }

  override createCommand(name?: string): CliCommand {
    return new CliCommand(name);
  }

  /** Adds a subcommand that is defined when it is used, since a process uses one of all commands. */
  addSubcommand(name: string, summary: string, define: (command: CliCommand) => void): CliCommand {
    const command = this.command(name).summary(summary);
    this.#definitions.set(command, () => define(command));
    return command;
  }

  /** Finds a subcommand, with all that it is defined to have. */
  findSubcommand(name: string): CliCommand | undefined {
    const command = this.commands.find((candidate) => candidate.name() === name);
    if (command) this.#define(command);
    // createCommand makes all commands.
    return command as CliCommand | undefined;
  }

  #define(command: Command): void {
    this.#definitions.get(command)?.();
    this.#definitions.delete(command);
  }

  /**
   * Refuses an option before a subcommand's name that the subcommand does not have. A setting is ignored, as a variable
   * of the environment is.
   */
  #checkBefore(command: CliCommand): void {
    const names = command.options.map((option) => option.attributeName());
    const useless = this.options.find((option) => {
      const name = option.attributeName();
      const isSetting = name in settingRows || name === 'profile';
      return !isSetting && !names.includes(name) && this.getOptionValue(name) !== undefined;
    });
    if (useless) throw new UsageError(`${useless.long}: ${command.path} has no such option`);
  }

  /** The words that lead to this command: `messaging call SendAdvance`. */
  get path(): string {
    return this.parent ? `${(this.parent as CliCommand).path} ${this.name()}` : this.name();
  }

  get root(): string {
    return this.parent ? (this.parent as CliCommand).root : this.name();
  }

  addExamples(examples: readonly string[]): this {
    this.examples.push(...examples);
    return this;
  }

  /** Drops the value of an unknown option: it may be a secret, and with the value Commander finds no suggestion. */
  override parseOptions(args: string[]): ReturnType<Command['parseOptions']> {
    this.#refuseOptionAsValue(args);
    const { operands, unknown } = super.parseOptions(args);
    // The words after a subcommand's name are for the subcommand.
    const isOwn = operands.length === 0 || this.commands.length === 0;
    const [first, ...others] = unknown;
    return { operands, unknown: isOwn && first?.startsWith('-') ? [first.replace(/=.*$/s, ''), ...others] : unknown };
  }

  /**
   * Refuses an option of this command as the value of another option. The value was probably forgotten, or is an unset
   * shell variable: `--message $TEXT --dry-run` would send the text `--dry-run`.
   */
  #refuseOptionAsValue(args: readonly string[]): void {
    const optionOf = (word: string | undefined) =>
      word === undefined ? undefined : this.options.find(({ long, short }) => word === long || word === short);
    for (let index = 0; index < args.length && args[index] !== '--'; index++) {
      const [flag, value] = args.slice(index, index + 2);
      if (!optionOf(flag)?.required) continue;
      if (optionOf(value))
        throw new UsageError(`${flag}: a value is missing before ${value}; ${flag}=${value} gives this value`);
      index++;
    }
  }

  /** Reports a mistake in the command line in one line, with what to do. @throws {UsageError} */
  override error(message: string, { code }: ErrorOptions = {}): never {
    if (code === 'commander.excessArguments') {
      // The usual cause is a text without quotes.
      const argument = JSON.stringify(this.args[this.registeredArguments.length]);
      const field = this.options.find((option) => option.attributeName() === option.long);
      const advice = field ? `each field is an option, such as ${field.long}; ` : '';
      throw new UsageError(`unexpected argument ${argument}: ${advice}a value with blanks needs quotes`);
    }
    if (code === 'commander.missingArgument') {
      const taker = this.options.find((option) => option.variadic && this.getOptionValue(option.attributeName()));
      const [last] = taker ? [this.getOptionValue(taker.attributeName())].flat().slice(-1) : [];
      const missing = this.registeredArguments[this.args.length]?.name();
      if (taker)
        throw new UsageError(
          `missing: ${missing}; ${taker.long} took ${JSON.stringify(last)}: write the ${missing} before the options`,
        );
    }
    // Commander has its suggestion on a second line.
    const [what = '', suggestion] = message.replace(/^error: /, '').split('\n');
    const advice = suggestion === undefined ? `; see ${this.path} --help` : ` ${suggestion}`;
    if (code === 'commander.unknownCommand') {
      const [name = ''] = this.args;
      throw new UsageError(`unknown command '${name}'${this.#suggest(name) ?? advice}`);
    }
    throw new UsageError(what.replace(/\.$/, '') + advice);
  }

  /** Suggests the subcommands whose names contain a name; Commander suggests those that are spelled alike. */
  #suggest(name: string): string | undefined {
    const names = this.commands.map((command) => command.name());
    const similar = names.filter((other) => name !== '' && other.toLowerCase().includes(name.toLowerCase()));
    if (similar.length === 0) return undefined;
    return ` (Did you mean ${similar.length > 1 ? 'one of ' : ''}${similar.join(', ')}?)`;
  }
}

/** The options of a command, together with the same options before the command's name; those after the name win. */
export function optionsOf(command: CliCommand): Readonly<Record<string, unknown>> {
  const names = command.options.map((option) => option.attributeName());
  let before: Readonly<Record<string, unknown>> = {};
  for (let { parent } = command; parent; parent = parent.parent) {
    const given = Object.entries(parent.opts()).filter(([name]) => names.includes(name));
    before = { ...Object.fromEntries(given), ...before };
  }
  return { ...before, ...command.opts() };
}
