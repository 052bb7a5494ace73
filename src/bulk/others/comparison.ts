import { areShared, beginsWithZero, digitsIn } from '../../messages/person';
import { addToGroup } from '../groups';
import type { MessageDigests } from '../rows/message-digests';
import { type Claim, claims, type OtherList } from './other-list';
import type { RowIndex } from './row-index';

/** The answer of another list about the message of a row. */
export interface RowClaim {
  readonly claim: Exclude<Claim, 'none'>;
  readonly list: OtherList;
  /** The row of the other list. */
  readonly row: number;
}

/** A row of another list that says something of a message. */
interface Claimed {
  readonly list: number;
  readonly row: number;
  readonly further: number;
  readonly claim: number;
}

/**
 * Compares the rows of a list with those of other lists, and counts them: two equal rows here against one there are one
 * row that somebody has.
 */
export class MessageComparison {
  readonly #lists: readonly OtherList[];
  readonly #digests: MessageDigests;
  /** For each row of this list: the claim, the index of the list that says it, and its row there. */
  readonly #claims: Uint8Array;
  readonly #claimers: Uint16Array;
  readonly #claimingRows: Uint32Array;
  /** The number of rows of other lists with the message of each row. */
  readonly #behind: Uint32Array;

  /** @param index has the rows that are compared, those first that are matched first */
  constructor(digests: MessageDigests, index: RowIndex, lists: readonly OtherList[]) {
    this.#lists = lists;
    this.#digests = digests;
    // In most folders no other list has any of the messages.
    const size = lists.length === 0 ? 0 : digests.count + 1;
    this.#claims = new Uint8Array(size);
    this.#claimers = new Uint16Array(size);
    this.#claimingRows = new Uint32Array(size);
    this.#behind = new Uint32Array(size);
    for (const [first, others] of claimedByMessage(lists)) this.#match(index.find(digests.message(first)), others);
  }

  /** The answer of another list about a row; undefined when nobody has its message. */
  claimOn(row: number): RowClaim | undefined {
    const claim = claims[this.#claims[row] ?? 0] as Claim;
    if (claim === 'none') return undefined;
    const list = this.#lists[this.#claimers[row] as number] as OtherList;
    return { claim, list, row: this.#claimingRows[row] as number };
  }

  /** The number of rows of other lists that say something of the message of a row. */
  behind(row: number): number {
    return this.#behind[row] ?? 0;
  }

  /** True for a row whose receptor has lost the zero at its beginning, which another list has. */
  hasLostZero(row: number): boolean {
    const { list, row: other } = this.claimOn(row) ?? {};
    return beginsWithZero(list?.matches.further[other as number] ?? 0) && !beginsWithZero(this.#digests.further(row));
  }

  /**
   * Gives each row of other lists to a row with its message: first where the digits are equal, then where one lacks
   * some.
   */
  #match(given: Iterable<number>, others: readonly Claimed[]): void {
    const rows = byDigits(given, (row) => this.#digests.further(row));
    const claimed = byDigits(others, ({ further }) => further);
    for (const [digits, own] of rows) {
      const behind = [...claimed]
        .filter(([other]) => areShared(digits, other))
        .reduce((sum, [, { length }]) => sum + length, 0);
      for (const row of own) this.#behind[row] = behind;
    }
    for (const [digits, own] of rows) this.#give(own, claimed.get(digits) ?? []);
    // Rows with more digits match fewer others, so they choose first, and take those with most digits.
    for (const [digits, own] of [...rows].sort(longestFirst)) {
      const matching = [...claimed].filter(([other]) => areShared(digits, other)).sort(longestFirst);
      for (const claim of claims.keys()) for (const [, each] of matching) this.#give(own, each, claim);
    }
  }

  /** Takes rows and claims from the ends of two lists, in which they are the other way round. */
  #give(rows: number[], others: Claimed[], claim: number = claims.length): void {
    while (rows.length > 0 && others.length > 0 && (others.at(-1) as Claimed).claim <= claim) {
      const [row, other] = [rows.pop() as number, others.pop() as Claimed];
      this.#claims[row] = other.claim;
      this.#claimers[row] = other.list;
      this.#claimingRows[row] = other.row;
    }
  }
}

/** Groups values by the further digits of a receptor, the first one last. */
function byDigits<T>(values: Iterable<T>, furtherOf: (value: T) => number): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) addToGroup(groups, digitsIn(furtherOf(value)), value);
  for (const group of groups.values()) group.reverse();
  return groups;
}

function longestFirst([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return other.length - one.length;
}

/** Groups the rows of other lists by the first row of this list with their message, those that were sent first. */
function claimedByMessage(lists: readonly OtherList[]): Map<number, Claimed[]> {
  const groups = new Map<number, Claimed[]>();
  for (const [list, { matches }] of lists.entries()) {
    for (let row = 1; row < matches.first.length; row++) {
      const [first, claim, further] = [matches.first[row], matches.claims[row], matches.further[row]] as number[];
      if (claim === 0) continue;
      addToGroup(groups, first as number, { list, row, further, claim } as Claimed);
    }
  }
  for (const group of groups.values()) group.sort((one, other) => one.claim - other.claim);
  return groups;
}
