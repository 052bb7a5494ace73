import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/process';

const pages = readdirSync(join(ROOT, 'docs'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`);

/** The words outside code blocks and comments. */
function wordsOf(text: string): number {
  const plain = text.replace(/^```[\s\S]*?^```$/gm, '').replace(/<!--[\s\S]*?-->/g, '');
  return plain.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');

test.each([
  ['README.md', 750],
  ['docs/api.md', 3250],
  ['CONTRIBUTING.md', 1700],
  ['CHANGELOG.md', 400],
  ['examples/README.md', 200],
  ...pages.filter((page) => page !== 'docs/api.md').map((page) => [page, 1200] as const),
] as const)('%s has at most %d words outside code', (path, most) => {
  expect(wordsOf(textOf(path))).toBeLessThanOrEqual(most);
});

test('all pages for users have at most 15,500 words outside code', () => {
  const counts = ['README.md', ...pages].map((path) => wordsOf(textOf(path)));
  expect(counts.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(15_500);
});

test('README.md has at most 150 lines', () => {
  expect(textOf('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(150);
});

test.each(pages)('%s answers its question in 10 to 60 words before its first heading', (path) => {
  const [, start = ''] = /^# .*\n([\s\S]*?)(?=^## |^```|^\|)/m.exec(textOf(path)) ?? [];
  expect(wordsOf(start)).toBeGreaterThanOrEqual(10);
  expect(wordsOf(start)).toBeLessThanOrEqual(60);
});

/** What a user decides by: each fact is on one page. */
const FACTS: readonly (readonly [page: string, fact: RegExp])[] = [
  ['docs/unknown-rows.md', /Another program that sends the same text/],
  ['docs/unknown-rows.md', /a service that does not keep this promise sends messages twice/],
  ['docs/unknown-rows.md', /A refused batch is taken to mean that nothing of it was sent/],
  ['docs/many-machines.md', /all rows of such claims are sent twice/],
  ['docs/bulk.md', /A list is \*locked\* when something may have been sent/],
  ['docs/bulk.md', /Do not copy it back from a backup/],
  ['docs/errors.md', /no program on these pages sends again after `unknown`/],
  ['docs/errors.md', /It repeats no fault, no\s+HTTP 503/],
  ['docs/going-live.md', /A refusal that you list as a success is never reported again/],
  ['docs/api.md', /the API key must not reach a proxy that nobody chose for it/],
  ['docs/api.md', /An `xsd:long` has 64 bits/],
  ['docs/sandbox.md', /It is not flushed to the device/],
  ['docs/sandbox-http.md', /The control interface has no password/],
  ['docs/command-line.md', /The package was not tried on Windows/],
];

test.each(FACTS)('%s is the one page with the fact %s', (page, fact) => {
  const having = pages.filter((each) => fact.test(textOf(each)));
  expect(having).toEqual([page]);
});
