import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeStack, fish, type Stack, zsh } from '../support/stack';
import { messaging } from './support';

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'messaging-'));
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, stdout } = await messaging(['completion', shell]);
    if (code !== 0) throw new Error(`exit code ${code}`);
    writeFileSync(join(folder, `messaging.${shell}`), stdout);
  }
  writeFileSync(join(folder, 'key-file'), '');
});
afterAll(() => rmSync(folder, { recursive: true }));

function shell(program: string, args: readonly string[], line: string): string[] {
  const environment = {
    PATH: process.env.PATH,
    HOME: folder,
    LINE: line,
    SCRIPT: join(folder, `messaging.${program}`),
    TERM: 'dumb',
  };
  const output = execFileSync(program, args, {
    cwd: folder,
    env: environment,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return output.split('\n').filter((text) => text !== '');
}

const COMMANDS = ['send-simple', 'call', 'config', 'doctor', 'completion', 'sandbox', 'wsdl', 'help'];

/** What a user sees after the line, in each shell. */
const rows: readonly [line: string, offered: readonly string[], notOffered: readonly string[]][] = [
  ['messaging ', COMMANDS, ['--base-url', 'table']],
  ['messaging sel', ['select', 'select-latest', 'select-outbox'], ['send-simple']],
  ['messaging --out', ['--output'], ['--base-url']],
  ['messaging --output ', ['table', 'json', 'ndjson', 'csv'], ['send-simple']],
  ['messaging select --soap-version ', ['1.1', '1.2'], ['--output']],
  ['messaging --base-url send-simple rec', ['receive'], ['--receptor']],
  ['messaging send-simple --rec', ['--receptor', '--receptor-file'], ['--pagesize']],
  ['messaging --output csv send-advance --omit ', ['sender', 'clientmessageid'], ['encoding', '--sender']],
  ['messaging send-simple --api-key-file k', ['key-file'], ['--output']],
  ['messaging call Get', ['GetStatusByApikey'], ['SendAdvance']],
  ['messaging call SendAdvance --mess', ['--message', '--messagemode'], ['--pagesize']],
  ['messaging completion ', ['bash', 'zsh', 'fish'], ['--output']],
  ['messaging help sel', ['select', 'select-latest'], ['send-simple']],
  ['messaging sandbox --po', ['--port'], ['--receptor']],
  ['messaging contract ', ['diff'], ['send-simple']],
  ['messaging contract diff --out', ['--output'], ['--receptor']],
  ['messaging contract diff k', ['key-file'], ['--output']],
  ['messaging bulk run --batch', ['--batch-size'], ['--every']],
  ['messaging bulk run --batch-size 5 k', ['key-file'], ['--output']],
];

const bash: Stack = { name: 'bash', packages: 'bash', probe: ['bash', '--version'] };

/** Completes the last of some words, one a line. Readline makes "=" a word of its own. */
const BASH = `
source "$SCRIPT"
mapfile -t COMP_WORDS <<< "$LINE"
COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 ))
complete -p messaging >/dev/null && _messaging
printf '%s\\n' "\${COMPREPLY[@]}"`;

describeStack(bash, () => {
  test.each(rows)('%s', (line, offered, notOffered) => {
    const words = shell('bash', ['--norc', '-c', BASH], line.replaceAll(' ', '\n'));
    expect(words).toEqual(expect.arrayContaining([...offered]));
    for (const word of notOffered) expect(words).not.toContain(word);
  });

  test('a value after "=" is completed as well', () => {
    expect(shell('bash', ['--norc', '-c', BASH], 'messaging\nselect\n1\n--output\n=\nc')).toEqual(['csv']);
    expect(shell('bash', ['--norc', '-c', BASH], 'messaging\nselect\n1\n--output\n=')).toContain('ndjson');
  });
});

describeStack(fish, () => {
  test.each(rows)('%s', (line, offered, notOffered) => {
    const lines = shell('fish', ['--no-config', '-c', 'source $SCRIPT; complete -C $LINE'], line);
    const words = lines.map((text) => text.split('\t')[0]);
    expect(words).toEqual(expect.arrayContaining([...offered]));
    for (const word of notOffered) expect(words).not.toContain(word);
  });
});

/**
 * zsh completes in its line editor only, so one runs in a pseudo terminal of another, and prints what it would offer. Nothing is
 * typed before the editor shows its prompt: until then Ctrl-U would erase what was typed before it.
 */
const ZSH = `
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PS1=; unsetopt zle_bracketed_paste; autoload -U compinit; compinit -u -D; source "$SCRIPT"'
zpty -w shell 'compadd () { if [[ "$*" == *" -O "* || "$*" == *" -A "* || "$*" == *" -D "* ]]; then builtin compadd "$@"; return; fi; local -a hits; builtin compadd -O hits "$@"; builtin compadd "$@"; print -r -- "HIT $hits" }'
zpty -w shell 'bindkey "^I" complete-word; PS1=READY""NOW'
zpty -r shell output '*READYNOW*'
zpty -n -w shell "$LINE"$'\\t'
zpty -n -w shell $'\\C-u'
zpty -w shell 'print DONE""NOW'
zpty -r shell output '*DONENOW*'
print -r -- $output`;

describeStack(zsh, () => {
  test.each(rows)('%s', (line, offered, notOffered) => {
    const hits = shell('zsh', ['-f', '-c', ZSH], line).filter((text) => text.includes('HIT '));
    const words = hits.flatMap((text) =>
      text
        .replace(/^.*HIT /, '')
        .trim()
        .split(' '),
    );
    expect(words).toEqual(expect.arrayContaining([...offered]));
    for (const word of notOffered) expect(words).not.toContain(word);
  });
});
