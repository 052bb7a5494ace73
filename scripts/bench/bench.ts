import type { Client } from './clients';

/** The number and the length of the measurements. */
export interface Plan {
  readonly isQuick: boolean;
  /** Rounds of calls, the milliseconds of each round, and the milliseconds of CPU time of the warm-up before them. */
  readonly calls: { readonly rounds: number; readonly milliseconds: number; readonly warmUp: number };
  readonly list: { readonly records: number; readonly rounds: number };
  readonly startRounds: number;
  readonly sandbox: { readonly rounds: number; readonly milliseconds: number };
  readonly bulk: { readonly rounds: number; readonly rows: number };
}

export const FULL: Plan = {
  isQuick: false,
  calls: { rounds: 9, milliseconds: 300, warmUp: 3000 },
  list: { records: 200_000, rounds: 3 },
  startRounds: 15,
  sandbox: { rounds: 3, milliseconds: 3000 },
  bulk: { rounds: 5, rows: 2000 },
};

export const QUICK: Plan = {
  isQuick: true,
  calls: { rounds: 5, milliseconds: 60, warmUp: 1000 },
  list: { records: 20_000, rounds: 1 },
  startRounds: 5,
  sandbox: { rounds: 1, milliseconds: 1000 },
  bulk: { rounds: 2, rows: 500 },
};

/** The things that every part of the bench needs. */
export interface Bench {
  readonly plan: Plan;
  /** The folder of the compiled programs. It is removed at the end. */
  readonly folder: string;
  /** The address of the server that all clients call. */
  readonly url: string;
  readonly clients: readonly Client[];
  /** The folder of an earlier commit of this package; undefined when none is measured. */
  readonly earlier: string | undefined;
  /** Prints the name of the current measurement. */
  readonly log: (what: string) => void;
}
