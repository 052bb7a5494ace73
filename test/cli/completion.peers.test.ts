import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../support/folder';
import { programPath } from '../support/process';
import { messaging } from './support';

let home: string;
/** The folder in which a user completes: below a project that has the package installed. */
let folder: string;
beforeAll(async () => {
  home = makeFolder();
  folder = join(home, 'project/src');
  const places = ['bin', 'project/node_modules/.bin', 'project/src', '.config/messaging'].map((name) =>
    join(home, name),
  );
  for (const place of places) mkdirSync(place, { recursive: true });
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, stdout } = await messaging(['completion', shell]);
    if (code !== 0) throw new Error(`exit code ${code}`);
    writeFileSync(join(home, `messaging.${shell}`), stdout);
  }
  for (const place of places.slice(0, 2)) {
    const program = join(place, 'messaging');
    writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${programPath('messaging')}' "$@"\n`);
    chmodSync(program, 0o755);
  }
  writeFileSync(join(folder, 'key-file'), '');
  writeProfiles('{ "profiles": { "sandbox": {}, "live": {} } }');
});

function writeProfiles(text: string): void {
  writeFileSync(join(home, '.config/messaging/config.json'), text);
}

/** The lines that a shell prints. It fails when anything is on stderr. */
function shell(program: string, args: readonly string[], line: string, path = `${join(home, 'bin')}:`): string[] {
  const environment = {
    PATH: `${path}${process.env.PATH}`,
    HOME: home,
    LINE: line,
    SCRIPT: join(home, `messaging.${program}`),
    TERM: 'dumb',
  };
  const { stdout, stderr } = spawnSync(program, args, { cwd: folder, env: environment, encoding: 'utf8' });
  if (stderr !== '') throw new Error(stderr);
  return stdout.split('\n').filter((text) => text !== '');
}

const COMMANDS = ['send-simple', 'call', 'config', 'doctor', 'completion', 'sandbox', 'wsdl', 'help'];

type Rows = readonly [line: string, offered: readonly string[], notOffered: readonly string[]][];

/** What a user sees after the line, in each shell. */
const rows: Rows = [
  ['messaging ', COMMANDS, ['--base-url', 'table', '__complete']],
  ['messaging sel', ['select', 'select-latest', 'select-outbox'], ['send-simple']],
  ['messaging select --output=', ['--output=csv', '--output=json'], ['--base-url']],
  ['messaging --base-url http://127.0.0.1:8080 rec', ['receive'], ['--receptor']],
  ['messaging --output csv send-advance --omit ', ['sender', 'clientmessageid'], ['encoding', '--sender']],
  ['messaging send-simple --api-key-file k', ['key-file'], ['--output']],
  ['messaging remain-credit --profile ', ['sandbox', 'live'], ['--output']],
  [
    'messaging receive --columns message,',
    ['message,messageid', 'message,sender'],
    ['message,message', 'message,status'],
  ],
  ['messaging call SendAdvance --mess', ['--message', '--messagemode'], ['--pagesize']],
  ['npx messaging sel', ['select', 'select-latest'], ['send-simple']],
  ['npx messaging-soap sel', ['select', 'select-latest'], ['send-simple']],
  ['npx -p messaging-soap messaging receive --prof', ['--profile'], ['--receptor']],
];
/** Completes the last of some words, one a line. */
const BASH = `
source "$SCRIPT"
mapfile -t COMP_WORDS <<< "$LINE"
COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 ))
complete -p "$COMP_WORDS" >/dev/null && _messaging "$COMP_WORDS"
printf '%s\\n' "\${COMPREPLY[@]}"`;

function inBash(line: string, path?: string): string[] {
  // Readline makes "=" and ":" words of their own.
  const words = line.split(' ').flatMap((word) => word.split(/(?<=[=:])|(?=[=:])/));
  return shell('bash', ['--norc', '-c', BASH], words.join('\n'), path);
}

function inFish(line: string, path?: string): string[] {
  const lines = shell('fish', ['--no-config', '-c', 'source $SCRIPT; complete -C $LINE'], line, path);
  return lines.map((text) => text.split('\t')[0] as string);
}

/**
 * zsh completes in its line editor only, so one runs in a pseudo terminal of another, and prints what it would offer.
 * Nothing is typed before the editor shows its prompt: until then Ctrl-U would erase what was typed before it. A dump
 * of the completion functions makes the start of each further zsh quick.
 */
const ZSH = `
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PS1=; unsetopt zle_bracketed_paste; autoload -U compinit; compinit -u -C -d "$HOME/dump"; source "$SCRIPT"'
zpty -w shell 'compadd () { if [[ "$*" == *" -O "* || "$*" == *" -A "* || "$*" == *" -D "* ]]; then builtin compadd "$@"; return; fi; local -a hits; builtin compadd -O hits "$@"; builtin compadd "$@"; print -r -- "HIT $hits" }'
zpty -w shell 'bindkey "^I" complete-word; PS1=READY""NOW'
zpty -r shell output '*READYNOW*'
zpty -n -w shell "$LINE"$'\\t'
zpty -n -w shell $'\\C-u'
zpty -w shell 'print DONE""NOW'
zpty -r shell output '*DONENOW*'
print -r -- $output`;

function inZsh(line: string, path?: string): string[] {
  const hits = shell('zsh', ['-f', '-c', ZSH], line, path).filter((text) => text.includes('HIT '));
  return hits.flatMap((text) =>
    text
      .replace(/^.*HIT /, '')
      .trim()
      .split(' '),
  );
}

describe('bash', () => {
  test.each(rows)('bash completes "%s"', (line, offered, notOffered) => {
    const words = inBash(line);
    // bash has what is before "=" already.
    expect(words).toEqual(expect.arrayContaining(offered.map((word) => word.replace(/^.*=/, ''))));
    for (const word of notOffered) expect(words).not.toContain(word);
  });

  test('bash prints no error for a profile file that cannot be read, and for a program that is missing', () => {
    writeProfiles('{');
    expect(inBash('messaging --profile ')).toEqual([]);
    writeProfiles('{ "profiles": { "sandbox": {}, "live": {} } }');
    expect(inBash('messaging sel', '')).toEqual([]);
  });

  test('bash does not complete npx with another program', () => {
    expect(inBash('npx cowsay sel')).toEqual([]);
  });
});

describe('fish', () => {
  test.each(rows)('fish completes "%s"', (line, offered, notOffered) => {
    const words = inFish(line);
    expect(words).toEqual(expect.arrayContaining([...offered]));
    for (const word of notOffered) expect(words).not.toContain(word);
  });

  test('fish prints no error for a program that is missing', () => {
    expect(inFish('messaging sel', '')).toEqual([]);
  });
});

describe('zsh', () => {
  test.each(rows)('zsh completes "%s"', (line, offered, notOffered) => {
    const words = inZsh(line);
    expect(words).toEqual(expect.arrayContaining([...offered]));
    for (const word of notOffered) expect(words).not.toContain(word);
  });
});
