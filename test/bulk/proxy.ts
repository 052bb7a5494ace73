import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { cleanUp } from '../support/clean-up';

/** A way to the service that takes its time: what a client wrote arrives, even when the client has died meanwhile. */
export interface SlowWay {
  readonly baseUrl: string;
  /** Holds everything back until `release`. */
  hold(): void;
  release(): void;
  /** Resolves when what clients have written is with the service, which is in this process. */
  arrived(): Promise<void>;
  /** Resolves when nothing is on its way any more and no client is connected. */
  idle(): Promise<void>;
  /** Resolves when so many more pieces have come from clients. */
  pieces(count: number): Promise<void>;
}

/** @param delayMs how long a piece takes at most; each takes a random time */
export async function startSlowWay(target: string, delayMs: number): Promise<SlowWay> {
  const { hostname, port } = new URL(target);
  const open = new Set<Socket>();
  const waiting: (() => void)[] = [];
  const counters = new Set<{ take(): void }>();
  let isHeld = false;
  let onTheWay = 0;
  let onIdle: (() => void)[] = [];
  const step = async () => {
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, Math.random() * delayMs));
    if (isHeld) await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect(Number(port), hostname);
    open.add(far);
    let order = Promise.resolve();
    const later = (act: () => void) => {
      onTheWay += 1;
      order = order
        .then(step)
        .then(act)
        .finally(() => {
          onTheWay -= 1;
        });
    };
    near.on('data', (bytes) => {
      for (const counter of counters) counter.take();
      later(() => far.write(bytes));
    });
    near.on('end', () => later(() => far.end()));
    // A client that was killed resets its connection; what it wrote is on its way nevertheless.
    near.on('error', () => later(() => far.end()));
    far.on('data', (bytes) => near.destroyed || near.write(bytes));
    far.on('end', () => near.end());
    far.on('error', () => near.destroy());
    far.on('close', () => {
      open.delete(far);
      near.destroy();
      if (open.size > 0) return;
      for (const tell of onIdle) tell();
      onIdle = [];
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(() => {
    for (const socket of open) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold: () => {
      isHeld = true;
    },
    release: () => {
      isHeld = false;
      for (const go of waiting.splice(0)) go();
    },
    arrived: async () => {
      // A few turns of the event loop read what is in the buffers of sockets.
      for (let quiet = 0; quiet < 20; quiet++) {
        await new Promise((resolve) => setImmediate(resolve));
        if (onTheWay > 0) quiet = 0;
      }
    },
    idle: () => (open.size === 0 ? Promise.resolve() : new Promise((resolve) => onIdle.push(resolve))),
    pieces: (count) =>
      new Promise((resolve) => {
        let left = count;
        const counter = { take: () => --left <= 0 && counters.delete(counter) && resolve() };
        if (count > 0) counters.add(counter);
        else resolve();
      }),
  };
}
