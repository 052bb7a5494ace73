import { type Operation, operations } from '../../generated/operations';
import type { MessagingResult, OperationName } from '../types';
import { Inbox } from './inbox';
import { COST, Outbox, STATUS_CANCELED } from './outbox';
import { type Arguments, absentValue } from './wire/arguments';
import type { WritableResponse } from './wire/write-response';

const STATUS_OK = 200;
const STATUS_BAD_LISTS = 400;
const STATUS_INVALID_KEY = 403;
/** The result of GetStatus and Cancel for an unknown id. */
const UNKNOWN_MESSAGE = 100;

type Handlers = { readonly [O in OperationName]: (request: Arguments<O>) => MessagingResult<O> | Rejected };

/** A request that the service understood and does not carry out. */
class Rejected {
  constructor(
    readonly status: number,
    readonly statusmessage: string,
  ) {}
}

/** The state of the service and its ten operations. Where the contract is silent, the decisions are the sandbox's own. */
export class Service {
  readonly outbox = new Outbox();
  readonly inbox = new Inbox();
  readonly #apiKeys: ReadonlySet<string>;
  #credit: bigint;

  constructor(apiKeys: readonly string[], credit: bigint) {
    this.#apiKeys = new Set(apiKeys);
    this.#credit = credit;
  }

  run<O extends OperationName>(operation: O, request: Arguments<O>): WritableResponse {
    // An operation without the element asks for no key.
    const { apikey } = request as { readonly apikey?: string | null };
    const result =
      apikey === undefined || (apikey !== null && this.#apiKeys.has(apikey))
        ? this.#handlers[operation](request)
        : new Rejected(STATUS_INVALID_KEY, 'invalid apikey');
    return result instanceof Rejected
      ? { result: emptyResult(operation), status: result.status, statusmessage: result.statusmessage }
      : { result, status: STATUS_OK, statusmessage: 'ok' };
  }

  readonly #handlers: Handlers = {
    SendSimpleByApikey: ({ sender, message, receptor, unixdate }) =>
      (receptor ?? []).map((one) => this.#send({ sender, message, receptor: one, unixdate })),

    SendArrayByApikey: ({ sender, message, receptor, msgmode, unixdate }) => {
      const lists = { sender: sender ?? [], message: message ?? [], receptor: receptor ?? [], msgmode: msgmode ?? [] };
      const lengths = Object.entries(lists).map(([name, { length }]) => `${name} ${length}`);
      if (Object.values(lists).some(({ length }) => length !== lists.receptor.length)) {
        return new Rejected(STATUS_BAD_LISTS, `lists of unequal length: ${lengths.join(', ')}`);
      }
      return lists.receptor.map((one, index) =>
        this.#send({
          sender: lists.sender[index] ?? null,
          message: lists.message[index] ?? null,
          receptor: one,
          unixdate,
        }),
      );
    },

    SendAdvance: ({ sender, message, receptor, unixdate }) => this.#send({ sender, message, receptor, unixdate }),

    SelectoutboxByApikey: ({ startUnixdate, endUnixdate }) => this.outbox.between(startUnixdate, endUnixdate),

    SelectByApikey: ({ messageid }) =>
      (messageid ?? []).map((id) => this.outbox.find(id)).filter((record) => record !== undefined),

    SelectlatestByApikey: ({ pagesize }) => this.outbox.latest(pagesize),

    ReceiveByApikey: ({ lineNumber, isread }) => this.inbox.take(lineNumber, isread !== 0),

    GetStatusByApikey: ({ messageid }) =>
      (messageid ?? []).map((id) => this.outbox.find(id)?.status ?? UNKNOWN_MESSAGE),

    CancelByApikey: ({ messageid }) =>
      (messageid ?? []).map((id) => (this.outbox.setStatus(id, STATUS_CANCELED) ? STATUS_CANCELED : UNKNOWN_MESSAGE)),

    RemainCreditByApiKey: () => this.#credit,
  };

  #send(message: Parameters<Outbox['add']>[0]): bigint {
    this.#credit -= BigInt(COST);
    return this.outbox.add(message);
  }
}

/** The result beside a refusing status: an empty list, 0 or false; null for a string or a record. */
export function emptyResult<O extends OperationName>(operation: O): MessagingResult<O> {
  const [result] = (operations[operation] as Operation).response;
  return (result.item === undefined ? absentValue(result) : []) as MessagingResult<O>;
}
