import { type Command, Help, type Option } from 'commander';
import { wrap } from '../terminal/text';

/** The heading of the options that all commands share. `messaging help settings` describes them. */
export const GLOBAL_GROUP = 'Global options:';

function isGlobal({ helpGroupHeading }: Option): boolean {
  return helpGroupHeading === GLOBAL_GROUP;
}

/**
 * Commander's help with the commands first, and with the global options as names only, so that most help fits a screen.
 */
export class CliHelp extends Help {
  #isFormatting = false;

  /** Commander also looks for the option that an unknown one may mean among these. */
  override visibleOptions(command: Command): Option[] {
    return super.visibleOptions(command).filter((option) => !this.#isFormatting || !isGlobal(option));
  }

  override formatHelp(command: Command, helper: CliHelp): string {
    this.#isFormatting = true;
    const sections = super.formatHelp(command, helper).trimEnd().split('\n\n');
    this.#isFormatting = false;
    const isOptions = (section: string): boolean => section.startsWith('Options:');
    // A command with subcommands has no options of another group.
    const ordered =
      command.commands.length === 0
        ? sections
        : [...sections.filter((section) => !isOptions(section)), ...sections.filter(isOptions)];
    const names = command.options.filter(isGlobal).map(({ long }) => long);
    if (names.length > 0) {
      const width = (this.helpWidth ?? 80) - 2;
      const lines = wrap(names.join(' '), width).map((line) => `  ${line}`);
      ordered.push([`${GLOBAL_GROUP.slice(0, -1)} (see messaging help settings):`, ...lines].join('\n'));
    }
    return `${ordered.join('\n\n')}\n`;
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
