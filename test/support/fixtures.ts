import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(__dirname, '../fixtures');

/** The raw HTTP response of a real service from test/fixtures/asmx. */
export function responseFixture(name: string): { readonly raw: Buffer; readonly body: Buffer } {
  const raw = readFileSync(join(folder, 'asmx', `${name}.response.http`));
  return { raw, body: raw.subarray(raw.indexOf('\r\n\r\n') + 4) };
}

/** A file of test/fixtures/tls, which says in its README how they were made. */
export function pem(name: string): string {
  return readFileSync(join(folder, 'tls', name), 'utf8');
}
