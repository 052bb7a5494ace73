import { operations } from '../../../generated/operations';
import type { Operation } from '../../soap/element';
import type { MessagingResult, OperationName } from '../../types';
import { receptorRule } from '../store/delivery';
import { COST, type OutgoingMessage, STATUS_CANCELED, statusTextOf } from '../store/messages';
import type { SandboxState } from '../store/state';
import { type Arguments, absentValue } from './request';
import type { WritableResponse } from './write-response';

/** The status of success. The contract does not define it. */
export const STATUS_OK = 200;
const STATUS_BAD_LISTS = 400;
const STATUS_INVALID_KEY = 403;
const STATUS_NO_CREDIT = 418;
/** The result of GetStatus and Cancel for an unknown id. */
const UNKNOWN_MESSAGE = 100;

/** The service refuses a request that it understood. */
class StatusRefusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Carries out an operation. */
export function runOperation<O extends OperationName>(
  state: SandboxState,
  operation: O,
  request: Arguments<O>,
): WritableResponse {
  try {
    // Another contract may have operations without a key.
    if ('apikey' in request && !state.options.apiKeys.includes(request.apikey as string)) {
      throw new StatusRefusal(STATUS_INVALID_KEY, 'invalid apikey');
    }
    return { result: handlers[operation](request, state), status: STATUS_OK, statusmessage: 'ok' };
  } catch (error) {
    if (!(error instanceof StatusRefusal)) throw error;
    return { result: emptyResult(operation), status: error.status, statusmessage: error.message };
  }
}

/** The result beside a refusing status: an empty list, 0 or false; null for a string or a record. */
export function emptyResult<O extends OperationName>(operation: O): MessagingResult<O> {
  const [result] = (operations[operation] as Operation).response;
  return (result.kind === 'list' ? [] : absentValue(result)) as MessagingResult<O>;
}

type Handlers = {
  readonly [O in OperationName]: (request: Arguments<O>, state: SandboxState) => MessagingResult<O>;
};

/** The operations. Where the contract leaves a point open, the sandbox decides it. */
const handlers: Handlers = {
  SendSimpleByApikey: ({ sender, message, receptor, unixdate, msgmode }, state) =>
    send(
      state,
      'SendSimpleByApikey',
      (receptor ?? []).map((one) => ({ sender, message, receptor: one, unixdate, mode: msgmode })),
    ),

  SendArrayByApikey: ({ sender, message, receptor, msgmode, unixdate }, state) => {
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
      throw new StatusRefusal(STATUS_BAD_LISTS, `lists of unequal length: ${lengths.join(', ')}`);
    }
    return send(
      state,
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

  SendAdvance: ({ sender, message, receptor, unixdate, messagemode }, state) =>
    send(state, 'SendAdvance', [{ sender, message, receptor, unixdate, mode: messagemode }])[0] as bigint,

  SelectoutboxByApikey: ({ startUnixdate, endUnixdate }, { sent }) =>
    sent.all().flatMap(({ record }) => (record.date >= startUnixdate && record.date <= endUnixdate ? record : [])),

  SelectByApikey: ({ messageid }, { sent }) => (messageid ?? []).flatMap((id) => sent.find(id)?.record ?? []),

  SelectlatestByApikey: ({ pagesize }, { sent }) => {
    const newestFirst = sent.all().reverse();
    return newestFirst.slice(0, Math.max(pagesize, 0)).map(({ record }) => record);
  },

  /** Marks unread messages as read. */
  ReceiveByApikey: ({ lineNumber, isread }, state) => {
    const wanted = isread === 0 ? 0 : 1;
    const found = state.received
      .all()
      .filter((message) => message.isread === wanted && message.record.receptor === (lineNumber ?? undefined))
      .map(({ record }) => record);
    if (wanted === 0 && found.length > 0) {
      state.commit([{ t: 'read', messageids: found.map(({ messageid }) => messageid) }]);
    }
    return found;
  },

  GetStatusByApikey: ({ messageid }, { sent }) =>
    (messageid ?? []).map((id) => sent.find(id)?.record.status ?? UNKNOWN_MESSAGE),

  CancelByApikey: ({ messageid }, state) => {
    const ids = messageid ?? [];
    const isKnown = (id: bigint) => state.sent.find(id) !== undefined;
    const change = { t: 'status', status: STATUS_CANCELED, statustext: statusTextOf(STATUS_CANCELED) } as const;
    state.commit(ids.filter(isKnown).map((id) => ({ ...change, messageid: id })));
    return ids.map((id) => (isKnown(id) ? STATUS_CANCELED : UNKNOWN_MESSAGE));
  },

  RemainCreditByApiKey: (_, { credit }) => credit,
};

/** Sends all messages, or none when the credit is too low or the simulated delivery refuses one of their receptors. */
function send(state: SandboxState, operation: OperationName, messages: readonly OutgoingMessage[]): bigint[] {
  const { delivery } = state;
  if (BigInt(messages.length * COST) > state.credit) throw new StatusRefusal(STATUS_NO_CREDIT, 'insufficient credit');
  for (const { receptor } of delivery.enabled ? messages : []) {
    const refuse = receptorRule(delivery, receptor)?.refuse;
    if (refuse !== undefined)
      throw new StatusRefusal(refuse, `receptor ${receptor} is refused by the simulated delivery`);
  }
  return state.send(operation, messages);
}
