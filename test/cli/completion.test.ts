import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../support/folder';
import { messaging } from './support';

const home = makeFolder();
mkdirSync(join(home, '.config/messaging'), { recursive: true });
writeFileSync(join(home, '.config/messaging/config.json'), '{ "profiles": { "sandbox": {}, "live": {} } }');

/**
 * Lines, and the words that the program gives to the script of a shell. The script completes the names of
 * files.
 */
const rows: readonly [line: string, offered: readonly string[], notOffered: readonly string[]][] = [
  ['messaging --out', ['--output'], ['--base-url']],
  ['messaging --output ', ['table', 'json', 'ndjson', 'csv'], ['send-simple']],
  ['messaging select --soap-version ', ['1.1', '1.2'], ['--output']],
  ['messaging --base-url send-simple rec', ['receive'], ['--receptor']],
  ['messaging send-simple --rec', ['--receptor', '--receptor-file'], ['--pagesize']],
  ['messaging send-advance --omit sender cl', ['clientmessageid'], ['--sender']],
  ['messaging --profile l', ['live'], ['sandbox']],
  ['messaging select 5 --columns ', ['messageid', 'statustext'], ['--output']],
  ['messaging get-status --col', [], ['--columns']],
  ['messaging call Get', ['GetStatusByApikey'], ['SendAdvance']],
  ['messaging completion ', ['bash', 'zsh', 'fish'], ['--output']],
  ['messaging help sel', ['select', 'select-latest'], ['send-simple']],
  ['messaging help bulk r', ['run', 'reconcile'], ['receive']],
  ['messaging sandbox --po', ['--port'], ['--receptor']],
  ['messaging contract ', ['diff'], ['send-simple']],
  ['messaging contract diff --out', ['--output'], ['--receptor']],
  ['messaging contract diff k', [':files'], ['--output']],
  ['messaging bulk run --batch', ['--batch-size'], ['--every']],
  ['messaging bulk run --batch-size 5 k', [':files'], ['--output']],
  ['messaging inbox status inb', [':files'], ['--output']],
  ['messaging inbox run k', [':files'], ['--exec']],
  ['messaging bulk status k --state ', ['pending', 'unknown', 'sent', 'rejected'], ['--output']],
];

test.each(rows)('the program completes "%s"', async (line, offered, notOffered) => {
  const { stdout } = await messaging(['__complete', 'bash', ...line.split(' ').slice(1)], {
    environment: { HOME: home },
  });
  expect(stdout.split('\n')).toEqual(expect.arrayContaining([...offered]));
  for (const word of notOffered) expect(stdout.split('\n')).not.toContain(word);
});
