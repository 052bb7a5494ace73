import type { OperationName, SoapVersion } from '../../../src';
import { clientOf, invoke, respondWithSuccess } from '../../support/client';
import { CALLER_FIELDS, EVERY_CALL, OPERATIONS, requestFields, SAMPLES } from '../../support/contract';
import { NAMESPACE, VERSIONS } from '../../support/envelopes';
import { type RawServer, serve } from '../../support/raw-server';
import { HOSTILE_TEXTS } from '../../support/xml';
import { runXmllint, schemaErrors } from '../../support/xmllint';

// Another reader of XML reads our requests, and validates them by the schema in the WSDL.

let server: RawServer;
beforeAll(async () => {
  server = await serve(respondWithSuccess);
});

async function bodyOf(
  operation: OperationName,
  soapVersion: SoapVersion,
  request: object = SAMPLES[operation],
  namespace = NAMESPACE,
): Promise<string> {
  await invoke(clientOf(server, { soapVersion, namespace }), operation, request);
  return server.requests.at(-1)?.body ?? '';
}

test.each(Object.entries(HOSTILE_TEXTS))('xmllint reads a text that was sent unchanged: %s', async (_title, text) => {
  for (const soapVersion of VERSIONS) {
    const request = { ...SAMPLES.SendSimpleByApikey, message: text };
    const body = await bodyOf('SendSimpleByApikey', soapVersion, request);
    const { stdout, stderr } = runXmllint([body], () => ['--xpath', 'string(//*[local-name()="message"])']);
    expect({ stdout, stderr }).toEqual({ stdout: `${text}\n`, stderr: '' });
    expect(schemaErrors(NAMESPACE, [body])).toBe('');
  }
});

// With and without a final slash, another scheme, quotes. xmllint misreads "&" in the name of a namespace.
test.each([
  'http://provider.example/',
  'http://provider.example',
  'urn:provider:messaging#',
  "http://provider.example/?a='1'",
])('every request is valid by the schema in the WSDL, in the namespace %s', async (namespace) => {
  const bodies: string[] = [];
  for (const [operation, soapVersion] of EVERY_CALL) {
    const sample: object = SAMPLES[operation];
    const lists = requestFields(operation).filter(({ list }) => list);
    const emptied = Object.fromEntries(lists.map(({ name }) => [name, []]));
    const optional = CALLER_FIELDS.filter(
      (field) => field.operation === operation && (field.list || field.type === 'string'),
    );
    const bare = Object.fromEntries(optional.map(({ name }) => [name, null]));
    for (const request of [sample, { ...sample, ...emptied }, { ...sample, ...bare }])
      bodies.push(await bodyOf(operation, soapVersion, request, namespace));
  }
  expect(bodies).toHaveLength(OPERATIONS.length * VERSIONS.length * 3);
  expect(schemaErrors(namespace, bodies)).toBe('');
});

test('the schema refuses a request whose children are in another order', async () => {
  const body = await bodyOf('SelectlatestByApikey', '1.1');
  const swapped = body.replace(/(<pagesize>.*<\/pagesize>)(<status>.*<\/status>)/, '$2$1');
  expect(schemaErrors(NAMESPACE, [swapped])).toContain('fails to validate');
});
