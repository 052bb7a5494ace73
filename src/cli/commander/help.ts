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
 * Commander's help with the examples first, or the subcommands where there are any, and without the global options, so
 * that most help fits a screen.
 */
export class CliHelp extends Help {
  #isFormatting = false;

  /** Commander also looks for the option that an unknown one may mean among these. */
  override visibleOptions(command: Command): Option[] {
    const options = super.visibleOptions(command);
    if (!this.#isFormatting) return options;
    // Who reads the help of a command knows --help.
    return options.filter((option) => !isGlobal(option) && (command.parent === null || option.long !== '--help'));
  }

  override formatHelp(command: DescribedCommand, helper: CliHelp): string {
    this.#isFormatting = true;
    const sections = super.formatHelp(command, helper).trimEnd().split('\n\n');
    this.#isFormatting = false;
    const { root, examples } = command;
    const head = sections.splice(0, this.commandDescription(command) === '' ? 1 : 2);
    const shown = examples.length > 0 ? [['Examples:', ...examples.map((line) => `  ${root} ${line}`)].join('\n')] : [];
    const isOptions = (section: string): boolean => section.startsWith('Options:');
    const isGroup = command.commands.length > 0;
    const ordered = isGroup
      ? [...sections.filter((section) => !isOptions(section)), ...sections.filter(isOptions), ...shown]
      : [...shown, ...sections];
    const notes = [...command.notes];
    if (command.options.some(isGlobal)) notes.push(`Settings and output are options too: ${root} help settings`);
    const width = this.helpWidth ?? 80;
    const end = notes.flatMap((note) => wrap(note, width)).join('\n');
    return `${[...head, ...ordered, ...(end === '' ? [] : [end])].join('\n\n')}\n`;
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
