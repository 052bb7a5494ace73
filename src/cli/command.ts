import { Command, type HelpContext } from 'commander';
import { UsageError } from './failure';

/** Commander's command, filled when it is used, with examples, and with two of its reports corrected. */
export class CliCommand extends Command {
  #fill: ((command: this) => void) | undefined;

  override createCommand(name?: string): CliCommand {
    return new CliCommand(name);
  }

  /** Leaves it to the first use to add options and arguments: of all commands a process needs one. */
  onUse(fill: (command: this) => void): this {
    this.#fill = fill;
    return this;
  }

  override parseOptions(args: string[]): ReturnType<Command['parseOptions']> {
    this.#use();
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

  // The next two are Commander's own, though its types leave them out.

  /** The value after `=` may be a secret, and it spoils the suggestion. */
  unknownOption(flag: string): void {
    const commander = Command.prototype as unknown as { unknownOption(flag: string): void };
    commander.unknownOption.call(this, flag.replace(/=.*$/s, ''));
  }

  /** Commander would count them; mostly it is a text whose quotes are missing. */
  _excessArguments(args: readonly string[]): void {
    const first = args[this.registeredArguments.length];
    throw new UsageError(`unexpected argument ${JSON.stringify(first)}: a value with blanks needs quotes`);
  }
}
