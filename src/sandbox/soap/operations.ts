import { operations } from '../../../generated/operations';
import type { Operation } from '../../soap/element';
import type { MessagingResult, OperationName } from '../../types';
import { STATUS_OK } from '../replies/prepare-reply';
import { receptorRule } from '../store/delivery';
import { type OutgoingMessage, STATUS_CANCELED } from '../store/messages';
import type { SandboxState } from '../store/state';
import { type Arguments, absentValue, requestSchemas } from './arguments';
import type { WritableResponse } from './write-response';

const STATUS_BAD_LISTS = 400;
const STATUS_INVALID_KEY = 403;
/** The result of GetStatus and Cancel for an unknown id. */
const UNKNOWN_MESSAGE = 100;

/** The refusal of a request that the service understood. */
class Rejected {
  constructor(
    readonly status: number,
    readonly statusmessage: string,
  ) {}
}

/** Carries out an operation. */
export function runOperation<O extends OperationName>(
  state: SandboxState,
  operation: O,
  request: Arguments<O>,
): WritableResponse {
  const result = isAccepted(state, operation, request)
    ? handlers[operation](request, state)
    : new Rejected(STATUS_INVALID_KEY, 'invalid apikey');
  return result instanceof Rejected
    ? { result: emptyResult(operation), status: result.status, statusmessage: result.statusmessage }
    : { result, status: STATUS_OK, statusmessage: 'ok' };
}

/** The result beside a refusing status: an empty list, 0 or false; null for a string or a record. */
export function emptyResult<O extends OperationName>(operation: O): MessagingResult<O> {
  const [result] = (operations[operation] as Operation).response;
  return (result.kind === 'list' ? [] : absentValue(result)) as MessagingResult<O>;
}

type Handlers = {
  readonly [O in OperationName]: (request: Arguments<O>, state: SandboxState) => MessagingResult<O> | Rejected;
};

/** The ten operations. Where the contract leaves a point open, the sandbox decides it. */
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
      return new Rejected(STATUS_BAD_LISTS, `lists of unequal length: ${lengths.join(', ')}`);
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

  SendAdvance: ({ sender, message, receptor, unixdate, messagemode }, state) => {
    const sent = send(state, 'SendAdvance', [{ sender, message, receptor, unixdate, mode: messagemode }]);
    return sent instanceof Rejected ? sent : (sent[0] as bigint);
  },

  SelectoutboxByApikey: ({ startUnixdate, endUnixdate }, { sent }) =>
    sent.all().flatMap(({ record }) => (record.date >= startUnixdate && record.date <= endUnixdate ? record : [])),

  SelectByApikey: ({ messageid }, { sent }) => (messageid ?? []).flatMap((id) => sent.find(id)?.record ?? []),

  SelectlatestByApikey: ({ pagesize }, { sent }) => sent.latest(pagesize).map(({ record }) => record),

  ReceiveByApikey: ({ lineNumber, isread }, state) => state.read(lineNumber, isread === 0 ? 0 : 1),

  GetStatusByApikey: ({ messageid }, { sent }) =>
    (messageid ?? []).map((id) => sent.find(id)?.record.status ?? UNKNOWN_MESSAGE),

  CancelByApikey: ({ messageid }, state) => {
    const ids = messageid ?? [];
    state.cancel(ids, STATUS_CANCELED);
    return ids.map((id) => (state.sent.find(id) === undefined ? UNKNOWN_MESSAGE : STATUS_CANCELED));
  },

  RemainCreditByApiKey: (_, { credit }) => credit,
};

/** Sends all messages, or none when the simulated delivery refuses one of their receptors. */
function send(
  state: SandboxState,
  operation: OperationName,
  messages: readonly OutgoingMessage[],
): bigint[] | Rejected {
  const { delivery } = state;
  for (const { receptor } of delivery.enabled ? messages : []) {
    const refuse = receptorRule(delivery, receptor)?.refuse;
    if (refuse !== undefined) return new Rejected(refuse, `receptor ${receptor} is refused by the simulated delivery`);
  }
  return state.send(operation, messages);
}

/** True when the key is known, or when the operation has no key. */
function isAccepted({ settings }: SandboxState, operation: OperationName, request: object): boolean {
  // Another contract may have operations without the element, so their common type does not have it.
  const { apikey } = request as { readonly apikey?: string | null };
  return !requestSchemas[operation].elements.has('apikey') || settings.apiKeys.includes(apikey ?? '');
}
