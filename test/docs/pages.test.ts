import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { filesIn } from '../support/documents';
import { ROOT } from '../support/process';

const pages = filesIn('.md');

/** The lines of a page outside its blocks of code, with their numbers. */
function linesOf(page: string): { readonly line: string; readonly number: number }[] {
  let isCode = false;
  return readFileSync(join(ROOT, page), 'utf8')
    .split('\n')
    .map((line, index) => ({ line, number: index + 1 }))
    .filter(({ line }) => {
      if (/^\s*```/.test(line)) isCode = !isCode;
      return !isCode;
    });
}

/** The anchors that GitHub makes of the headings of a page. */
function anchorsOf(page: string): string[] {
  const headings = linesOf(page).flatMap(({ line }) => /^#+ (.*)/.exec(line)?.[1] ?? []);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test.each(pages)('each relative link of %s leads to a file, and to a heading of it', (page) => {
  const links = linesOf(page).flatMap(({ line, number }) =>
    [...line.matchAll(/\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"/g)].map(([, link, picture]) => ({
      number,
      link: link ?? picture ?? '',
    })),
  );
  const broken = links.filter(({ link }) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? page : join(dirname(page), path);
    return !existsSync(join(ROOT, target)) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
  });
  expect(broken).toEqual([]);
});

test.each(pages)('each line of %s that begins with a bar is in a table', (page) => {
  const lines = linesOf(page);
  const outside = lines.filter(({ line }, index) => {
    if (!line.startsWith('|')) return false;
    let first = index;
    while (lines[first - 1]?.line.startsWith('|')) first--;
    return !/^\|(?:\s*:?-+:?\s*\|)+$/.test(lines[first + 1]?.line ?? '');
  });
  expect(outside).toEqual([]);
});
