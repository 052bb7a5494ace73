import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Certificate } from '../../src/sandbox/certificate';

const certificateOf = (name: string) => new Certificate(readFileSync(join(__dirname, `../fixtures/tls/${name}.pem`)));

test.each([
  ['localhost', 'https://127.0.0.1:8443', 'https://localhost:8443'],
  ['localhost', 'https://[::1]:1', 'https://localhost:1'],
  ['localhost', 'https://localhost:1', 'https://localhost:1'],
  ['localhost', 'https://sandbox.internal:1', 'https://sandbox.internal:1'],
  ['server', 'https://127.0.0.1:1', 'https://127.0.0.1:1'],
  ['server', 'https://[::1]:1', 'https://localhost:1'],
  ['provider', 'https://127.0.0.1:1', 'https://127.0.0.1:1'],
])('with the certificate %s, a client calls %s as %s', (name, given, valid) => {
  expect(certificateOf(name).validUrl(given)).toBe(valid);
});

test('a certificate that is its own authority can be trusted by itself', () => {
  expect(certificateOf('localhost').ownAuthority).toMatch(
    /^-----BEGIN CERTIFICATE-----\n.*-----END CERTIFICATE-----$/s,
  );
  expect(certificateOf('server').ownAuthority).toBeUndefined();
});
