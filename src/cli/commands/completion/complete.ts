import type { Option } from 'commander';
import { quoteForShell } from '../../../internal/shell';
import type { CliCommand, Context } from '../../commander/command';
import { profileNames } from '../../settings/profile';

/** The completions of a word: values with their descriptions, or the names of files. */
type Offer = 'file' | readonly (readonly [value: string, description: string])[];

/**
 * Prints the completions of the last of some words: each value on a line, with a tab and its description, or the line
 * `:files`. The scripts of the shells ask for it.
 *
 * @param args the shell's name and the words after the program's name, of which the last may be empty
 */
export async function complete(program: CliCommand, args: readonly string[], { io, stdout }: Context): Promise<void> {
  const [shell, ...given] = args;
  const words = shell === 'bash' ? withoutBreaks(given) : given;
  const word = words.at(-1) ?? '';
  const offer = offerFor(program, words.slice(0, -1), word, io.environment);
  if (offer === 'file') return stdout.write(':files\n');
  for (const [value, description] of offer) {
    if (!value.startsWith(word)) continue;
    // bash takes a line for a value. Documentation from the contract may have several lines.
    const line = shell === 'bash' ? quoteForShell(value) : `${value}\t${description.replace(/\s+/g, ' ')}`;
    await stdout.write(`${line}\n`);
  }
}

/** Leaves out `=` and `:`, which bash makes words of their own: `--output=c` becomes `--output`, `c`. */
function withoutBreaks(parts: readonly string[]): readonly string[] {
  const isBreak = (part: string | undefined) => part !== undefined && /^[=:]+$/.test(part);
  const words = parts.filter((part) => !isBreak(part));
  return isBreak(parts.at(-1)) ? [...words, ''] : words;
}

function offerFor(program: CliCommand, before: readonly string[], word: string, environment: NodeJS.ProcessEnv): Offer {
  const isHelp = before[0] === 'help';
  const { command, option } = follow(program, isHelp ? before.slice(1) : before);
  if (isHelp) return commandsOf(command);
  if (option && !(option.variadic && word.startsWith('-'))) return valuesOf(option, word, environment);
  const [, name, value] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
  if (name !== undefined && value !== undefined) {
    const given = optionOf(command, name);
    const values = given ? valuesOf(given, value, environment) : [];
    return values === 'file' ? values : values.map(([text, description]) => [`${name}=${text}`, description]);
  }
  if (word.startsWith('-')) return optionsOffer(command);
  if (command.registeredArguments.some((argument) => ['file', 'source', 'journal'].includes(argument.name())))
    return 'file';
  const choices = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices);
  const offers = [...commandsOf(command), ...choices.map((text) => [text, ''] as const)];
  return offers.length > 0 ? offers : optionsOffer(command);
}

/** Follows words to the command that they lead to, and to the option whose value comes next. */
function follow(program: CliCommand, words: readonly string[]) {
  let command = program;
  let option: Option | undefined;
  for (const word of words) {
    if (option && !(option.variadic && word.startsWith('-'))) {
      if (!option.variadic) option = undefined;
    } else if (word.startsWith('-')) {
      const given = optionOf(command, word);
      option = given?.required ? given : undefined;
    } else {
      option = undefined;
      command = command.findSubcommand(word) ?? command;
    }
  }
  return { command, option };
}

function optionOf(command: CliCommand, flag: string): Option | undefined {
  return command.options.find(({ long, short }) => long === flag || short === flag);
}

function commandsOf(command: CliCommand): Exclude<Offer, 'file'> {
  return command.commands.map((subcommand) => [subcommand.name(), subcommand.summary()]);
}

function optionsOffer({ options }: CliCommand): Offer {
  return [...options.map(({ long, description }) => [long ?? '', description] as const), ['--help', 'show help']];
}

function valuesOf(option: Option, word: string, environment: NodeJS.ProcessEnv): Offer {
  if (/<(?:path|file)>/.test(option.flags)) return 'file';
  // The words of a list before its last comma stay.
  const start = /<list>/.test(option.flags) ? word.slice(0, word.lastIndexOf(',') + 1) : '';
  const used = start.split(',');
  const values = option.long === '--profile' ? profileNames(environment) : (option.argChoices ?? []);
  return values.filter((value) => !used.includes(value)).map((value) => [start + value, '']);
}
