import { type MessagingClient, RequestError } from '../../../src';
import { clientOf } from '../../support/client';
import { OPERATIONS, SAMPLES } from '../../support/contract';
import { collect, errorOf } from '../../support/outcomes';
import { RawServer } from '../../support/raw-server';

const simple = SAMPLES.SendSimpleByApikey;

const calls: [string, (client: MessagingClient) => unknown][] = [
  // @ts-expect-error a field of the wrong type
  ['a field of the wrong type', (client) => client.sendSimple({ ...simple, msgmode: 'x' })],
  // @ts-expect-error an operation that does not exist
  ['an unknown operation', (client) => client.call('DropAllMessages', {})],
  ['an operation named like a method of every object', (client) => client.call('toString' as never, {} as never)],
  // @ts-expect-error no text
  ['an operation that is null', (client) => client.call(null, {})],
  // @ts-expect-error no text
  ['an operation that is a number', (client) => client.call(5, {})],
  ['an operation in a list', (client) => client.call(['SendAdvance'] as never, {} as never)],
  [
    'an operation that cannot be converted to a text',
    (client) => client.call(Object.create(null) as never, {} as never),
  ],
  // @ts-expect-error a field that no request has
  ['an unknown field', (client) => client.getStatus({ messageid: [1n], verbose: true })],
  // @ts-expect-error no request
  ['no request', (client) => client.sendSimple()],
  // @ts-expect-error a null request
  ['a null request', (client) => client.sendSimple(null)],
  // @ts-expect-error a list for a request
  ['a list as the request', (client) => client.sendSimple([])],
  ['a key of its own', (client) => client.remainCredit({ apikey: 'mine' } as never)],
  // @ts-expect-error a text for a list
  ['a text where a list belongs', (client) => client.getStatus({ messageid: '12' })],
  ['a number that is out of range', (client) => client.receive({ lineNumber: '3000', isread: 40_000 })],
  ['an unsafe number', (client) => client.getStatus({ messageid: [2 ** 53] })],
];

test.each(calls)('%s rejects with a RequestError, and nothing is sent', async (_, call) => {
  const service = await RawServer.start({});
  // A synchronous throw would fail here.
  const promise = call(clientOf(service)) as Promise<unknown>;
  expect(promise).toBeInstanceOf(Promise);
  expect((await errorOf(RequestError, promise)).outcome).toBe('not-sent');
  expect(service.connections).toBe(0);
});

test('a wrong request rejects the first record of a stream, and creating the stream does not throw', async () => {
  const service = await RawServer.start({});
  // @ts-expect-error a field of the wrong type
  const stream = clientOf(service).selectLatestStream({ pagesize: 'all' });
  expect((await errorOf(RequestError, stream.next())).field).toBe('pagesize');
  expect(await stream.next()).toEqual({ done: true, value: undefined });
  // @ts-expect-error a request that is none
  await errorOf(RequestError, collect(clientOf(service).receiveStream(null)));
});

test.each([
  ['an unknown operation', 'SendSimple', 'SendSimple: '],
  ['no operation', undefined, ''],
  ['an operation that is no text', ['SendAdvance'], ''],
])('the error for %s lists the operations', async (_, operation, start) => {
  const call = clientOf({ baseUrl: 'http://127.0.0.1:1' }).call(operation as never, {} as never);
  const error = await errorOf(RequestError, call);
  expect(error.message).toBe(`${start}unknown operation (operations: ${OPERATIONS.join(', ')})`);
  expect(error).toMatchObject({ operation: start === '' ? undefined : operation, field: undefined, problems: [] });
});
