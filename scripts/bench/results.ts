import { CLIENTS, type ClientId } from './clients';

/** The measurements of one client in one row. */
export interface Cell {
  readonly rounds: readonly number[];
  /** Describes wrong values in the client's result, which disqualify the client. */
  readonly wrong?: string | undefined;
}

/** One thing that was measured for each client. */
export interface Row {
  readonly title: string;
  readonly unit: 'µs' | 'ms' | 'MiB';
  readonly cells: Partial<Record<ClientId, Cell>>;
  /** The largest ratio of this package to a client that is allowed. */
  readonly limits: Partial<Record<ClientId, number>>;
}

/** One value of this package, with its bound where there is one. */
export interface Target {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  readonly bound?: readonly ['at most' | 'at least', number] | undefined;
  /** Undefined when there is no bound. */
  readonly holds?: boolean | undefined;
}

/** The results of one part of the bench. */
export interface Results {
  readonly rows?: readonly Row[];
  readonly targets?: readonly Target[];
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = sorted.length >> 1;
  const [low = Number.NaN, high = Number.NaN] = [sorted[middle - 1 + (sorted.length % 2)], sorted[middle]];
  return (low + high) / 2;
}

/** Compares two measurements of the same rounds by the median of the rounds' ratios. A busy machine slows both measurements of a round. */
export function ratioTarget(
  what: string,
  rounds: readonly number[],
  against: { readonly name: string; readonly rounds: readonly number[] },
  limit?: number,
): Target {
  const value = median(rounds.map((each, round) => each / (against.rounds[round] as number)));
  return {
    what,
    value,
    unit: `× ${against.name}`,
    bound: limit === undefined ? undefined : ['at most', limit],
    holds: limit === undefined ? undefined : value <= limit,
  };
}

/** Compares this package, in both SOAP versions, with the clients of a row that have a limit. An earlier commit is compared in SOAP 1.1 only. */
export function rowTargets({ title, cells, limits }: Row): Target[] {
  return Object.entries(limits).flatMap(([peer, limit]) => {
    const against = cells[peer as ClientId];
    if (!against) return [];
    const versions = peer === 'earlier' ? (['this-1.1'] as const) : (['this-1.1', 'this-1.2'] as const);
    return versions.flatMap((own) => {
      const name = CLIENTS[peer as ClientId];
      const rounds = cells[own]?.rounds;
      return rounds ? [ratioTarget(`${title}, ${own.slice(-3)}`, rounds, { name, rounds: against.rounds }, limit)] : [];
    });
  });
}
