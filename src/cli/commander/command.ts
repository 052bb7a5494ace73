import { Command, type ErrorOptions, type HelpContext } from 'commander';
import { UsageError } from '../terminal/failure';
import type { Io } from '../terminal/io';
import type { OutputStream } from '../terminal/output-stream';

/** What every command receives. */
export interface Context {
  readonly io: Io;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Prints a line on stderr, for what is not data. */
  readonly log: (message: string) => void;
}

/** The options of a command together with those before its name. The ones after its name win. */
export function optionsOf(program: CliCommand, command: CliCommand): Readonly<Record<string, unknown>> {
  return { ...program.opts(), ...command.opts() };
}

/** Commander's command with examples, options that are added on first use, and two corrected error messages. */
export class CliCommand extends Command {
  /** What its subcommands are. */
  noun = 'command';
  /** One of its options that give a field, for the error about an argument that it does not take. */
  fieldOption: string | undefined;
  #fill: ((command: this) => void) | undefined;

  override createCommand(name?: string): CliCommand {
    return new CliCommand(name);
  }

  /** Adds options and arguments on first use: a process uses one command of all. */
  onUse(fill: (command: this) => void): this {
    this.#fill = fill;
    return this;
  }

  override parseOptions(args: string[]): ReturnType<Command['parseOptions']> {
    // Before a command's name stand no options of the program, as a rule, and adding those takes a millisecond.
    if (this.parent !== null || args[0]?.startsWith('-')) this.#use();
    return super.parseOptions(args);
  }

  override helpInformation(context?: HelpContext): string {
    this.#use();
    return super.helpInformation(context);
  }

  #use(): void {
    const fill = this.#fill;
    this.#fill = undefined;
    fill?.(this);
  }

  /** Ends the help with command lines. @param examples without the program's name */
  addExamples(examples: readonly string[]): this {
    return this.addHelpText('after', `\nExamples:\n${examples.map((example) => `  messaging ${example}`).join('\n')}`);
  }

  /** The commands below this one, its options filled in. */
  subcommands(): readonly CliCommand[] {
    this.#use();
    return this.commands as readonly Command[] as readonly CliCommand[];
  }

  /** The command that the names lead to. @throws {CommanderError} for an unknown one, with a suggestion */
  findCommand([name, ...others]: readonly string[]): CliCommand {
    if (name === undefined) return this;
    const command = this.subcommands().find((candidate) => candidate.name() === name);
    return command ? command.findCommand(others) : this.#refuse(name);
  }

  #refuse(name: string): never {
    const parts = this.commands.map((command) => command.name()).filter(contains(name));
    const suggestion = parts.length > 1 ? `one of ${parts.join(', ')}` : parts[0];
    if (suggestion !== undefined && name !== '') {
      this.error(`error: unknown command '${name}' (Did you mean ${suggestion}?)`, {
        code: 'commander.unknownCommand',
      });
    }
    // Commander suggests what is spelled alike. It takes the name from here.
    this.args = [name];
    return (Command.prototype as unknown as { unknownCommand(): never }).unknownCommand.call(this);
  }

  override error(message: string, options?: ErrorOptions): never {
    super.error(message.replace('unknown command', `unknown ${this.noun}`), options);
  }

  // The next three override methods that Commander's types leave out.

  /** Suggests the names that contain this one, before those that are spelled alike. */
  unknownCommand(): never {
    return this.#refuse(this.args[0] as string);
  }

  /** Drops the value after `=`: it may be a secret, and with it no suggestion is found. */
  unknownOption(flag: string): void {
    const commander = Command.prototype as unknown as { unknownOption(flag: string): void };
    commander.unknownOption.call(this, flag.replace(/=.*$/s, ''));
  }

  /** Names the argument, where Commander only counts. The usual cause is a text without quotes. */
  _excessArguments(args: readonly string[]): void {
    const first = args[this.registeredArguments.length];
    const advice = this.fieldOption === undefined ? '' : `each field is an option, such as ${this.fieldOption}; `;
    throw new UsageError(`unexpected argument ${JSON.stringify(first)}: ${advice}a value with blanks needs quotes`);
  }
}

/** Whether a name contains another, in whatever case. */
function contains(part: string): (name: string) => boolean {
  return (name) => name.toLowerCase().includes(part.toLowerCase());
}
