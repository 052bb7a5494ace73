import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { loadContract } from '../../src/contract';
import { formatWsdl } from '../../src/soap/wsdl';
import { cleanUp } from '../support/clean-up';
import { clientOf } from '../support/client';
import { delay, holdClock } from '../support/clock';
import { credit } from '../support/envelopes';
import { httpResponse } from '../support/http-response';

// A process that is stopped, or busy, for longer than a limit: the response comes meanwhile, and the timer fires before it is read.

/** A service in a thread of its own. It responds to its first request while the test blocks its own thread. */
class Service {
  readonly baseUrl: string;
  /** Whether the service may respond, and whether it has. */
  readonly #flags: Int32Array;
  /** Fulfilled when the request has arrived. */
  readonly arrived: Promise<unknown>;

  private constructor(port: number, flags: Int32Array, worker: Worker) {
    this.baseUrl = `http://127.0.0.1:${port}`;
    this.#flags = flags;
    this.arrived = once(worker, 'message');
  }

  static async start(response: Buffer): Promise<Service> {
    const flags = new Int32Array(new SharedArrayBuffer(8));
    const worker = new Worker(
      `const { parentPort, workerData: { flags, response } } = require('node:worker_threads');
      const server = require('node:net').createServer((socket) => {
        socket.on('error', () => {}).once('data', () => {
          parentPort.postMessage('arrived');
          Atomics.wait(flags, 0, 0);
          socket.write(Buffer.from(response), () => {
            Atomics.store(flags, 1, 1);
            Atomics.notify(flags, 1);
          });
        });
      });
      server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`,
      { eval: true, workerData: { flags, response } },
    );
    cleanUp(() => worker.terminate());
    const [port] = await once(worker, 'message');
    return new Service(port, flags, worker);
  }

  /** Blocks this thread until the response is in the socket of the client. */
  respond(): void {
    Atomics.store(this.#flags, 0, 1);
    Atomics.notify(this.#flags, 0);
    Atomics.wait(this.#flags, 1, 0);
  }
}

const wsdl = formatWsdl('http://messaging.example/', 'http://messaging.example/soap/v1.asmx');

test.each<[string, Buffer, (baseUrl: string) => Promise<unknown>, unknown]>([
  ['of a call', httpResponse(credit(5)), (baseUrl) => clientOf({ baseUrl }, { timeoutMs: 1000 }).remainCredit(), 5n],
  [
    'of a call whose response is compressed',
    httpResponse({ headers: { 'Content-Encoding': 'gzip' }, body: gzipSync(credit(5)) }),
    (baseUrl) => clientOf({ baseUrl }, { timeoutMs: 1000 }).remainCredit(),
    5n,
  ],
  [
    'for the silence of a service',
    httpResponse(credit(5)),
    (baseUrl) => clientOf({ baseUrl }, { timeoutMs: 0, idleTimeoutMs: 1000 }).remainCredit(),
    5n,
  ],
  [
    'of fetching a WSDL',
    httpResponse({ headers: { 'Content-Type': 'text/xml', Connection: 'close' }, body: wsdl }),
    (baseUrl) => loadContract(`${baseUrl}/?wsdl`, { timeoutMs: 1000 }).then(({ contract }) => contract.service),
    'v1',
  ],
])('a limit %s runs out too late to lose a response that has arrived', async (_, response, call, expected) => {
  const service = await Service.start(response);
  const clock = holdClock();
  const result = call(service.baseUrl);
  result.catch(() => undefined);
  await service.arrived;
  // Node runs timers before it reads its sockets, so this must be the turn of a timer.
  await delay(1);
  service.respond();
  jest.advanceTimersByTime(5_000);
  expect(await result).toEqual(expected);
  clock.release();
});

test('the limit of making a connection runs out too late to lose a connection that was made', async () => {
  const service = await Service.start(httpResponse(credit(5)));
  const clock = holdClock();
  await delay(1);
  const result = clientOf(service, { timeoutMs: 0, connectTimeoutMs: 1000 }).remainCredit();
  result.catch(() => undefined);
  // Until the client has asked for the connection.
  for (let turn = 0; turn < 100; turn++) await undefined;
  jest.advanceTimersByTime(5_000);
  await service.arrived;
  service.respond();
  expect(await result).toBe(5n);
  clock.release();
});
