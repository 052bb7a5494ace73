import type { OperationName } from '../../../../generated/operations';
import type { Effect } from '../../terminal/failure';

/** The help of an operation. Its fields come from the operation table. */
export interface OperationText {
  /** The heading in the list of commands: a group of the contract. */
  readonly group: string;
  readonly summary: string;
  /** Says what is printed, and what the contract leaves open. */
  readonly notes?: string;
  /** Command lines that work as they are, without the program's name. */
  readonly examples: readonly string[];
  /** For an operation that changes something: its effect in words, for a failed call. */
  readonly effect?: Effect;
}

const [SEND, LIST, STATUS, ACCOUNT] = ['Send:', 'List sent messages:', 'Status and cancel:', 'Account:'];

const NUMBERS =
  'Prints the returned numbers: on a terminal beside the ids, elsewhere one per line. The contract does not define their meaning.';

const sending: Effect = {
  none: 'nothing was sent',
  unknown: 'it may have been sent: check before sending again',
};

/** The help of each operation. A new operation in the WSDL does not compile until it has an entry. */
export const helpTexts: { readonly [O in OperationName]: OperationText } = {
  SendSimpleByApikey: {
    group: SEND,
    summary: 'send one text to several receptors',
    notes: 'Prints the ids.',
    examples: [
      "send-simple --sender 3000 --message 'سلام' --receptor 09120000001 09120000002 --unixdate 0 --msgmode 1",
    ],
    effect: sending,
  },
  SendArrayByApikey: {
    group: SEND,
    summary: 'send a list of messages, each with its sender and receptor',
    notes: 'Prints the returned ids. Your provider says how the lists pair up.',
    examples: [
      "send-array --sender 3000 3000 --message 'first text' 'second text' --receptor 09120000001 09120000002 --unixdate 0 --msgmode 1 1",
    ],
    effect: sending,
  },
  SendAdvance: {
    group: SEND,
    summary: 'send one message to one receptor, with all settings',
    notes: 'Prints the returned id.',
    examples: [
      "send-advance --sender 3000 --message 'سلام' --encoding 0 --receptor 09120000001 --unixdate 0 --messagemode 1 --fallbackurl https://example.com/status --clientmessageid order-17",
      'send-advance --sender 3000 --message hello --encoding 0 --receptor 09120000001 --unixdate 0 --messagemode 1 --omit fallbackurl clientmessageid',
    ],
    effect: sending,
  },
  SelectoutboxByApikey: {
    group: LIST,
    summary: 'list the messages sent between two dates',
    examples: [
      'select-outbox --start-unixdate 1760000000 --end-unixdate 1760086400',
      'select-outbox --start-unixdate 0 --end-unixdate 4102444800 --output csv > outbox.csv',
    ],
  },
  SelectByApikey: {
    group: LIST,
    summary: 'show sent messages by their ids',
    examples: ['select 9007199254740993 9007199254740994', 'select 9007199254740993 --output json'],
  },
  SelectlatestByApikey: {
    group: LIST,
    summary: 'list the latest sent messages',
    examples: ['select-latest --pagesize 10', 'select-latest --pagesize 100 --output ndjson'],
  },
  ReceiveByApikey: {
    group: 'Read received messages:',
    summary: 'list the messages received on a line',
    examples: [
      'receive --line-number 3000 --isread 0',
      'receive --line-number 3000 --isread 0 --follow --every 10s --output ndjson',
    ],
  },
  GetStatusByApikey: {
    group: STATUS,
    summary: 'show the status of messages by their ids',
    notes: NUMBERS,
    examples: ['get-status 9007199254740993 9007199254740994'],
  },
  CancelByApikey: {
    group: STATUS,
    summary: 'cancel messages by their ids',
    notes: NUMBERS,
    examples: ['cancel 9007199254740993 9007199254740994'],
    effect: { none: 'nothing was canceled', unknown: 'it may have been canceled: check before you try again' },
  },
  RemainCreditByApiKey: {
    group: ACCOUNT,
    summary: 'show the remaining credit',
    notes: 'Prints one number. The contract does not define its unit.',
    examples: ['remain-credit', 'remain-credit --output json'],
  },
};
