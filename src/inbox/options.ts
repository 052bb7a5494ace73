import type { ApiReceive } from '../../generated/v1/definitions/ApiReceive';
import type { MessagingClient } from '../client/client';
import { MAX_DELAY_MS, type Signal } from '../internal/signals';
import { takeOverOption } from '../journal/options';
import { nonEmptyText, showValue, trueOrFalse, unchecked, wholeNumber } from '../options/checks';
import {
  checkOptions,
  type FlagTable,
  type GivenOptions,
  type ResolvedOptions,
  refuseValue,
  wrongOption,
} from '../options/table';

/** What an inbox uses of a client. A MessagingClient has it. */
export type InboxClient = Pick<MessagingClient, 'receiveStream' | 'baseUrl' | 'namespace' | 'idleTimeoutMs'>;

/** The facts about a message that a handler gets with it. */
export interface Delivery {
  /** True when a handler was called with this message before and did not succeed: the message may have been handled. */
  readonly redelivered: boolean;
  /** The line that received the message. */
  readonly lineNumber: string;
}

/**
 * Handles a message. The message is handled when the handler returns or resolves, and not when it throws or rejects.
 */
export type MessageHandler = (message: ApiReceive, delivery: Delivery) => unknown;

/** How long an inbox runs. */
export interface InboxRunOptions {
  /** Ends the run: it waits for the handler that is running, and resolves. */
  readonly signal?: Signal | undefined;
}

const short = wholeNumber(-32_768, 32_767);

const ownOptions = {
  /** A MessagingClient. */
  client: { ...unchecked<InboxClient>(), required: true },
  /** The lines whose messages are received. */
  lineNumbers: { read: readLineNumbers, required: true },
  /** The path of the journal. It holds the texts of messages, so only its owner can read it. */
  journal: { read: nonEmptyText('a path'), required: true },
  /** The value of isread that lists unread messages. The contract does not define the values. */
  unread: {
    read: short,
    required: true,
    flag: { value: 'short', help: 'the isread value that lists unread messages' },
  },
  /** The value of isread that lists read messages. Without it, a lost response loses its messages. */
  read: {
    read: short,
    flag: {
      value: 'short',
      help: 'the isread value that lists read messages; without it, a lost response loses messages',
    },
  },
  /** The time between two requests for the unread messages of a line, in milliseconds. Default 5,000. */
  everyMs: { read: wholeNumber(1, MAX_DELAY_MS), default: 5000 },
  /** Also handles the messages that the service lists as read at the first start. Default false. */
  includeRead: {
    read: trueOrFalse,
    default: false,
    flag: { help: 'at the first start, handle read messages too' },
  },
  /**
   * The calls of a handler with one message before the message is set aside. A call in which the process ended counts.
   * Default 20.
   */
  maxAttempts: {
    read: wholeNumber(1),
    default: 20,
    flag: { value: 'n', help: 'set a message aside after n calls' },
  },
  /** The days for which the journal keeps the text of a handled message. Default 30. */
  keepDays: {
    read: wholeNumber(0, 100_000),
    default: 30,
    flag: { value: 'days', help: 'keep texts of handled messages' },
  },
  /**
   * Set it once when the provider has moved: the journal of another service is used, and records the service of
   * `client`. Each line has a first look at the new service, as with a new journal. Default false.
   */
  serviceMoved: {
    read: trueOrFalse,
    default: false,
    flag: { help: 'use the journal although the provider has moved' },
  },
  /** Called with a sentence about what is not as safe as it could be. Default: a warning of the process. */
  onWarning: { ...unchecked<(warning: string) => void>(), default: (warning: string) => process.emitWarning(warning) },
  /**
   * Called with each failure after which the inbox goes on: of a request, or of a handler, with its message. Default: a
   * warning of the process.
   */
  onFailure: { ...unchecked<typeof warnOfFailure>(), default: warnOfFailure },
  /**
   * Called with each message that is set aside, and the last error of its handler. `retry` makes the message wait
   * again. Default: a warning of the process.
   */
  onSetAside: { ...unchecked<typeof warnOfSetAside>(), default: warnOfSetAside },
} as const satisfies FlagTable;

/** The options of an inbox. The command line makes options from this table too. */
export const inboxOptions = { ...ownOptions, ...takeOverOption } as const;

/** How an inbox receives messages. */
export interface InboxOptions extends GivenOptions<typeof ownOptions>, GivenOptions<typeof takeOverOption> {}

/** The options of an inbox, with every default in place. */
export type InboxSettings = ResolvedOptions<typeof inboxOptions>;

/** Checks the options. @throws {ConfigurationError} that names every wrong and unknown option */
export function resolveInboxOptions(options: InboxOptions): InboxSettings {
  const settings = checkOptions(inboxOptions, options);
  const { read, unread } = settings;
  if (read !== unread) return settings;
  throw wrongOption('read', `${read} is also the value of unread`);
}

function readLineNumbers(value: unknown): readonly string[] {
  const isList = Array.isArray(value) && value.length > 0;
  if (!isList) return refuseValue('a list of at least one line number is needed');
  const wrong = value.find((line, index) => typeof line !== 'string' || line === '' || value.indexOf(line) !== index);
  if (wrong === undefined) return [...value];
  return refuseValue(`${showValue(wrong)} is not a line number, or is given twice`);
}

function warnOfFailure(error: unknown, message?: ApiReceive): void {
  process.emitWarning(
    message ? `the handler of message ${message.messageid} failed: ${wordsOf(error)}` : wordsOf(error),
  );
}

function warnOfSetAside({ messageid }: ApiReceive, error: unknown): void {
  process.emitWarning(`message ${messageid} is set aside, because its handler failed too often: ${wordsOf(error)}`);
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
