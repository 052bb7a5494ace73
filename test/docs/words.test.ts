import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/process';

const pages = readdirSync(join(ROOT, 'docs'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`);

/** A text without the tables of operations, which grow with the contract. */
const withoutOperations = (text: string) => text.replace(/<!-- operations:[\s\S]*?<!-- end of operations -->/g, '');

/** The words outside code blocks, comments and tables of operations. */
function wordsOf(text: string): number {
  const plain = withoutOperations(text)
    .replace(/^```[\s\S]*?^```$/gm, '')
    .replace(/<!--[\s\S]*?-->/g, '');
  return plain.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');

test.each([
  ['README.md', 750],
  ['docs/api.md', 2850],
  ['CONTRIBUTING.md', 1700],
  ['docs/maintainers/decisions.md', 1000],
  ['docs/maintainers/measurements.md', 170],
  ['examples/README.md', 200],
  ...pages.filter((page) => page !== 'docs/api.md').map((page) => [page, 1000] as const),
] as const)('%s has at most %d words outside code', (path, most) => {
  expect(wordsOf(textOf(path))).toBeLessThanOrEqual(most);
});

test('all pages for users have at most 12,500 words outside code and tables of operations, of them 8,000 outside tables', () => {
  const counts = ['README.md', ...pages].map((path) => wordsOf(textOf(path)));
  expect(counts.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(12_500);
  const prose = ['README.md', ...pages].map((path) => wordsOf(textOf(path).replace(/^\|.*$/gm, '')));
  expect(prose.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(8000);
});

test('the changes of each version have at most 350 words', () => {
  for (const version of textOf('CHANGELOG.md').split(/^## /m)) expect(wordsOf(version)).toBeLessThanOrEqual(350);
});

test('README.md has at most 140 lines beside its table of operations', () => {
  expect(withoutOperations(textOf('README.md')).trimEnd().split('\n').length).toBeLessThanOrEqual(140);
});

test.each(pages)('%s answers its question in 10 to 60 words before its first heading', (path) => {
  const [, start = ''] = /^# .*\n([\s\S]*?)(?=^## |^```|^\|)/m.exec(textOf(path)) ?? [];
  expect(wordsOf(start)).toBeGreaterThanOrEqual(10);
  expect(wordsOf(start)).toBeLessThanOrEqual(60);
});

/** What a user decides by: each fact is on one page. */
const FACTS: Readonly<Record<string, readonly string[]>> = {
  'docs/unknown-rows.md': [
    'Another program that sends the same text from the same sender to the same person',
    'a service that does not keep this promise sends messages twice',
    'A refused batch is taken to mean that nothing of it was sent',
    'A longer `--timeout-ms` than the default needs a longer `--settle-ms`',
    'this window is about 30 µs per request',
    'without a baseline, fewer rows can be decided',
    'A service that lists a message later than `--settle-ms`',
    'A journal that was copied back from a backup',
    'A journal that was moved or deleted, or a file that was renamed without it',
    'Two copies of one file',
    'Rows that differ only there stay undecided unless each has a message',
  ],
  'docs/many-machines.md': [
    'all rows of such claims are sent twice',
    'Give `enqueue`, `work` and `collect` the same number',
    'The port listens at all addresses of the machine',
    'others on the machine see it in the process list',
    'The queue holds texts and phone numbers until',
  ],
  'docs/bulk.md': [
    'A list is *locked* when something may have been sent',
    'Do not copy it back from a backup',
    'An unknown row is sent again only when the service provably does not have it, when you say so, or with',
    'be sure that its process has ended',
    'unless `--ids-in-order` says that the service keeps the order',
    'A second Ctrl-C leaves at once',
  ],
  'docs/errors.md': [
    'no program on these pages sends again after `unknown`',
    'It repeats no fault, no HTTP 503, no refusal by status and no lost response',
    'any other HTTP status is `unknown`, whatever `Retry-After` says',
    'because it waits for a connection, is never written',
    'which could send the API key to another server',
  ],
  'docs/going-live.md': [
    'A refusal that you list as a success is never reported again',
    'If the date is wrong, `--dates` has the wrong unit',
    'Then try a refusal on purpose',
    'The request has no API key',
  ],
  'docs/delivery.md': [
    'An id says that the service took the message, and nothing about the phone',
    'The contract does not define what a provider bills',
  ],
  'docs/inbox.md': [
    'Without `read`, a lost response loses its messages',
    'are taken as handled',
    'Do not delete the journal',
    'A lost request that the service carries out after 60 seconds',
  ],
  'docs/api.md': [
    'the API key must not reach a proxy that nobody chose for it',
    'An `xsd:long` has 64 bits',
    'A column for ids needs 64 bits',
    'would be the id of another message',
    '`false` accepts any server',
    'use it for debugging only',
  ],
  'docs/sandbox.md': ['It is not flushed to the device', 'a real provider may decide otherwise'],
  'docs/sandbox-http.md': ['The control interface has no password'],
  'docs/command-line.md': [
    'The package was not tried on Windows',
    'It keeps nothing: the service may have marked messages as read that were not printed',
    'almost always two receptors',
    'usually a shell variable is not set',
    'the output could not be written (the call itself may be done)',
    'no key, status, proxy or default of one service is used for another',
    'belongs to somebody else',
  ],
  'docs/how-it-is-tested.md': [
    'no real provider could be called from here',
    'A key of one or two characters is masked where it is a word of its own',
  ],
};

const facts = Object.entries(FACTS).flatMap(([page, having]) => having.map((fact) => [page, fact] as const));

test.each(facts)('%s is the one page with the fact "%s"', (page, fact) => {
  const having = pages.filter((each) => textOf(each).replace(/\s+/g, ' ').includes(fact));
  expect(having).toEqual([page]);
});
