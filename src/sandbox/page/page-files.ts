import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { operations } from '../../../generated/operations';
import type { HttpResponse } from '../http';
import { knownStatuses } from '../store/messages';
import { type ExampleTarget, formatCurl, formatFirstMessage } from './first-message';

const scripts = 'actions address api delivery detail dom exchange forms list lists main overview parts row';

/** The content type of each file of the page, by path. */
const contentTypes: ReadonlyMap<string, string> = new Map([
  ['/', 'text/html; charset=utf-8'],
  ['/sandbox/page/style.css', 'text/css; charset=utf-8'],
  ['/sandbox/page/icon.svg', 'image/svg+xml'],
  ...scripts.split(' ').map((name) => [`/sandbox/page/${name}.mjs`, 'text/javascript; charset=utf-8'] as const),
]);

/** The page may run its own scripts only, connect to its own origin only, and turn no text into markup. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/**
 * The response with a part of the page, or undefined for any other path.
 *
 * @param target the sandbox that the examples call
 */
export function pageResponse(path: string, target: ExampleTarget): HttpResponse | undefined {
  if (path === '/sandbox/page/service.json') {
    const examples = { cli: formatFirstMessage('npx messaging', target), curl: formatCurl(target) };
    const body = JSON.stringify({ operations: Object.keys(operations), examples, statuses: [...knownStatuses] });
    return { status: 200, headers: { 'Content-Type': 'application/json' }, body };
  }
  const contentType = contentTypes.get(path);
  if (contentType === undefined) return undefined;
  const name = path === '/' ? 'index.html' : path.slice('/sandbox/page/'.length);
  const headers = { 'Content-Type': contentType, 'Content-Security-Policy': POLICY, 'X-Frame-Options': 'DENY' };
  return { status: 200, headers, body: readFileSync(join(__dirname, 'web', name)) };
}
