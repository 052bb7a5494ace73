import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HttpResponse } from '../wire/http-message';

const files: ReadonlyMap<string, readonly [name: string, contentType: string]> = new Map([
  ['/', ['index.html', 'text/html; charset=utf-8']],
  ['/sandbox/page/style.css', ['style.css', 'text/css; charset=utf-8']],
  ['/sandbox/page/script.js', ['script.js', 'text/javascript; charset=utf-8']],
  ['/sandbox/page/icon.svg', ['icon.svg', 'image/svg+xml']],
]);

/** The page may run its own scripts only, connect to its own origin only, and turn no text into markup. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/** The response with a file of the page, or undefined for any other path. */
export function pageResponse(path: string): HttpResponse | undefined {
  const [name, contentType] = files.get(path) ?? [];
  if (name === undefined || contentType === undefined) return undefined;
  const headers = { 'Content-Type': contentType, 'Content-Security-Policy': POLICY, 'X-Frame-Options': 'DENY' };
  return { status: 200, headers, body: readFileSync(join(__dirname, 'web', name)) };
}
