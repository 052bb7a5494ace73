import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Sandbox } from '../../../src/sandbox';
import { loopSize } from '../../support/loops';
import { call, KEY } from '../../support/raw-client';
import { openSandbox } from '../../support/sandbox';

const EVENTS = loopSize(100_000);

describe('events', () => {
  let sandbox: Sandbox;
  beforeEach(async () => {
    sandbox = await openSandbox();
  });

  /** Listens to the events and gives the name and the record of each. */
  async function listen(): Promise<{ next(): Promise<[string, unknown]>; response: IncomingMessage }> {
    const request = get(`${sandbox.baseUrl}/sandbox/events`, { agent: false });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.on('error', () => undefined);
    let text = '';
    let start = 0;
    const chunks = response.setEncoding('utf8')[Symbol.asyncIterator]();
    const next = async (): Promise<[string, unknown]> => {
      for (;;) {
        const pattern = /(?:retry: \d+\n\n)?event: (\w+)\ndata: (.*)\n\n/y;
        pattern.lastIndex = start;
        const match = pattern.exec(text);
        if (match !== null) {
          start = pattern.lastIndex;
          return [match[1] as string, JSON.parse(match[2] as string)];
        }
        const { value, done } = await chunks.next();
        if (done) throw new Error('the events ended');
        text = text.slice(start) + value;
        start = 0;
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

  test('Each change and each request gives an event with its record', async () => {
    const { next, response } = await listen();
    expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'text/event-stream']);
    await sendTo(2);
    expect(await next()).toEqual(['sent', expect.objectContaining({ messageid: '9007199254740993', message: 'سلام' })]);
    expect(await next()).toEqual(['sent', expect.objectContaining({ messageid: '9007199254740994' })]);
    const [name, request] = await next();
    expect([name, request]).toEqual(['request', expect.objectContaining({ operation: 'SendSimpleByApikey' })]);
    expect(JSON.stringify(request)).not.toContain(KEY);
    sandbox.setStatus(9007199254740993n, 5, 'line\nend');
    expect(await next()).toEqual(['status', expect.objectContaining({ status: 5, statustext: 'line\nend' })]);
    sandbox.receive([
      { sender: '1', receptor: '2', message: 'a' },
      { sender: '1', receptor: '2', message: 'b' },
    ]);
    expect(await next()).toEqual(['received', expect.objectContaining({ message: 'a', isread: 0 })]);
    expect(await next()).toEqual(['received', expect.objectContaining({ message: 'b' })]);
    await call(
      sandbox,
      '1.1',
      'CancelByApikey',
      `<apikey>${KEY}</apikey><messageid><long>9007199254740994</long></messageid>`,
    );
    expect(await next()).toEqual(['status', expect.objectContaining({ status: 13 })]);
    expect((await next())[0]).toBe('request');
    sandbox.reset();
    expect(await next()).toEqual(['reset', {}]);
    response.destroy();
  });

  test('A reply gives a `replies` event when it is armed, used and disarmed', async () => {
    const { next, response } = await listen();
    const twice = sandbox.reply('*', { status: 418 }, { times: 2 });
    sandbox.reply('SendAdvance', { status: 1 }, { times: Number.POSITIVE_INFINITY });
    expect([await next(), await next()]).toEqual([
      ['replies', { armed: 1 }],
      ['replies', { armed: 2 }],
    ]);
    await sendTo(1);
    expect([await next(), (await next())[0]]).toEqual([['replies', { armed: 2 }], 'request']);
    twice.clear();
    twice.clear();
    expect(await next()).toEqual(['replies', { armed: 1 }]);
    // Using a reply without an end changes nothing.
    await call(sandbox, '1.1', 'SendAdvance', '');
    expect((await next())[0]).toBe('request');
    sandbox.clearReplies();
    sandbox.clearReplies();
    expect(await next()).toEqual(['replies', { armed: 0 }]);
    sandbox.reset();
    expect(await next()).toEqual(['reset', {}]);
    response.destroy();
  });

  test(`${EVENTS} events at once reach a reader that keeps reading`, async () => {
    const { next, response } = await listen();
    await sendTo(EVENTS);
    for (let count = 0; count < EVENTS; count += 1) {
      const [, record] = await next();
      if (count % 1000 !== 0) continue;
      expect(record).toMatchObject({ messageid: String(9007199254740993n + BigInt(count)) });
    }
    expect((await next())[0]).toBe('request');
    response.destroy();
  });

  test('An event that is too long for a string disconnects the readers, and the change takes effect', async () => {
    const { response } = await listen();
    const ended = new Promise((resolve) => response.on('close', resolve));
    const message = { sender: '1', receptor: '2', message: 'a' };
    jest.spyOn(JSON, 'stringify').mockImplementationOnce(() => {
      throw new RangeError('Invalid string length');
    });
    expect(sandbox.receive(message)).toMatchObject(message);
    await ended;
    const { next, response: second } = await listen();
    sandbox.receive(message);
    expect((await next())[0]).toBe('received');
    second.destroy();
  });

  test('10 readers that never read are disconnected, and then use no memory', async () => {
    const { port } = new URL(sandbox.baseUrl);
    const sockets: Socket[] = await Promise.all(
      Array.from({ length: 10 }, async () => {
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
    const memory = (): number => process.memoryUsage().arrayBuffers;
    // Two events of about 1 MB for each message. The queue holds the last 32 MiB of them.
    const text = 'x'.repeat(1_000_000);
    for (let round = 0; round < 20; round += 1) await sendTo(1, text);
    const peak = memory();
    for (let round = 0; round < 10; round += 1) await sendTo(1, text);
    // Without the limit each of the 10 readers would hold 20 MB more by now.
    expect(memory() - peak).toBeLessThan(50_000_000);
    const ends = sockets.map((socket) => once(socket, 'close'));
    for (const socket of sockets) socket.resume();
    await Promise.all(ends);
    await sendTo(1);
  });
});
