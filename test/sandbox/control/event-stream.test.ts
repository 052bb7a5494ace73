import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Sandbox } from '../../../src/sandbox';
import { testInFull } from '../../support/loops';
import { call, KEY } from '../../support/raw-client';
import { openSandbox } from '../../support/sandbox';

describe('events', () => {
  let sandbox: Sandbox;
  beforeEach(async () => {
    sandbox = await openSandbox();
  });

  /** Listens to the events and gives the data of each. */
  async function listen(): Promise<{ next(): Promise<unknown>; response: IncomingMessage }> {
    const request = get(`${sandbox.baseUrl}/sandbox/events`, { agent: false });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.on('error', () => undefined);
    let text = '';
    const chunks = response.setEncoding('utf8')[Symbol.asyncIterator]();
    const next = async (): Promise<unknown> => {
      for (;;) {
        const match = /^(?:retry: \d+\n\n)?data: (.*)\n\n/.exec(text);
        if (match !== null) {
          text = text.slice(match[0].length);
          return JSON.parse(match[1] as string);
        }
        const { value, done } = await chunks.next();
        if (done) throw new Error('the events ended');
        text += value;
      }
    };
    return { next, response };
  }

  const sendTo = (receptors: number, text = 'سلام'): Promise<unknown> =>
    call(
      sandbox,
      '1.1',
      'SendSimpleByApikey',
      `<apikey>${KEY}</apikey><message>${text}</message><receptor>${'<string>0912</string>'.repeat(receptors)}</receptor>`,
    );

  test('an event says which kinds of things have changed since the last one', async () => {
    const { next, response } = await listen();
    expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'text/event-stream']);
    await sendTo(2);
    expect(await next()).toEqual({ changed: ['sent', 'request'] });
    sandbox.setStatus(9007199254740993n, 5, 'line\nend');
    sandbox.receive({ sender: '1', receptor: '2', message: 'a' });
    expect(await next()).toEqual({ changed: ['status', 'received'] });
    const twice = sandbox.reply('*', { status: 418 }, { times: 2 });
    expect(await next()).toEqual({ changed: ['replies'] });
    twice.clear();
    sandbox.reset();
    expect(await next()).toEqual({ changed: expect.arrayContaining(['replies', 'reset']) });
    response.destroy();
  });

  test('many changes give at most ten events a second', async () => {
    const { next, response } = await listen();
    const from = performance.now();
    let events = 0;
    const reading = (async () => {
      for (;;) {
        const { changed } = (await next()) as { changed: string[] };
        events += 1;
        if (changed.includes('reset')) return;
      }
    })();
    for (let round = 0; round < 50; round++) await sendTo(100);
    sandbox.reset();
    await reading;
    expect(events).toBeLessThanOrEqual((performance.now() - from) / 100 + 2);
    response.destroy();
  });

  test('without a change, an event is a sign of life every 15 seconds', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'performance'] });
    try {
      const { next, response } = await listen();
      jest.advanceTimersByTime(15_000);
      expect(await next()).toEqual({ changed: [] });
      response.destroy();
    } finally {
      jest.useRealTimers();
    }
  });

  testInFull('200 readers that never read take little memory, and every call is answered', async () => {
    const { port } = new URL(sandbox.baseUrl);
    const sockets: Socket[] = await Promise.all(
      Array.from({ length: 200 }, async () => {
        const socket = connect(Number(port), '127.0.0.1');
        socket.on('error', () => undefined);
        await once(socket, 'connect');
        socket.write('GET /sandbox/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
        // The test reads the head of the response and nothing else.
        await once(socket, 'data');
        socket.pause();
        return socket;
      }),
    );
    const memory = (): number => process.memoryUsage().rss;
    const before = memory();
    for (let round = 0; round < 30; round += 1) await sendTo(1000);
    expect(sandbox.messages).toHaveLength(30_000);
    expect(memory() - before).toBeLessThan(300_000_000);
    for (const socket of sockets) socket.destroy();
  });
});
