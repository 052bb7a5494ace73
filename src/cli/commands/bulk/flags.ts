import type { GlobalOptions } from '../../settings/global-options';

/** The options of a bulk command as they were given. Options for fields have keys such as `field:sender`. */
export type BulkFlags = GlobalOptions & {
  readonly operation?: string;
  readonly batchSize?: string;
  readonly idsInOrder?: true;
  readonly startWithinMs?: string;
  readonly ignoreColumns?: true;
  readonly skipDuplicates?: true;
  readonly exclude?: string;
  readonly journal?: string;
  readonly takeOver?: true;
  readonly concurrency?: string;
  readonly rowsPerSecond?: string;
  readonly stopAfterFailures?: string;
  readonly dryRun?: true;
  readonly baselinePagesize?: string;
  readonly baselineStartUnixdate?: string;
  readonly baselineEndUnixdate?: string;
  readonly pagesize?: string;
  readonly startUnixdate?: string;
  readonly endUnixdate?: string;
  readonly settleMs?: string;
  readonly untilDone?: true;
  readonly row?: string;
  readonly as?: string;
  readonly id?: string;
  readonly state?: string;
  /** In milliseconds, as --every. */
  readonly within?: number;
  readonly every?: number;
  readonly redis?: string;
  readonly acceptLoss?: true;
  readonly replicas?: string;
  readonly queue?: string;
  readonly healthPort?: string;
  readonly untilEmpty?: true;
  readonly revoke?: boolean;
};
