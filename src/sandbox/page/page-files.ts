import { readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { operations } from '../../../generated/operations';
import type { HttpResponse } from '../http';
import { knownStatuses } from '../store/messages';
import { type ExampleTarget, formatFirstCall, formatFirstMessage, formatReceived } from './first-message';

const web = join(__dirname, 'web');

/** The files of the page that the package htm has, by their names on the page. The build copies them to the others. */
export const borrowed: Readonly<Record<string, string>> = {
  'htm.mjs': 'preact/standalone.mjs',
  'htm-licence.txt': 'LICENSE',
};

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.mjs': 'text/javascript; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};

/** The page may run its own scripts only, connect to its own origin only, and turn no text into markup. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/** The response with a part of the page, or undefined for any other path. */
export function pageResponse(path: string, target: ExampleTarget): HttpResponse | undefined {
  if (path === '/sandbox/page/service.json') {
    const examples = {
      cli: formatFirstMessage('npx messaging-soap', target),
      curl: formatFirstCall(target),
      receive: formatReceived(target),
    };
    const body = JSON.stringify({ operations: Object.keys(operations), examples, statuses: [...knownStatuses] });
    return { status: 200, headers: { 'Content-Type': 'application/json' }, body };
  }
  const name = path === '/' ? 'index.html' : path.replace(/^\/sandbox\/page\/(?!index\.html)/, '');
  const contentType = contentTypes[extname(name)];
  if (contentType === undefined) return undefined;
  const file = fileOf(name);
  if (file === undefined) return undefined;
  const headers = { 'Content-Type': contentType, 'Content-Security-Policy': POLICY, 'X-Frame-Options': 'DENY' };
  return { status: 200, headers, body: readFileSync(file) };
}

/** The place of a file of the page. A sandbox that runs from source has no copies of the borrowed files. */
function fileOf(name: string): string | undefined {
  if (readdirSync(web).includes(name)) return join(web, name);
  const source = borrowed[name];
  return source && join(dirname(require.resolve('htm')), '..', source);
}
