import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

// Writes docs/api, the reference of the entry points, from the types and their comments. With --check it compares.

const root = resolve(__dirname, '..');
const folder = join(root, 'docs/api');

/** The pages by the names that TypeDoc gives them, with the names of the entry points. */
const PAGES: readonly (readonly [written: string, page: string, entryPoint: string])[] = [
  ['index', 'client', 'messaging-soap'],
  ['bulk', 'bulk', 'messaging-soap/bulk'],
  ['bulk/queue', 'bullmq', 'messaging-soap/bullmq'],
  ['inbox', 'inbox', 'messaging-soap/inbox'],
  ['sandbox', 'sandbox', 'messaging-soap/sandbox'],
];

/** Runs TypeDoc, and gives the text of each page by its file name. */
function makePages(): ReadonlyMap<string, string> {
  const work = mkdtempSync(join(tmpdir(), 'messaging-docs-'));
  try {
    const typedoc = join(dirname(require.resolve('typedoc/package.json')), 'bin/typedoc');
    execFileSync(process.execPath, [typedoc, '--logLevel', 'Error', '--out', work], { cwd: root, stdio: 'inherit' });
    const pages = new Map<string, string>();
    for (const [written, page, entryPoint] of PAGES) {
      const text = readFileSync(join(work, `${written}.md`), 'utf8').replace(/^# .*\n/, '');
      const note = 'Written by `npm run docs` from the types. The [overview](README.md) lists all pages.';
      pages.set(`${page}.md`, `# ${entryPoint}\n\n${note}\n${text.replace(LINK, linkTo)}`);
    }
    pages.set('README.md', overview());
    return pages;
  } finally {
    rmSync(work, { recursive: true });
  }
}

/** A link to another page. */
const LINK = /\]\((?:\.\.\/)*((?:bulk\/)?\w+)\.md/g;

function linkTo(link: string, written: string): string {
  const [, page] = PAGES.find(([name]) => name === written || (written === 'queue' && name === 'bulk/queue')) ?? [];
  return page === undefined ? link : `](${page}.md`;
}

function overview(): string {
  const rows = PAGES.map(
    ([, page, entryPoint]) => `| [${entryPoint}](${page}.md) | \`import … from '${entryPoint}'\` |`,
  );
  return `# API reference\n\n| entry point | |\n|---|---|\n${rows.join('\n')}\n`;
}

const pages = makePages();
if (process.argv.includes('--check')) {
  const differing = [...pages].filter(([name, text]) => readIfPresent(join(folder, name)) !== text);
  if (differing.length > 0) {
    console.error(`docs/api differs from the types (${differing.map(([name]) => name).join(', ')}): npm run docs`);
    process.exitCode = 1;
  } else console.log(`docs/api: ${pages.size} pages match the types`);
} else {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) if (!pages.has(name)) rmSync(join(folder, name), { recursive: true });
  for (const [name, text] of pages) writeFileSync(join(folder, name), text);
}

function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
