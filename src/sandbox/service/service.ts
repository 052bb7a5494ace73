import { operations } from '../../../generated/operations';
import type { Operation } from '../../soap/element';
import type { MessagingResult, OperationName } from '../../types';
import { receptorRule } from '../store/delivery-setting';
import type { MessageStore } from '../store/message-store';
import { type OutgoingMessage, STATUS_CANCELED } from '../store/sent-messages';
import { type Arguments, absentValue, requestSchemas } from '../wire/arguments';
import type { WritableResponse } from '../wire/write-response';

export const STATUS_OK = 200;
const STATUS_BAD_LISTS = 400;
const STATUS_INVALID_KEY = 403;
/** The result of GetStatus and Cancel for an unknown id. */
const UNKNOWN_MESSAGE = 100;

type Handlers = { readonly [O in OperationName]: (request: Arguments<O>) => MessagingResult<O> | Rejected };

/** The refusal of a request that the service understood. */
class Rejected {
  constructor(
    readonly status: number,
    readonly statusmessage: string,
  ) {}
}

/** The messages that a request sent: the ids from `first` up to `end`, which is the first id after them. */
export interface SentRange {
  readonly first: bigint;
  readonly end: bigint;
}

/** The ten operations. Where the contract leaves a point open, the sandbox decides it. */
export class Service {
  readonly #apiKeys: ReadonlySet<string>;
  readonly #credit: bigint;
  readonly #store: MessageStore;

  constructor(settings: { readonly apiKeys: readonly string[]; readonly credit: bigint }, store: MessageStore) {
    this.#apiKeys = new Set(settings.apiKeys);
    this.#credit = settings.credit;
    this.#store = store;
  }

  get credit(): bigint {
    return this.#credit - this.#store.sent.spent;
  }

  run<O extends OperationName>(operation: O, request: Arguments<O>): { response: WritableResponse; sent: SentRange } {
    const first = this.#store.sent.nextId;
    const result = this.#isAccepted(operation, request)
      ? this.#handlers[operation](request)
      : new Rejected(STATUS_INVALID_KEY, 'invalid apikey');
    const response =
      result instanceof Rejected
        ? { result: emptyResult(operation), status: result.status, statusmessage: result.statusmessage }
        : { result, status: STATUS_OK, statusmessage: 'ok' };
    return { response, sent: { first, end: this.#store.sent.nextId } };
  }

  /** Sends all messages, or none when the simulated delivery refuses one of their receptors. */
  #send(operation: OperationName, messages: readonly Omit<OutgoingMessage, 'operation'>[]): bigint[] | Rejected {
    const { delivery } = this.#store;
    for (const { receptor } of delivery.enabled ? messages : []) {
      const refuse = receptorRule(delivery, receptor)?.refuse;
      if (refuse !== undefined)
        return new Rejected(refuse, `receptor ${receptor} is refused by the simulated delivery`);
    }
    return this.#store.send(messages.map((message) => ({ ...message, operation })));
  }

  /** True when the key is known, or when the operation has no key. */
  #isAccepted(operation: OperationName, request: object): boolean {
    // Another contract may have operations without the element, so their common type does not have it.
    const { apikey } = request as { readonly apikey?: string | null };
    return !requestSchemas[operation].elements.has('apikey') || this.#apiKeys.has(apikey ?? '');
  }

  readonly #handlers: Handlers = {
    SendSimpleByApikey: ({ sender, message, receptor, unixdate, msgmode }) =>
      this.#send(
        'SendSimpleByApikey',
        (receptor ?? []).map((one) => ({ sender, message, receptor: one, unixdate, mode: msgmode })),
      ),

    SendArrayByApikey: ({ sender, message, receptor, msgmode, unixdate }) => {
      // A text has a length and indices too. The type makes it a compile error if the contract ever makes one of them a
      // text.
      const lists = {
        sender: sender ?? [],
        message: message ?? [],
        receptor: receptor ?? [],
        msgmode: msgmode ?? [],
      } satisfies Readonly<Record<string, readonly unknown[]>>;
      const lengths = Object.entries(lists).map(([name, { length }]) => `${name} ${length}`);
      if (Object.values(lists).some(({ length }) => length !== lists.receptor.length)) {
        return new Rejected(STATUS_BAD_LISTS, `lists of unequal length: ${lengths.join(', ')}`);
      }
      return this.#send(
        'SendArrayByApikey',
        lists.receptor.map((one, index) => ({
          sender: lists.sender[index] ?? null,
          message: lists.message[index] ?? null,
          receptor: one,
          unixdate,
          mode: lists.msgmode[index] ?? 0,
        })),
      );
    },

    SendAdvance: ({ sender, message, receptor, unixdate, messagemode }) => {
      const sent = this.#send('SendAdvance', [{ sender, message, receptor, unixdate, mode: messagemode }]);
      return sent instanceof Rejected ? sent : (sent[0] as bigint);
    },

    SelectoutboxByApikey: ({ startUnixdate, endUnixdate }) => this.#store.sent.between(startUnixdate, endUnixdate),

    SelectByApikey: ({ messageid }) =>
      (messageid ?? []).map((id) => this.#store.sent.find(id)?.record).filter((record) => record !== undefined),

    SelectlatestByApikey: ({ pagesize }) => this.#store.sent.latest(pagesize),

    ReceiveByApikey: ({ lineNumber, isread }) => this.#store.read(lineNumber, isread === 0 ? 0 : 1),

    GetStatusByApikey: ({ messageid }) =>
      (messageid ?? []).map((id) => this.#store.sent.find(id)?.record.status ?? UNKNOWN_MESSAGE),

    CancelByApikey: ({ messageid }) => {
      const ids = messageid ?? [];
      this.#store.setStatus(ids, STATUS_CANCELED);
      return ids.map((id) => (this.#store.sent.find(id) === undefined ? UNKNOWN_MESSAGE : STATUS_CANCELED));
    },

    RemainCreditByApiKey: () => this.credit,
  };
}

/** The result beside a refusing status: an empty list, 0 or false; null for a string or a record. */
export function emptyResult<O extends OperationName>(operation: O): MessagingResult<O> {
  const [result] = (operations[operation] as Operation).response;
  return (result.kind === 'list' ? [] : absentValue(result)) as MessagingResult<O>;
}
