import {
  type CallOptions,
  type MessagingClient,
  MessagingError,
  type MessagingOptions,
  type OperationName,
} from '../../src';
import { clientOf } from '../support/client';
import { SAMPLES } from '../support/contract';
import { credit, faultOf, responseOf, sentRecord } from '../support/envelopes';
import { httpResponse } from '../support/http-response';
import { callWithoutResponse, failureOf } from '../support/outcomes';
import { RawServer, serve } from '../support/raw-server';

const simple = SAMPLES.SendSimpleByApikey;

/** What fails, with the options of the client and of the call that make it fail. */
interface Failure {
  readonly service: { readonly baseUrl: string };
  readonly options?: Partial<MessagingOptions>;
  readonly call?: CallOptions;
}

const failures: Record<string, (operation: OperationName) => Promise<Failure>> = {
  ConfigurationError: async () => ({ service: await serve(credit(5)), call: { timeoutMs: -1 } }),
  StatusError: async (operation) => ({ service: await serve(responseOf(operation, '', { status: 418 })) }),
  FaultError: async () => ({ service: await serve({ status: 500, body: faultOf('Server', 'no', '', '1.1') }) }),
  HttpError: async () => ({ service: await serve({ status: 503, body: 'busy' }) }),
  ConnectionError: async () => ({ service: await RawServer.start(({ socket }) => socket.resetAndDestroy()) }),
  TimeoutError: async () => ({ service: await RawServer.start({}), call: { timeoutMs: 20 } }),
  ResponseError: async () => ({ service: await serve('hello') }),
  AbortError: async () => {
    const abort = new AbortController();
    return { service: await RawServer.start(() => abort.abort()), call: { signal: abort.signal } };
  },
};

async function useClientAsTheCallerDoes(client: MessagingClient, options?: CallOptions): Promise<bigint[]> {
  return await client.sendSimple(simple, options);
}

async function useCallAsTheCallerDoes(client: MessagingClient, options?: CallOptions): Promise<unknown> {
  return await client.call('RemainCreditByApiKey', {}, options);
}

async function useStreamAsTheCallerDoes(client: MessagingClient, options?: CallOptions): Promise<number> {
  let count = 0;
  for await (const _ of client.selectLatestStream({ pagesize: 9 }, options)) count++;
  return count;
}

describe('the stack names the line that called', () => {
  test.each(Object.entries(failures))('the stack of an error names the line that called (%s)', async (name, fail) => {
    const { service, options, call } = await fail('SendSimpleByApikey');
    const error = (await failureOf(useClientAsTheCallerDoes(clientOf(service, options), call))) as Error;
    expect(error).toMatchObject({ name });
    expect(error.stack).toContain(`${name}: ${error.message}\n`);
    expect(error.stack).toMatch(/useClientAsTheCallerDoes .*stacks\.test\.ts:\d+/);
  });

  test('the stack of a RequestError names the line that called', async () => {
    const client = clientOf(await serve(''));
    const call = async () => await client.sendSimple({ ...simple, sender: '\u0000' });
    expect(((await failureOf(call())) as Error).stack).toMatch(/stacks\.test\.ts:\d+/);
  });

  test.each(Object.entries(failures).filter(([name]) => name !== 'StatusError'))(
    'the stack of an error of call names the line that called (%s)',
    async (name, fail) => {
      const { service, options, call } = await fail('RemainCreditByApiKey');
      const error = (await failureOf(useCallAsTheCallerDoes(clientOf(service, options), call))) as Error;
      expect(error).toMatchObject({ name });
      expect(error.stack).toMatch(/useCallAsTheCallerDoes .*stacks\.test\.ts:\d+/);
    },
  );

  test.each(Object.entries(failures))(
    'the stack of an error of a stream names the line that called (%s)',
    async (name, fail) => {
      const { service, options, call } = await fail('SelectlatestByApikey');
      const error = (await failureOf(useStreamAsTheCallerDoes(clientOf(service, options), call))) as Error;
      expect(error).toBeInstanceOf(MessagingError);
      expect(error).toMatchObject({ name });
      expect(error.stack).toMatch(/useStreamAsTheCallerDoes .*stacks\.test\.ts:\d+/);
    },
  );

  test('the stack of a stream that fails while its consumer is busy names the line that asks for the next record', async () => {
    const bytes = httpResponse(responseOf('SelectlatestByApikey', sentRecord(1)));
    const service = await RawServer.start(({ socket }) => {
      socket.write(bytes.subarray(0, bytes.indexOf('</ApiSelect>') + 12), () => socket.resetAndDestroy());
    });
    const stream = clientOf(service).selectLatestStream({ pagesize: 9 });
    expect(await stream.next()).toMatchObject({ done: false });
    await service.until(() => service.closed === 1);
    const goOnAsTheCallerDoes = async () => await stream.next();
    expect(((await failureOf(goOnAsTheCallerDoes())) as Error).stack).toMatch(/goOnAsTheCallerDoes .*stacks\.test\.ts/);
  });

  test('the stack of an error after a time limit names the line that called', async () => {
    expect(((await failureOf(callWithoutResponse(50, useClientAsTheCallerDoes))) as Error).stack).toMatch(
      /useClientAsTheCallerDoes/,
    );
  });
});

test('a defect of the package keeps the stack that leads to it', async () => {
  const defect = new TypeError('a defect');
  const request = Object.defineProperty({ ...simple }, 'sender', {
    enumerable: true,
    get() {
      throw defect;
    },
  });
  const { stack } = defect;
  expect(await failureOf(clientOf(await serve('')).sendSimple(request))).toBe(defect);
  expect(defect.stack).toBe(stack);
});
