import type { Argument, Option } from 'commander';
import { quoteForShell } from '../../../internal/strings';
import { type CliCommand, CliOption, type Context } from '../../commander/command';

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
  const { words, cut } = shell === 'bash' ? bashWords(given) : { words: given, cut: 0 };
  const last = words.at(-1) ?? '';
  // Some versions of PowerShell drop an empty argument, so its script puts a prefix before the word.
  const word = shell === 'powershell' ? last.replace(/^word=/, '') : last;
  const offer = offerFor(program, words.slice(0, -1), word, io.environment);
  if (offer === 'file') {
    await stdout.write(':files\n');
    return;
  }
  for (const [value, description] of offer) {
    if (!value.startsWith(word)) continue;
    // bash takes a line for a value, as it is.
    if (shell === 'bash') await stdout.write(`${quoteForShell(value.slice(cut))}\n`);
    // Documentation from the contract may have several lines.
    else {
      const text = shell === 'powershell' ? quoteForShell(value, 'win32') : value;
      await stdout.write(`${text}\t${description.replace(/\s+/g, ' ')}\n`);
    }
  }
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
  if (command.registeredArguments.some(isFile)) return 'file';
  const choices = command.registeredArguments.flatMap(({ argChoices = [] }) =>
    argChoices.map((text) => [text, ''] as const),
  );
  const offers = [...commandsOf(command), ...choices];
  return offers.length > 0 ? offers : optionsOffer(command);
}

/** Follows words to the command that they lead to, and to the option whose value comes next. */
function follow(
  program: CliCommand,
  words: readonly string[],
): { readonly command: CliCommand; readonly option: Option | undefined } {
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
  if (!(option instanceof CliOption)) return (option.argChoices ?? []).map((value) => [value, '']);
  // The words of a list before its last comma stay.
  const start = option.isList ? word.slice(0, word.lastIndexOf(',') + 1) : '';
  const used = start.split(',');
  return option
    .candidates(environment)
    .filter((value) => !used.includes(value))
    .map((value) => [start + value, '']);
}

function isFile(argument: Argument): boolean {
  return ['file', 'source'].includes(argument.name());
}

/**
 * Joins the words of bash's COMP_WORDS, where `=` and `:` are words of their own: `--output`, `=`, `c` are one word of
 * the command.
 *
 * @returns the words of the command, and the number of characters of the last word that bash has already
 */
function bashWords(parts: readonly string[]): { readonly words: readonly string[]; readonly cut: number } {
  const words: string[] = [];
  let cut = 0;
  let joins = false;
  for (const part of parts) {
    const isBreak = /^[=:]+$/.test(part);
    const last = words.length - 1;
    if ((isBreak || joins) && last >= 0) {
      cut = (words[last] as string).length + (isBreak ? part.length : 0);
      words[last] += part;
    } else {
      cut = 0;
      words.push(part);
    }
    joins = isBreak;
  }
  return { words, cut };
}
