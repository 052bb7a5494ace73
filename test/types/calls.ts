// The requests that a caller may write, and the results. This file is compiled and never run. A line below
// `@ts-expect-error` must not compile.
import {
  type ApiReceive,
  type ApiSelect,
  MessagingClient,
  type MessagingRequest,
  type MessagingResponse,
  type OperationName,
} from '../../src';

const client = new MessagingClient({
  baseUrl: 'https://provider.example',
  namespace: 'http://provider.example/',
  apiKey: 'key',
  successStatuses: [200],
});

const simple = { sender: '3000', message: 'hello', receptor: ['1', '2'], unixdate: 0n, msgmode: 1 };

/** Compiles when the two types are the same. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function is<_Claim extends true>(): void {}

export async function results(): Promise<void> {
  const sent = await client.sendSimple(simple);
  is<Same<typeof sent, bigint[]>>();
  // @ts-expect-error a long is a bigint, not a number
  const numbers: number[] = sent;
  // @ts-expect-error a bigint and a number do not add up
  const sum = (sent[0] ?? 0n) + 1;
  const advance = await client.sendAdvance({
    ...{ sender: '1', message: 'm', encoding: 0, receptor: '2', unixdate: 0, messagemode: 1 },
    ...{ fallbackurl: '', clientmessageid: '' },
  });
  is<Same<typeof advance, bigint>>();
  const credit = await client.remainCredit();
  is<Same<typeof credit, bigint>>();
  const statuses = await client.getStatus({ messageid: [1n, 2] });
  is<Same<typeof statuses, number[]>>();
  // @ts-expect-error an int is a number, not a bigint
  const bigints: bigint[] = await client.cancel({ messageid: [] });
  const outbox = await client.selectOutbox({ startUnixdate: 0n, endUnixdate: 1n });
  is<Same<typeof outbox, ApiSelect[]>>();
  const received = await client.receive({ lineNumber: '3000', isread: 0 });
  is<Same<typeof received, ApiReceive[]>>();
  // @ts-expect-error a received message has no cost
  const cost = received[0]?.cost;
  // @ts-expect-error a text of a record may be absent
  const text: string = outbox[0]?.message;
  const id: bigint | undefined = outbox[0]?.messageid;
  is<Same<ApiSelect['messageid'], bigint>>();
  is<Same<ApiSelect['date'], bigint>>();
  is<Same<ApiSelect['status'], number>>();
  is<Same<ApiSelect['message'], string | undefined>>();
  print(numbers, sum, bigints, cost, text, id);
}

export async function responses(operation: OperationName): Promise<void> {
  const list = await client.call('SendSimpleByApikey', simple);
  is<Same<typeof list, MessagingResponse<'SendSimpleByApikey'>>>();
  is<Same<typeof list.result, bigint[]>>();
  is<Same<typeof list.status, number>>();
  is<Same<typeof list.statusmessage, string>>();
  const single = await client.call('RemainCreditByApiKey', {});
  is<Same<typeof single.result, bigint | undefined>>();
  // @ts-expect-error a refusal may come without its long
  const credit: bigint = single.result;
  // @ts-expect-error there is no such operation
  await client.call('RemainCreditByApikey', {});
  // @ts-expect-error the fields of another operation
  await client.call('GetStatusByApikey', { pagesize: 1 });
  // @ts-expect-error a response has three parts
  print(list.error);
  print(operation, credit);
}

export async function severalOperations(operation: OperationName): Promise<void> {
  // @ts-expect-error an operation may need fields
  await client.call(operation, {});
  for (const one of ['RemainCreditByApiKey', 'SelectlatestByApikey'] as const) {
    // @ts-expect-error one of the operations needs pagesize
    await client.call(one, {});
    await client.call(one, { pagesize: 1 });
  }
  const request: MessagingRequest<'RemainCreditByApiKey' | 'SelectlatestByApikey'> = { pagesize: 1 };
  // @ts-expect-error the request of another operation
  const other: MessagingRequest<'RemainCreditByApiKey' | 'SelectlatestByApikey'> = { lineNumber: '1' };
  print(request, other);
}

export async function missingFields(): Promise<void> {
  // @ts-expect-error no request
  await client.sendSimple();
  // @ts-expect-error every field is missing
  await client.sendSimple({});
  // @ts-expect-error msgmode is missing
  await client.sendSimple({ sender: '3000', message: 'hello', receptor: ['1'], unixdate: 0n });
  // @ts-expect-error sender is missing; null would leave the element out
  await client.sendSimple({ message: 'hello', receptor: ['1'], unixdate: 0n, msgmode: 1 });
  // @ts-expect-error endUnixdate is missing
  await client.selectOutbox({ startUnixdate: 0n });
  // @ts-expect-error messageid is missing
  await client.select({});
  // @ts-expect-error pagesize is missing
  await client.selectLatest({});
  // @ts-expect-error isread is missing
  await client.receive({ lineNumber: '3000' });
  // @ts-expect-error undefined is not a value
  await client.selectLatest({ pagesize: undefined });
}

export async function wrongTypes(): Promise<void> {
  // @ts-expect-error a text for a number
  await client.sendSimple({ ...simple, msgmode: '1' });
  // @ts-expect-error an int is not a bigint
  await client.sendSimple({ ...simple, msgmode: 1n });
  // @ts-expect-error a text for a list
  await client.sendSimple({ ...simple, receptor: '1' });
  // @ts-expect-error a list of the wrong type
  await client.sendSimple({ ...simple, receptor: [1] });
  // @ts-expect-error null inside a list
  await client.sendSimple({ ...simple, receptor: [null] });
  // @ts-expect-error a list for a text
  await client.sendSimple({ ...simple, sender: ['3000'] });
  // @ts-expect-error a list wrapped as on the wire
  await client.sendSimple({ ...simple, receptor: { string: ['1'] } });
  // @ts-expect-error SendArray takes a list of texts
  await client.sendArray({ ...simple, sender: '3000' });
  // @ts-expect-error msgmode is a list in SendArray
  await client.sendArray({ sender: ['1'], message: ['m'], receptor: ['2'], unixdate: 0n, msgmode: 1 });
  // @ts-expect-error a Date is not a long
  await client.sendSimple({ ...simple, unixdate: new Date() });
  // @ts-expect-error a text is not an id
  await client.getStatus({ messageid: ['1'] });
  // @ts-expect-error a boolean is not a short
  await client.receive({ lineNumber: '3000', isread: true });
  await client.sendSimple({ ...simple, unixdate: 5, receptor: Object.freeze(['1']) });
}

export async function nulls(): Promise<void> {
  await client.sendSimple({ ...simple, sender: null, message: null, receptor: null, statusmessage: null });
  // @ts-expect-error the WSDL requires unixdate
  await client.sendSimple({ ...simple, unixdate: null });
  // @ts-expect-error the WSDL requires msgmode
  await client.sendSimple({ ...simple, msgmode: null });
  // @ts-expect-error the WSDL requires status
  await client.sendSimple({ ...simple, status: null });
  await client.getStatus({ messageid: null });
  // @ts-expect-error the WSDL requires isread
  await client.receive({ lineNumber: null, isread: null });
}

export async function unknownNames(): Promise<void> {
  // @ts-expect-error unknown field
  await client.sendSimple({ ...simple, priority: 1 });
  // @ts-expect-error the spelling of another operation: messagemode
  await client.sendSimple({ ...simple, messagemode: 1 });
  // @ts-expect-error the key is an option of the client
  await client.remainCredit({ apikey: 'mine' });
  // @ts-expect-error contract names are not camel case
  await client.selectOutbox({ startUnixDate: 0n, endUnixDate: 1n });
  // @ts-expect-error unknown method
  await client.sendBulk(simple);
  // @ts-expect-error methods are not named after operations
  await client.SendSimpleByApikey(simple);
  // @ts-expect-error the stub is not public
  await client.SendSimpleByApikeyAsync({});
  // @ts-expect-error only lists of records can be streamed
  client.getStatusStream({ messageid: [1n] });
}

export async function callOptions(): Promise<void> {
  await client.remainCredit({}, { signal: AbortSignal.timeout(5), timeoutMs: 5 });
  await client.remainCredit({ status: 1, statusmessage: 'x' });
  // @ts-expect-error milliseconds are a number
  await client.remainCredit({}, { timeoutMs: '5' });
  await client.remainCredit({}, { retries: 3, idleTimeoutMs: 5 });
  // @ts-expect-error unknown call option
  await client.remainCredit({}, { maxRetries: 3 });
  // @ts-expect-error only a stream leaves out records
  await client.remainCredit({}, { onUnreadable: print });
  // @ts-expect-error a controller is not its signal
  await client.remainCredit({}, { signal: new AbortController() });
}

export async function streams(): Promise<void> {
  for await (const record of client.selectOutboxStream({ startUnixdate: 0n, endUnixdate: 1n })) {
    is<Same<typeof record, ApiSelect>>();
  }
  for await (const record of client.selectStream({ messageid: [1n] })) is<Same<typeof record, ApiSelect>>();
  for await (const record of client.selectLatestStream({ pagesize: 1 })) is<Same<typeof record, ApiSelect>>();
  for await (const record of client.receiveStream({ lineNumber: '3000', isread: 0 })) {
    is<Same<typeof record, ApiReceive>>();
    // @ts-expect-error a received message has no status
    print(record.status);
  }
  client.receiveStream({ lineNumber: '3000', isread: 0 }, { onUnreadable: ({ message }) => print(message) });
  // @ts-expect-error a stream is not an array
  const records: ApiSelect[] = client.selectLatestStream({ pagesize: 1 });
  // @ts-expect-error a stream is not a promise of a list
  const promise: Promise<ApiSelect[]> = client.selectLatestStream({ pagesize: 1 });
  // @ts-expect-error pagesize is missing
  client.selectLatestStream({});
  // @ts-expect-error a stream cannot be read without waiting
  for (const record of client.selectLatestStream({ pagesize: 1 })) print(record);
  print(records, promise);
}

function print(...values: unknown[]): void {
  console.log(values);
}
