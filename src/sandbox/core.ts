import { inspect } from 'node:util';
import type { ApiReceive } from '../../generated/v1/definitions/ApiReceive';
import type { ApiSelect } from '../../generated/v1/definitions/ApiSelect';
import { createMasks } from '../internal/mask';
import type { OperationName } from '../types';
import { isInRange } from '../xml/integers';
import { ArmedReplies } from './armed-replies';
import { wrong } from './checks';
import { Events } from './events';
import type { ReceivedMessage } from './inbox';
import type { SandboxSettings } from './options';
import type { Reply, ReplyHandle, ReplyOptions } from './replies';
import { RequestLog } from './request-log';
import { Service } from './service';
import { type Change, State } from './state';
import { messageView, receivedView, requestView } from './views';

/** All that a sandbox holds and can do, without HTTP. The TypeScript and the control interface are layers over it. */
export class Core {
  readonly settings: SandboxSettings;
  readonly mask: (text: string) => string;
  readonly events = new Events();
  readonly replies = new ArmedReplies();
  readonly requestLog: RequestLog;
  readonly state: State;
  readonly service: Service;

  constructor(settings: SandboxSettings) {
    this.settings = settings;
    this.mask = createMasks(settings.apiKeys);
    this.requestLog = new RequestLog((request) => {
      this.events.publish('request', () => requestView(request, this.mask));
      try {
        settings.onRequest?.(request);
      } catch (error) {
        this.reportFailure(error);
      }
    });
    this.state = new State(settings.keep, (change) => this.#publish(change));
    this.service = new Service(settings, this.state);
  }

  /** @throws {FieldError} when a message is not what its type says; then none is added */
  receive(messages: readonly ReceivedMessage[], fieldOf = (index: number): string => `[${index}]`): ApiReceive[] {
    return this.state.receive(messages, fieldOf);
  }

  /**
   * @returns the changed record, or undefined when there is no such message
   * @throws {FieldError} when an argument is not what its type says
   */
  setStatus(messageid: bigint, status: number, statustext?: string): ApiSelect | undefined {
    if (!Number.isInteger(status) || !isInRange('int', status)) throw wrong('status', status, 'an xsd:int');
    if (statustext !== undefined && typeof statustext !== 'string') throw wrong('statustext', statustext, 'a string');
    this.state.setStatus([messageid], status, statustext);
    return this.state.outbox.find(messageid);
  }

  /** @throws {FieldError} when an argument is not what its type says */
  reply(operation: OperationName | '*', reply: Reply, options: ReplyOptions = {}): ReplyHandle {
    const id = this.replies.arm(operation, reply, options);
    return { id, clear: () => void this.replies.clear(id) };
  }

  /** Shows a failure, without any key, to whoever runs the sandbox. */
  reportFailure(error: unknown): void {
    console.error(this.mask(inspect(error)));
  }

  /** Makes everything as at the start. */
  reset(): void {
    this.state.reset();
    this.replies.clearAll();
    this.requestLog.reset();
    this.events.publish('reset', () => ({}));
  }

  #publish(change: Change): void {
    if (change.kind === 'sent') this.events.publish('sent', () => messageView(change.record));
    if (change.kind === 'received') this.events.publish('received', () => receivedView({ ...change, isread: 0 }));
    if (change.kind === 'status') {
      this.events.publish('status', () => messageView(this.state.outbox.find(change.messageid) as ApiSelect));
    }
  }
}
