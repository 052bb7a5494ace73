import { deepStrictEqual, ok } from 'node:assert/strict';
import { join, relative, resolve } from 'node:path';
import { type ApiSelect, MessagingClient, type OperationName, type SoapVersion } from '../src';
import { version } from '../src/internal/version';
import { type Sandbox, startSandbox } from '../src/sandbox';
import { findDrift } from './generate/files';

/** A text with blanks, Persian, an emoji and markup, which careless clients change on the way. */
const TEXT = ' سلام دنیا‌ی من 👋 <b>&amp;</b> ]]> ';

/** One call of the demonstration. */
interface Step {
  readonly operation: OperationName;
  /** Describes the request in words. */
  readonly request: string;
  /** Calls the operation and describes the result in words. @throws when the result is wrong */
  readonly run: () => Promise<string>;
}

type DemoClient = MessagingClient<{ readonly unixdate: bigint; readonly msgmode: number }>;

/** Calls the ten operations. They look up the credit, send, find, cancel and receive. */
function stepsOf(client: DemoClient, sandbox: Sandbox): readonly Step[] {
  let before = 0n;
  let ids: bigint[] = [];
  const sent = () => sandbox.messages.slice(-ids.length) as ApiSelect[];
  return [
    {
      operation: 'RemainCreditByApiKey',
      request: 'read the remaining credit',
      run: async () => {
        before = await client.remainCredit();
        return `credit ${before}`;
      },
    },
    {
      operation: 'SendSimpleByApikey',
      request: 'send a text to 2 receptors',
      run: async () => {
        ids = await client.sendSimple({ sender: '3000', message: TEXT, receptor: ['09120000001', '09120000002'] });
        deepStrictEqual(
          sent().map(({ messageid, message }) => [messageid, message]),
          ids.map((id) => [id, TEXT]),
        );
        return `ids ${ids.join(', ')}`;
      },
    },
    {
      operation: 'SendArrayByApikey',
      request: 'send 3 texts to 3 receptors',
      run: async () => {
        const request = {
          sender: ['3000', '3000', '3001'],
          message: [TEXT, 'two', ''],
          receptor: ['1', '2', '3'],
          msgmode: [1, 1, 1],
        };
        const more = await client.sendArray(request);
        deepStrictEqual(
          sandbox.messages.slice(-3).map(({ messageid, message }) => [messageid, message]),
          more.map((id, index) => [id, request.message[index]]),
        );
        return `ids ${more[0]} … ${more[2]}`;
      },
    },
    {
      operation: 'SendAdvance',
      request: 'send a text in the year 2100',
      run: async () => {
        const unixdate = 4_102_444_800n;
        const fields = {
          encoding: 2,
          messagemode: 1,
          fallbackurl: 'https://service.example/?a=1&b=2',
          clientmessageid: 'order-7',
        };
        const id = await client.sendAdvance({
          sender: '3000',
          message: TEXT,
          receptor: '09120000003',
          unixdate,
          ...fields,
        });
        ids = [...ids, id];
        deepStrictEqual(sandbox.messages.at(-1)?.date, unixdate);
        return `id ${id}`;
      },
    },
    {
      operation: 'GetStatusByApikey',
      request: 'read the status of 3 ids',
      run: async () => {
        const statuses = await client.getStatus({ messageid: ids });
        deepStrictEqual(statuses, [1, 1, 2]);
        return `statuses ${statuses.join(', ')}`;
      },
    },
    {
      operation: 'CancelByApikey',
      request: 'cancel the message of 2100',
      run: async () => {
        const statuses = await client.cancel({ messageid: ids.slice(-1) });
        deepStrictEqual(statuses, [13]);
        return `status ${statuses.join(', ')}`;
      },
    },
    {
      operation: 'SelectByApikey',
      request: 'list the records of 3 ids',
      run: async () => {
        const records = await client.select({ messageid: ids });
        deepStrictEqual(
          records.map(({ messageid, message, status }) => [messageid, message, status]),
          ids.map((id, index) => [id, TEXT, index < 2 ? 1 : 13]),
        );
        return `${records.length} records with exact texts`;
      },
    },
    {
      operation: 'SelectlatestByApikey',
      request: 'list the latest 2 messages',
      run: async () => {
        const records = await client.selectLatest({ pagesize: 2 });
        deepStrictEqual(records[0]?.messageid, ids.at(-1));
        deepStrictEqual(records.length, 2);
        return `${records.length} records, the newest first`;
      },
    },
    {
      operation: 'SelectoutboxByApikey',
      request: 'list all messages up to 2100',
      run: async () => {
        const records = await client.selectOutbox({ startUnixdate: 0, endUnixdate: 4_102_444_800 });
        deepStrictEqual(records.length, sandbox.messages.length);
        return `${records.length} records`;
      },
    },
    {
      operation: 'ReceiveByApikey',
      request: 'list unread messages of 3000',
      run: async () => {
        const received = sandbox.receive({ sender: '09120000009', receptor: '3000', message: TEXT });
        const records = await client.receive({ lineNumber: '3000', isread: 0 });
        deepStrictEqual(records, [received].flat());
        ok((await client.remainCredit()) < before, 'the credit did not go down');
        return `${records.length} record with its exact text`;
      },
    },
  ];
}

async function demonstrate(soapVersion: SoapVersion, sandbox: Sandbox): Promise<number> {
  const client = new MessagingClient({ ...sandbox.clientOptions, soapVersion, defaults: { unixdate: 0n, msgmode: 1 } });
  let failures = 0;
  console.log(`\nSOAP ${soapVersion}\n    ${row('operation', 'request', 'result', 'ms')}`);
  for (const { operation, request, run } of stepsOf(client, sandbox)) {
    const start = performance.now();
    const [mark, result] = await run().then(
      (text) => ['✓', text] as const,
      (error: Error) => ['✗', `${error.name}: ${error.message}`] as const,
    );
    if (mark === '✗') failures++;
    console.log(`  ${mark} ${row(operation, request, result, (performance.now() - start).toFixed(1))}`);
  }
  await client.close();
  return failures;
}

function row(operation: string, request: string, result: string, time: string): string {
  return `${operation.padEnd(22)}${request.padEnd(31)}${result.padEnd(43)}${time.padStart(6)}`;
}

async function main(): Promise<void> {
  const root = resolve(__dirname, '..');
  const wsdl = join(root, 'wsdl/messaging.v1.wsdl');
  const drift = await findDrift(root);
  const sandbox = await startSandbox();
  console.log(`messaging-soap ${version} calls the ten operations of the Messaging Service in SOAP 1.1 and 1.2.`);
  console.log(`The sandbox runs in this process at ${sandbox.baseUrl}/soap/v1.asmx.\n`);
  const wsdlName = relative(process.cwd(), wsdl);
  if (drift.length === 0) console.log(`  ✓ The generated types match ${wsdlName}.`);
  else
    console.log(
      `  ✗ The generated types do not match ${wsdlName}. Run "npm run generate".\n    ${drift.join('\n    ')}`,
    );
  let failures = drift.length;
  for (const soapVersion of ['1.1', '1.2'] as const) failures += await demonstrate(soapVersion, sandbox);
  await sandbox.close();
  if (failures > 0) {
    console.log(`\n${failures} of these checks failed.`);
    process.exitCode = 1;
    return;
  }
  console.log(`\nAll 20 calls returned the right result. Ids beyond 2^53 are exact, and texts are unchanged.

Try next:
  npx messaging sandbox          runs the same service at http://127.0.0.1:8080 and prints commands to paste
  npx messaging --help           lists the commands
  npm test                       runs the tests`);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
