import { deepStrictEqual, ok } from 'node:assert/strict';
import { join, relative, resolve } from 'node:path';
import { type ApiSelect, MessagingClient, type OperationName, type SoapVersion } from '../src';
import { version } from '../src/internal/version';
import { type Sandbox, startSandbox } from '../src/sandbox';
import { findDrift, generateFiles } from './generate/files';

/** A text with everything that gets lost on the way where a client is careless. */
const TEXT = ' سلام دنیا‌ی من 👋 <b>&amp;</b> ]]> ';

/** One call of the demonstration: what a person reads about it, and what must come back. */
interface Step {
  readonly operation: OperationName;
  readonly asked: string;
  /** Calls the operation, throws unless the answer is what it must be, and says what came back. */
  readonly run: () => Promise<string>;
}

type DemoClient = MessagingClient<{ readonly unixdate: bigint; readonly msgmode: number }>;

/** The ten operations in this order: look, send, find, cancel, receive. */
function stepsOf(client: DemoClient, sandbox: Sandbox): readonly Step[] {
  let before = 0n;
  let ids: bigint[] = [];
  const sent = () => sandbox.messages.slice(-ids.length) as ApiSelect[];
  return [
    {
      operation: 'RemainCreditByApiKey',
      asked: 'the remaining credit',
      run: async () => {
        before = await client.remainCredit();
        return `${before}`;
      },
    },
    {
      operation: 'SendSimpleByApikey',
      asked: 'one text to 2 receptors',
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
      asked: '3 texts, each to its receptor',
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
      asked: 'one text, for the year 2100',
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
      asked: 'the status of those 3 ids',
      run: async () => {
        const statuses = await client.getStatus({ messageid: ids });
        deepStrictEqual(statuses, [1, 1, 2]);
        return statuses.join(', ');
      },
    },
    {
      operation: 'CancelByApikey',
      asked: 'to cancel the last of them',
      run: async () => {
        const statuses = await client.cancel({ messageid: ids.slice(-1) });
        deepStrictEqual(statuses, [13]);
        return statuses.join(', ');
      },
    },
    {
      operation: 'SelectByApikey',
      asked: 'the records of those 3 ids',
      run: async () => {
        const records = await client.select({ messageid: ids });
        deepStrictEqual(
          records.map(({ messageid, message, status }) => [messageid, message, status]),
          ids.map((id, index) => [id, TEXT, index < 2 ? 1 : 13]),
        );
        return `${records.length} records, texts exact`;
      },
    },
    {
      operation: 'SelectlatestByApikey',
      asked: 'the latest 2 messages',
      run: async () => {
        const records = await client.selectLatest({ pagesize: 2 });
        deepStrictEqual(records[0]?.messageid, ids.at(-1));
        deepStrictEqual(records.length, 2);
        return `${records.length} records, newest first`;
      },
    },
    {
      operation: 'SelectoutboxByApikey',
      asked: 'everything up to the year 2100',
      run: async () => {
        const records = await client.selectOutbox({ startUnixdate: 0, endUnixdate: 4_102_444_800 });
        deepStrictEqual(records.length, sandbox.messages.length);
        return `${records.length} records`;
      },
    },
    {
      operation: 'ReceiveByApikey',
      asked: 'what is unread on line 3000',
      run: async () => {
        const given = sandbox.receive({ sender: '09120000009', receptor: '3000', message: TEXT });
        const records = await client.receive({ lineNumber: '3000', isread: 0 });
        deepStrictEqual(records, [given].flat());
        ok((await client.remainCredit()) < before, 'credit went down');
        return `${records.length} record, text exact`;
      },
    },
  ];
}

async function demonstrate(soapVersion: SoapVersion, sandbox: Sandbox): Promise<number> {
  const client = new MessagingClient({ ...sandbox.clientOptions, soapVersion, defaults: { unixdate: 0n, msgmode: 1 } });
  let failures = 0;
  console.log(`\nSOAP ${soapVersion}\n    ${row('operation', 'asked for', 'came back', 'ms')}`);
  for (const { operation, asked, run } of stepsOf(client, sandbox)) {
    const start = performance.now();
    const [mark, cameBack] = await run().then(
      (text) => ['✓', text] as const,
      (error: Error) => ['✗', `${error.name}: ${error.message}`] as const,
    );
    if (mark === '✗') failures++;
    console.log(`  ${mark} ${row(operation, asked, cameBack, (performance.now() - start).toFixed(1))}`);
  }
  await client.close();
  return failures;
}

function row(operation: string, asked: string, cameBack: string, time: string): string {
  return `${operation.padEnd(22)}${asked.padEnd(32)}${cameBack.padEnd(42)}${time.padStart(6)}`;
}

async function main(): Promise<void> {
  const root = resolve(__dirname, '..');
  const wsdl = join(root, 'wsdl/messaging.v1.wsdl');
  const drift = await findDrift(await generateFiles(wsdl), join(root, 'generated'));
  const sandbox = await startSandbox();
  console.log(`messaging-soap ${version}: the ten operations of the Messaging Service, in SOAP 1.1 and 1.2,`);
  console.log(`against the sandbox that just started at ${sandbox.baseUrl}/soap/v1.asmx\n`);
  const wsdlName = relative(process.cwd(), wsdl);
  if (drift.length === 0) console.log(`  ✓ the typed stubs match ${wsdlName}`);
  else console.log(`  ✗ the typed stubs do not match ${wsdlName}: run "npm run generate"\n    ${drift.join('\n    ')}`);
  let failures = drift.length;
  for (const soapVersion of ['1.1', '1.2'] as const) failures += await demonstrate(soapVersion, sandbox);
  await sandbox.close();
  if (failures > 0) {
    console.log(`\n${failures} of these are not as they must be.`);
    process.exitCode = 1;
    return;
  }
  console.log(`\n20 calls, each answer as it must be: every id exact beyond 2^53, every text as it was sent.

Try next:
  npx messaging sandbox          the same service at http://127.0.0.1:8080, with commands to paste
  npx messaging --help           the command line
  npm test                       what holds all this`);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
