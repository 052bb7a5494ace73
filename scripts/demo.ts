import { deepStrictEqual } from 'node:assert/strict';
import { MessagingClient, type OperationName, type SoapVersion } from '../src';
import { version } from '../src/internal/version';
import { type Sandbox, startSandbox } from '../src/sandbox';

// Starts the sandbox in this process and calls ten operations in both SOAP versions. A wrong result ends it.

/** A text with blanks, Persian, an emoji and markup, which careless clients change on the way. */
const TEXT = ' سلام دنیا‌ی من 👋 <b>&amp;</b> ]]> ';
const YEAR_2100 = 4_102_444_800n;

const line = (mark: string, operation: string, request: string, result: string) =>
  console.log(`  ${mark} ${operation.padEnd(22)}${request.padEnd(31)}${result}`);

/** Prints one call. @throws when its result is not the expected one */
async function show<T>(operation: OperationName, request: string, call: Promise<T>, expected: () => T): Promise<T> {
  const result = await call;
  deepStrictEqual(result, expected(), `${operation}: wrong result`);
  const values = [result].flat();
  line('✓', operation, request, typeof values[0] === 'object' ? `records: ${values.length}` : values.join(', '));
  return result;
}

/** Calls the operations, and compares each result with what the sandbox has stored. */
async function demonstrate(soapVersion: SoapVersion, sandbox: Sandbox): Promise<void> {
  const client = new MessagingClient({ ...sandbox.clientOptions, soapVersion, defaults: { unixdate: 0n, msgmode: 1 } });
  /** The stored ids of the last messages, whose texts must be these. */
  const stored = (...texts: string[]) => {
    const last = sandbox.messages.slice(-texts.length);
    const lastTexts = last.map(({ message }) => message);
    deepStrictEqual(lastTexts, texts);
    return last.map(({ messageid }) => messageid);
  };
  const credit = 9_007_199_254_740_995n - 120n * BigInt(sandbox.messages.length);
  console.log(`\nSOAP ${soapVersion}`);
  line(' ', 'operation', 'request', 'result');

  await show('RemainCreditByApiKey', 'read the remaining credit', client.remainCredit(), () => credit);
  const simple = client.sendSimple({ sender: '3000', message: TEXT, receptor: ['09120000001', '09120000002'] });
  const ids = await show('SendSimpleByApikey', 'send a text to 2 receptors', simple, () => stored(TEXT, TEXT));
  const two = { sender: ['3000', '3001'], message: [TEXT, ''], receptor: ['1', '2'], msgmode: [1, 1] };
  const array = client.sendArray(two);
  await show('SendArrayByApikey', 'send 2 texts to 2 receptors', array, () => stored(TEXT, ''));
  const later = client.sendAdvance({
    sender: '3000',
    message: TEXT,
    encoding: 2,
    receptor: '09120000003',
    unixdate: YEAR_2100,
    messagemode: 1,
    fallbackurl: 'https://service.example/?a=1&b=2',
    clientmessageid: '7',
  });
  ids.push(await show('SendAdvance', 'send a text in the year 2100', later, () => stored(TEXT)[0] as bigint));

  const statuses = client.getStatus({ messageid: ids });
  await show('GetStatusByApikey', 'read the status of 3 ids', statuses, () => [1, 1, 2]);
  const cancelled = client.cancel({ messageid: ids.slice(-1) });
  await show('CancelByApikey', 'cancel the message of 2100', cancelled, () => [13]);
  const known = () => sandbox.messages.filter((message) => ids.includes(message.messageid));
  await show('SelectByApikey', 'list the records of 3 ids', client.select({ messageid: ids }), known);
  const newest = () => sandbox.messages.slice(-2).reverse();
  await show('SelectlatestByApikey', 'list the latest 2 messages', client.selectLatest({ pagesize: 2 }), newest);
  const all = client.selectOutbox({ startUnixdate: 0, endUnixdate: YEAR_2100 });
  await show('SelectoutboxByApikey', 'list all messages up to 2100', all, () => [...sandbox.messages]);
  const received = [sandbox.receive({ sender: '09120000009', receptor: '3000', message: TEXT })];
  const unread = client.receive({ lineNumber: '3000', isread: 0 });
  await show('ReceiveByApikey', 'list unread messages of 3000', unread, () => received);
  await client.close();
}

async function main(): Promise<void> {
  const sandbox = await startSandbox();
  console.log(`messaging-soap ${version} calls the sandbox at ${sandbox.baseUrl}/soap/v1.asmx.`);
  await demonstrate('1.1', sandbox);
  await demonstrate('1.2', sandbox);
  await sandbox.close();
  console.log(`\nAll 20 calls returned the right result. Ids beyond 2^53 are exact, and texts are unchanged.

Try next:
  npx messaging-soap sandbox     runs the same service at http://127.0.0.1:8080 and prints commands to paste
  npx messaging-soap --help      lists the commands`);
}

main().catch((error: unknown) => {
  console.error(error);
  // The sandbox would keep the process running.
  process.exit(1);
});
