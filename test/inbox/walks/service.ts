import type { ApiReceive } from '../../../generated/v1/definitions/ApiReceive';

/** What a service does with the messages that it lists. Each kind is one that a real service may be. */
export interface Habits {
  /**
   * `marking`: it marks as read what it lists as unread. `unmarking`: messages stay unread. `ignoring`: it lists all
   * messages whatever isread is.
   */
  readonly kind: 'marking' | 'unmarking' | 'ignoring';
  /** The seconds by which the date of a read message differs from that of the unread one. */
  readonly readDateShift: number;
  /** The seconds between two dates: messages that arrive in between have one date. */
  readonly dateUnit: number;
}

/** The values of isread that every service of these tests has. The contract does not define them. */
export const UNREAD = 0;
export const READ = 1;

/** A message of a service. */
export interface Incoming {
  /** Its number in the walk. A copy at another service has the same number. */
  readonly uid: number;
  readonly line: string;
  readonly id: bigint;
  readonly sender: string;
  readonly text: string;
  /** In seconds. */
  readonly date: number;
  isRead: boolean;
}

/** A service with messages of several lines. */
export class WalkService {
  messages: Incoming[] = [];
  #lastId = 0n;

  constructor(
    readonly baseUrl: string,
    readonly habits: Habits,
  ) {}

  /** Receives a message. @param now in milliseconds */
  arrive(uid: number, line: string, sender: string, text: string, now: number): void {
    const { dateUnit } = this.habits;
    const date = Math.floor(now / 1000 / dateUnit) * dateUnit;
    this.#lastId += 1n;
    this.messages.push({ uid, line, id: this.#lastId, sender, text, date, isRead: false });
  }

  /** Loses all messages, and begins its ids again, as a sandbox without a data file does. */
  restart(): void {
    this.messages = [];
    this.#lastId = 0n;
  }

  /** Takes over the messages of another service, which has moved. */
  copy(other: WalkService): void {
    this.messages = other.messages.map((message) => ({ ...message }));
    this.#lastId = other.#lastId;
  }

  /** Lists messages, and marks them as read. */
  list(line: string, isread: number): { readonly message: Incoming; readonly record: ApiReceive }[] {
    const { kind, readDateShift } = this.habits;
    const isListed = ({ isRead }: Incoming) => kind === 'ignoring' || isread === (isRead ? READ : UNREAD);
    const listed = this.messages.filter((message) => message.line === line && isListed(message));
    return listed.map((message) => {
      const { uid, id, sender, text, date } = message;
      const shift = message.isRead ? readDateShift : 0;
      if (kind === 'marking' && isread === UNREAD) message.isRead = true;
      // The number goes through the journal to the handler, as every element of a record does.
      const record = { messageid: id, sender, message: text, receptor: line, date: BigInt(date + shift), uid };
      return { message, record };
    });
  }
}
