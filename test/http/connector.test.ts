import dns from 'node:dns';
import { ConnectionError, TimeoutError } from '../../src';
import { connectTcp } from '../../src/http/connector';
import { cleanUp } from '../support/clean-up';
import { clientOf } from '../support/client';
import { delay } from '../support/clock';
import { credit } from '../support/envelopes';
import { freePort } from '../support/free-port';
import { FullListener } from '../support/full-listener';
import { errorOf } from '../support/outcomes';
import { type RawServer, serve } from '../support/raw-server';

/** Lets every name lead to these addresses. */
function resolveTo(...addresses: string[]): void {
  const found = addresses.map((address) => ({ address, family: 4 }));
  const answer = (_name: string, _options: unknown, callback: (error: null, found: unknown) => void) =>
    callback(null, found);
  const lookup = jest.spyOn(dns, 'lookup').mockImplementation(answer as unknown as typeof dns.lookup);
  cleanUp(() => lookup.mockRestore());
}

const named = ({ port }: { readonly port: number }) => ({ baseUrl: `http://provider.example:${port}` });

describe('a host with several addresses', () => {
  let service: RawServer;
  beforeEach(async () => {
    service = await serve(credit(5));
  });

  test('the next address is tried when one refuses, and when one does not accept', async () => {
    await FullListener.start('127.0.0.2', service.port);
    resolveTo('127.0.0.3', '127.0.0.2', '127.0.0.1');
    expect(await clientOf(named(service), { timeoutMs: 0 }).remainCredit()).toBe(5n);
    expect(service.connections).toBe(1);
  });

  test('an address that accepts late is reached, although the next one never accepts', async () => {
    const { port } = service;
    const late = await FullListener.start('127.0.0.2', port);
    await FullListener.start('127.0.0.3', port);
    resolveTo('127.0.0.2', '127.0.0.3');
    const connecting = connectTcp({ host: 'provider.example', port }, new AbortController().signal);
    // Longer than the time after which the next address is tried.
    await delay(400);
    late.accept();
    const socket = await connecting;
    cleanUp(() => socket.destroy());
    expect(socket.remoteAddress).toBe('127.0.0.2');
  });

  test('no other address is tried when the first one accepts', async () => {
    resolveTo('127.0.0.1', '127.0.0.2');
    expect(await clientOf(named(service)).remainCredit()).toBe(5n);
    expect(service.connections).toBe(1);
  });
});

test('the error of a host names each address that refuses, with its reason', async () => {
  const port = await freePort();
  resolveTo('127.0.0.2', '127.0.0.3');
  const error = await errorOf(ConnectionError, clientOf(named({ port })).remainCredit());
  expect(error).toMatchObject({ outcome: 'not-sent', code: 'ECONNREFUSED' });
  expect(error.message).toBe(
    `RemainCreditByApiKey: cannot connect: connect ECONNREFUSED 127.0.0.2:${port}; connect ECONNREFUSED 127.0.0.3:${port}`,
  );
});

test('the error of a host that is not reached in time names each address, with its reason', async () => {
  const { port } = await FullListener.start('127.0.0.3');
  resolveTo('127.0.0.2', '127.0.0.3');
  const client = clientOf(named({ port }), { connectTimeoutMs: 400 });
  const error = await errorOf(TimeoutError, client.remainCredit());
  expect(error).toMatchObject({ outcome: 'not-sent', timeoutMs: 400 });
  expect(error.message).toBe(
    `RemainCreditByApiKey: timed out after 400 ms making the connection (connect ECONNREFUSED 127.0.0.2:${port}; no response from 127.0.0.3)`,
  );
});
