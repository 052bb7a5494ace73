import { join } from 'node:path';
import { createClientAsync } from 'soap';
import { MessagingClient } from '../src';
import { startSandbox } from '../src/sandbox';

// Makes the same calls with plain node-soap and with this package, against the sandbox, and prints a table of what a
// program gets. docs/architecture.md has this table.

const WSDL = join(__dirname, '../wsdl/messaging.v1.wsdl');

/** Writes what a program gets from a call: its value, or the failure. */
async function outcomeOf(call: () => Promise<unknown>): Promise<string> {
  const write = (value: unknown): string =>
    typeof value === 'bigint'
      ? `${value}n`
      : Array.isArray(value)
        ? `[${value.map(write).join(', ')}]`
        : JSON.stringify(value);
  try {
    return write(await call());
  } catch (error) {
    const { name, message, outcome } = error as Error & { readonly outcome?: string };
    return `${name}${outcome ? `, ${outcome}` : ''}: ${message}`;
  }
}

async function main(): Promise<void> {
  const sandbox = await startSandbox();
  const { baseUrl, apiKey, clientOptions } = sandbox;
  const endpoint = `${baseUrl}/soap/v1.asmx`;
  const plain = await createClientAsync(WSDL, { disableCache: true }, endpoint);
  const plain12 = await createClientAsync(
    WSDL,
    { disableCache: true, forceSoap12Headers: true, envelopeKey: 'soap12' },
    endpoint,
  );
  const ours = new MessagingClient({ ...clientOptions, defaults: { unixdate: 0n, msgmode: 1 } });
  const ours12 = new MessagingClient({ ...clientOptions, soapVersion: '1.2' });
  const wrong = new MessagingClient({ ...clientOptions, apiKey: 'wrong-key' });

  const rows: string[][] = [];
  const compare = async (what: string, plainCall: () => Promise<unknown>, ourCall: () => Promise<unknown>) => {
    const cells = [await outcomeOf(plainCall), await outcomeOf(ourCall)];
    rows.push([what, ...cells.map((cell) => `\`${cell}\``)]);
  };

  const [message, receptor] = [' سلام ', '09120000001'];
  const request = {
    apikey: apiKey,
    sender: '3000',
    message,
    receptor: { string: [receptor] },
    unixdate: 0,
    msgmode: 1,
  };
  await ours.sendSimple({ sender: '3000', message, receptor: [receptor] });
  const [{ messageid: id } = { messageid: 0n }] = sandbox.messages;
  const ids = { apikey: apiKey, messageid: { long: [String(id)] }, status: 0, statusmessage: '' };
  await compare(
    `the id ${id} of a message`,
    async () => (await plain.SelectByApikeyAsync(ids))[0].SelectByApikeyResult.ApiSelect[0].messageid,
    async () => (await ours.select({ messageid: [id] }))[0]?.messageid,
  );
  await compare(
    `the text ${JSON.stringify(message)} of a message`,
    async () => (await plain.SelectByApikeyAsync(ids))[0].SelectByApikeyResult.ApiSelect[0].message,
    async () => (await ours.select({ messageid: [id] }))[0]?.message,
  );
  await compare(
    'an empty list',
    async () => (await plain.SelectByApikeyAsync({ ...ids, messageid: { long: [1] } }))[0].SelectByApikeyResult,
    () => ours.select({ messageid: [1] }),
  );
  await compare(
    'the credit, with a wrong key',
    async () => (await plain.RemainCreditByApiKeyAsync({ apikey: 'wrong-key' }))[0].RemainCreditByApiKeyResult,
    () => wrong.remainCredit(),
  );
  sandbox.reply('RemainCreditByApiKey', { fault: { code: 'Client', reason: 'no such line' } }, { times: 2 });
  await compare(
    'a fault in SOAP 1.1',
    () => plain.RemainCreditByApiKeyAsync({ apikey: apiKey }),
    () => ours.remainCredit(),
  );
  sandbox.reply('RemainCreditByApiKey', { fault: { code: 'Client', reason: 'no such line' } }, { times: 2 });
  await compare(
    'a fault in SOAP 1.2',
    () => plain12.RemainCreditByApiKeyAsync({ apikey: apiKey }),
    () => ours12.remainCredit(),
  );
  sandbox.reply('SendSimpleByApikey', { drop: 'after' }, { times: 2 });
  await compare(
    'a response that is lost after the message was stored',
    () => plain.SendSimpleByApikeyAsync(request),
    () => ours.sendSimple({ sender: '3000', message, receptor: [receptor] }),
  );
  await compare(
    'the API key in the client after a call',
    async () => `${plain.lastRequest}`.includes(apiKey),
    async () => Object.values(ours).join().includes(apiKey),
  );

  for (const client of [ours, ours12, wrong]) await client.close();
  await sandbox.close();
  console.log(
    [['what', 'plain node-soap', 'messaging-soap'], ['---', '---', '---'], ...rows]
      .map((cells) => `| ${cells.join(' | ')} |`)
      .join('\n'),
  );
}

main().catch((error: unknown) => {
  console.error(error);
  // The sandbox would keep the process running.
  process.exit(1);
});
