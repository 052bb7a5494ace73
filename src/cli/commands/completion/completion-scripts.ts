import type { Option } from 'commander';
import { quoteForShell } from '../../../internal/strings';
import type { CliCommand } from '../../commander/command';

export type Shell = 'bash' | 'zsh' | 'fish';

/** A script for a shell that completes the commands of a program, their options, and the values of those. */
export function completionScript(program: CliCommand, shell: Shell): string {
  // First: it fills in the options of the program.
  const entries = [...entriesOf(program, '')];
  // Before the command's name stand options of the program: the value of one is not the command.
  const skipped = program.options.filter(({ required }) => required).map(({ long }) => long as string);
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](entries, skipped);
}

/** What can follow a command. */
interface Entry {
  /** The command's names: empty for the program, `call SendAdvance`, `bulk run`. */
  readonly path: string;
  readonly commands: readonly CliCommand[];
  readonly options: readonly Option[];
  /** Values of the command's only argument. */
  readonly values: readonly string[];
  /** Whether the command's argument is a file. */
  readonly takesFile: boolean;
}

function* entriesOf(command: CliCommand, path: string): Generator<Entry> {
  const commands = command.subcommands();
  const values = path === 'help' ? (command.parent as CliCommand).subcommands().map((sub) => sub.name()) : [];
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  const help = command
    .createHelp()
    .visibleOptions(command)
    .filter(({ long }) => long === '--help');
  const takesFile = command.registeredArguments.some((argument) => ['file', 'source'].includes(argument.name()));
  yield { path, commands, options: [...command.options, ...help], values: [...values, ...choices], takesFile };
  for (const sub of commands) yield* entriesOf(sub, `${path} ${sub.name()}`.trim());
}

/** The commands with commands of their own. */
function parentsOf(entries: readonly Entry[]): readonly string[] {
  return entries.flatMap(({ path, commands }) => (path !== '' && commands.length > 0 ? path : []));
}

function isFile({ flags }: Option): boolean {
  return /<(?:path|file)>/i.test(flags);
}

/** The options of a kind, as alternatives of a shell's `case`, each with the command before it. */
function alternatives(entries: readonly Entry[], isKind: (option: Option) => boolean): string {
  const names = entries.flatMap(({ options }) => options.filter(isKind).map(({ long }) => long));
  return [...new Set(names)].map((long) => `*' ${long}'`).join('|');
}

/** Branches of `case` for the options that have a list of values, which may differ between commands. */
function valueBranches(entries: readonly Entry[], open: string, action: (values: string) => string): string {
  const patterns = new Map<string, string[]>();
  for (const { path, options } of entries) {
    for (const { long, argChoices } of options) {
      if (!argChoices) continue;
      const key = `${long} ${argChoices.join(' ')}`;
      patterns.set(key, [...(patterns.get(key) ?? []), `'${path} ${long}'`]);
    }
  }
  const branches = [...patterns].map(([key, places]) => {
    const values = key.slice(key.indexOf(' ') + 1);
    return `    ${open}${places.join('|')}) ${action(values)} ;;`;
  });
  return branches.join('\n');
}

function bashScript(entries: readonly Entry[], skipped: readonly string[]): string {
  const branches = entries.map(({ path, commands, options, values, takesFile }) => {
    const flags = options.map(({ long }) => long).join(' ');
    const words = [...commands.map((command) => command.name()), ...values].join(' ');
    return `    '${path}') flags='${flags}' words='${words}'${takesFile ? ' files=1' : ''} ;;`;
  });
  return `# bash completion for messaging
_messaging() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD - 1]}" command='' flags='' words='' files='' word i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    case "$word" in
      ${skipped.join('|')}) if [[ -z $command ]]; then i=$((i + 1)); fi ;;
      -*) ;;
      *)
        case "$command" in
          '') command=$word ;;
          ${parentsOf(entries).join('|')}) command="$command $word" ;;
        esac ;;
    esac
  done
  # "=" is a word of its own.
  if [[ $cur == '=' ]]; then cur=''; elif [[ $prev == '=' ]]; then prev="\${COMP_WORDS[COMP_CWORD - 2]}"; fi
  COMPREPLY=()
  case "$command $prev" in
${valueBranches(entries, '', (values) => `COMPREPLY=($(compgen -W '${values}' -- "$cur")); return`)}
    ${alternatives(entries, isFile)}) _messaging_files "$cur"; return ;;
    ${alternatives(entries, (option) => option.required && !option.argChoices && !isFile(option))}) return ;;
  esac
  case "$command" in
${branches.join('\n')}
  esac
  if [[ $cur != -* && -n $files ]]; then _messaging_files "$cur"; return; fi
  if [[ $cur == -* || -z $words ]]; then words=$flags; fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
_messaging_files() {
  local IFS=$'\\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen -f -- "$1"))
}
complete -F _messaging messaging
`;
}

function zshScript(entries: readonly Entry[], skipped: readonly string[]): string {
  const branches = entries.map(({ path, commands, options, values, takesFile }) => {
    const flags = options.map(({ long, description }) => quoteForShell(`${long}:${oneLine(description)}`)).join(' ');
    const words = commands.map((command) => quoteForShell(`${command.name()}:${oneLine(command.summary())}`));
    return `    ('${path}') flags=(${flags}) entries=(${[...words, ...values].join(' ')})${takesFile ? ' files=1' : ''} ;;`;
  });
  return `#compdef messaging
_messaging() {
  local command='' word files='' prev=$words[CURRENT-1]
  local -a flags entries
  local -i i
  for ((i = 2; i < CURRENT; i++)); do
    word=$words[i]
    case $word in
      (${skipped.join('|')}) [[ -z $command ]] && i=$((i + 1)) ;;
      (-*) ;;
      (*)
        case $command in
          ('') command=$word ;;
          (${parentsOf(entries).join('|')}) command="$command $word" ;;
        esac ;;
    esac
  done
  case "$command $prev" in
${valueBranches(entries, '(', (values) => `compadd -- ${values}; return`)}
    (${alternatives(entries, isFile)}) _files; return ;;
    (${alternatives(entries, (option) => option.required && !option.argChoices && !isFile(option))}) return ;;
  esac
  case $command in
${branches.join('\n')}
  esac
  if [[ $PREFIX != -* && -n $files ]]; then
    _files
  elif [[ $PREFIX == -* ]] || (( ! $#entries )); then
    _describe -o option flags
  else
    _describe value entries
  fi
}
if [[ $funcstack[1] == _messaging ]]; then _messaging "$@"; else compdef _messaging messaging; fi
`;
}

function fishScript(entries: readonly Entry[], skipped: readonly string[]): string {
  const lines = entries.flatMap(({ path, commands, options, values, takesFile }) => {
    const complete = `complete -c messaging -n "__messaging_is '${path}'"`;
    const words = [
      ...commands.map((command) => [command.name(), command.summary()]),
      ...values.map((value) => [value, '']),
    ];
    return [
      ...(takesFile ? [`${complete} -F`] : []),
      ...words.map(([word = '', summary = '']) => `${complete} -a ${word} -d ${quoteForFish(summary)}`),
      ...options.map(
        (option) =>
          `${complete} -l ${option.long?.slice(2)} -d ${quoteForFish(option.description)}${fishValue(option)}`,
      ),
    ];
  });
  return `# fish completion for messaging
function __messaging_is
    set -l command ''
    set -l skip 0
    for word in (commandline -opc)[2..]
        if test $skip = 1
            set skip 0
            continue
        end
        switch $word
            case ${skipped.join(' ')}
                test -z "$command"; and set skip 1
            case '-*'
            case '*'
                switch $command
                    case ''
                        set command $word
                    case ${parentsOf(entries).join(' ')}
                        set command "$command $word"
                end
        end
    end
    test "$command" = "$argv[1]"
end
complete -c messaging -f
${lines.join('\n')}
`;
}

function fishValue(option: Option): string {
  if (option.argChoices) return ` -x -a '${option.argChoices.join(' ')}'`;
  if (isFile(option)) return ' -r -F';
  return option.required ? ' -x' : '';
}

function quoteForFish(text: string): string {
  return `'${oneLine(text).replace(/[\\']/g, '\\$&')}'`;
}

/** Documentation from the contract may have several lines. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}
