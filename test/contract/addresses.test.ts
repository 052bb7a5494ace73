import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import type { Sandbox } from '../../src/sandbox';
import { Capture, environmentOf } from '../cli/support';
import { makeFolder } from '../support/folder';
import { type BuiltPackage, buildPackage } from './build';
import { wsdl } from './wsdl';

let folder: string;
let built: BuiltPackage;
let sandbox: Sandbox;

/** A package of a WSDL whose address begins with its namespace, and has a query. */
beforeAll(async () => {
  folder = makeFolder();
  const text = wsdl.replaceAll(
    'http://provider.example/soap/v1.asmx',
    'http://messaging.example/a/sms?tenant=7&amp;x=%3D',
  );
  built = buildPackage(folder, text);
  sandbox = await built.sandbox.startSandbox({ namespace: 'urn:a&b' });
});
afterAll(() => sandbox.close());

test('a client posts to the path and the query of the address', async () => {
  const client = new built.client.MessagingClient({ ...sandbox.clientOptions });
  try {
    await expect(client.remainCredit({})).resolves.toEqual(expect.any(BigInt));
  } finally {
    await client.close();
  }
  expect(sandbox.requests.map(({ url }) => url)).toEqual(['/a/sms?tenant=7&x=%3D']);
});

test('the sandbox sends its WSDL with the address that clients use', async () => {
  const response = await fetch(`${sandbox.baseUrl}/a/sms?tenant=7&x=%3D&wsdl`);
  const text = await response.text();
  expect(text).toContain(`<soap:address location="${sandbox.baseUrl}/a/sms?tenant=7&amp;x=%3D"/>`);
  expect(text).toContain(' targetNamespace="urn:a&amp;b"');
  expect(text).toContain('soapAction="urn:a&amp;bSendAdvance"');
});

test('contract diff finds the WSDL behind the query, and no difference', async () => {
  const [stdout, stderr] = [new Capture(), new Capture()];
  const io = {
    stdout,
    stderr,
    stdin: Readable.from([]),
    environment: environmentOf(sandbox),
    signals: new EventEmitter(),
  };
  const code = await built.cli.run(['contract', 'diff'], { ...io, invocation: 'messaging' });
  expect({ code, stderr: stderr.text }).toEqual({ code: 0, stderr: '' });
  expect(stdout.text).toBe(
    `${sandbox.baseUrl}/a/sms?tenant=7&x=%3D&wsdl: no difference\n\nSettings for this service:\n` +
      `  MESSAGING_NAMESPACE='urn:a&b'\n  MESSAGING_BASE_URL=${sandbox.baseUrl}\n`,
  );
});
