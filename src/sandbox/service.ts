import { type Operation, operations } from '../soap/elements/legacy-fields';
import type { MessagingResult, OperationName } from '../types';
import { STATUS_CANCELED } from './outbox';
import type { State } from './state';
import { type Arguments, absentValue, requestSchemas } from './wire/arguments';
import type { WritableResponse } from './wire/write-response';

export const STATUS_OK = 200;
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

/** The ten operations. Where the contract is silent, the decisions are the sandbox's own. */
export class Service {
  readonly #apiKeys: ReadonlySet<string>;
  readonly #credit: bigint;
  readonly #state: State;

  constructor(settings: { readonly apiKeys: readonly string[]; readonly credit: bigint }, state: State) {
    this.#apiKeys = new Set(settings.apiKeys);
    this.#credit = settings.credit;
    this.#state = state;
  }

  get credit(): bigint {
    return this.#credit - this.#state.spent;
  }

  run<O extends OperationName>(operation: O, request: Arguments<O>): WritableResponse {
    const result = this.#isAccepted(operation, request)
      ? this.#handlers[operation](request)
      : new Rejected(STATUS_INVALID_KEY, 'invalid apikey');
    return result instanceof Rejected
      ? { result: emptyResult(operation), status: result.status, statusmessage: result.statusmessage }
      : { result, status: STATUS_OK, statusmessage: 'ok' };
  }

  /** Whether the key is known, where the operation has one. */
  #isAccepted(operation: OperationName, request: object): boolean {
    // Not every operation of a contract has the element, so no type that they share does.
    const { apikey } = request as { readonly apikey?: string | null };
    return !requestSchemas[operation].fields.has('apikey') || this.#apiKeys.has(apikey ?? '');
  }

  readonly #handlers: Handlers = {
    SendSimpleByApikey: ({ sender, message, receptor, unixdate }) =>
      this.#state.send((receptor ?? []).map((one) => ({ sender, message, receptor: one, unixdate }))),

    SendArrayByApikey: ({ sender, message, receptor, msgmode, unixdate }) => {
      // A text has a length and indices too: should the contract make one of them a text, this does not compile.
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
      return this.#state.send(
        lists.receptor.map((one, index) => ({
          sender: lists.sender[index] ?? null,
          message: lists.message[index] ?? null,
          receptor: one,
          unixdate,
        })),
      );
    },

    SendAdvance: ({ sender, message, receptor, unixdate }) =>
      this.#state.send([{ sender, message, receptor, unixdate }])[0] as bigint,

    SelectoutboxByApikey: ({ startUnixdate, endUnixdate }) => this.#state.outbox.between(startUnixdate, endUnixdate),

    SelectByApikey: ({ messageid }) =>
      (messageid ?? []).map((id) => this.#state.outbox.find(id)).filter((record) => record !== undefined),

    SelectlatestByApikey: ({ pagesize }) => this.#state.outbox.latest(pagesize),

    ReceiveByApikey: ({ lineNumber, isread }) => this.#state.read(lineNumber, isread === 0 ? 0 : 1),

    GetStatusByApikey: ({ messageid }) =>
      (messageid ?? []).map((id) => this.#state.outbox.find(id)?.status ?? UNKNOWN_MESSAGE),

    CancelByApikey: ({ messageid }) => {
      const ids = messageid ?? [];
      this.#state.setStatus(ids, STATUS_CANCELED);
      return ids.map((id) => (this.#state.outbox.find(id) === undefined ? UNKNOWN_MESSAGE : STATUS_CANCELED));
    },

    RemainCreditByApiKey: () => this.credit,
  };
}

/** The result beside a refusing status: an empty list, 0 or false; null for a string or a record. */
export function emptyResult<O extends OperationName>(operation: O): MessagingResult<O> {
  const [result] = (operations[operation] as Operation).response;
  return (result.item === undefined ? absentValue(result) : []) as MessagingResult<O>;
}
