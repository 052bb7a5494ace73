import { ConnectionError, HttpError } from '../../../src';
import type { InboxClient } from '../../../src/inbox';
import type { Judge } from './judge';
import type { WalkProcess } from './machine';
import type { JournalRecord } from './record';
import type { WalkService } from './service';

/** The parts of a walk that its client needs. */
export interface Surroundings {
  readonly service: WalkService;
  readonly record: JournalRecord;
  readonly judge: Judge;
  readonly process: WalkProcess;
  chance(probability: number): boolean;
  below(limit: number): number;
  /** Lets the world act before a request. */
  live(): void;
  /** True when a request may fail. */
  readonly mayFail: () => boolean;
  /** Lets a request reach the service later. */
  later(run: () => void): void;
}

/** A service as a process reaches it: requests and responses may be lost. */
export function clientOf(world: Surroundings): InboxClient {
  const { service, record, judge, process } = world;
  const fail = (outcome: 'not-sent' | 'unknown'): never => {
    const operation = 'ReceiveByApikey';
    const failure = world.chance(0.3)
      ? new HttpError({ operation, httpStatus: 429, body: '', headers: {} } as never)
      : new ConnectionError({ operation, outcome, code: 'ECONNRESET', message: 'the connection was closed' });
    record.noteFault();
    throw judge.expectFailure(failure);
  };
  const mayKill = async (): Promise<void> => {
    if (process.isKilled || (process.plan && world.chance(0.01))) await process.kill();
  };
  return {
    ...{ baseUrl: service.baseUrl, namespace: 'http://messaging.example/', idleTimeoutMs: 0 },
    async *receiveStream(request) {
      const [line, isread] = [String(request.lineNumber), Number(request.isread)];
      world.live();
      record.request(line, isread);
      await mayKill();
      const fault = world.mayFail() ? (['before', 'after', 'part', 'late'] as const)[world.below(4)] : undefined;
      if (fault === 'before') fail('not-sent');
      if (fault === 'late') {
        world.later(() => service.list(line, isread));
        fail('unknown');
      }
      const listed = service.list(line, isread);
      judge.note(`lists ${line} ${isread}: ${listed.map(({ message }) => message.uid)} ${fault ?? ''}`);
      if (fault === 'after') fail('unknown');
      const arriving = fault === 'part' ? listed.slice(0, world.below(listed.length + 1)) : listed;
      const given: typeof listed = [];
      try {
        for (const each of arriving) {
          given.push(each);
          record.offer(line, isread, each.message);
          yield each.record;
          await mayKill();
        }
      } finally {
        const messages = given.map(({ message }) => message);
        const isWhole = given.length === listed.length;
        if (!process.isKilled) record.respond(line, isread, messages, isWhole && fault !== 'part');
      }
      if (fault === 'part') fail('unknown');
    },
  };
}
