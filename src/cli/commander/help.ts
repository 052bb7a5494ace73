import { type Command, Help, type Option } from 'commander';
import { wrap } from '../terminal/text';

/** The heading of the options that all commands share. `help settings` describes them. */
export const GLOBAL_GROUP = 'Global options:';

function isGlobal({ helpGroupHeading }: Option): boolean {
  return helpGroupHeading === GLOBAL_GROUP;
}

/** A command with what its help shows. */
interface DescribedCommand extends Command {
  readonly examples: readonly string[];
  readonly notes: readonly string[];
  readonly root: string;
}

/**
 * Commander's help with the examples of a command above its options, and those of a group below its commands. It leaves
 * out the global options, so that most help fits a screen.
 */
export class CliHelp extends Help {
  #isFormatting = false;

  /** Commander also looks for the option that an unknown one may mean among these. */
  override visibleOptions(command: Command): Option[] {
    const options = super.visibleOptions(command);
    if (!this.#isFormatting) return options;
    // Who reads the help of a command knows --help.
    return options.filter((option) => !isGlobal(option) && !['--help', '--version'].includes(option.long ?? ''));
  }

  /** Leaves a text with indented lines as it is: a command that a user pastes must be whole. */
  override boxWrap(text: string, width: number): string {
    return this.preformatted(text) ? text : super.boxWrap(text, width);
  }

  override commandDescription(command: DescribedCommand): string {
    const text = super.commandDescription(command);
    if (command.commands.length > 0) return text;
    return [...wrap(text, this.helpWidth ?? 80), '', ...exampleLines(command)].join('\n').trimEnd();
  }

  override formatHelp(command: DescribedCommand, helper: CliHelp): string {
    this.#isFormatting = true;
    const text = super.formatHelp(command, helper).trimEnd();
    this.#isFormatting = false;
    const notes = [...command.notes];
    if (command.options.some(isGlobal))
      notes.push(`Settings and output are options too: ${command.root} help settings`);
    const examples = command.commands.length > 0 ? exampleLines(command) : [];
    const sections = [examples, notes.flatMap((note) => wrap(note, this.helpWidth ?? 80))];
    return `${[text, ...sections.map((lines) => lines.join('\n'))].filter(Boolean).join('\n\n')}\n`;
  }

  /** Describes the global options of a command, with their variables. */
  formatGlobal(command: Command): string {
    this.helpWidth ??= 80;
    const options = command.options.filter(isGlobal);
    const width = options.reduce((widest, option) => Math.max(widest, this.optionTerm(option).length), 0);
    const items = options.map((option) => this.formatItem(this.optionTerm(option), width, option.description, this));
    return `${GLOBAL_GROUP}\n${items.join('\n')}\n`;
  }
}

function exampleLines({ root, examples }: DescribedCommand): readonly string[] {
  return examples.length === 0 ? [] : ['Examples:', ...examples.map((line) => `  ${root} ${line}`)];
}
