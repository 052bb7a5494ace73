export { JournalError, JournalWriteError } from '../journal/errors';
export type { JournalHolder } from '../journal/owner';
export { type Bulk, openBulk } from './bulk';
export { type CheckedList, checkBulk, type Noticed } from './check';
export { type BulkClient, type BulkOptions, checkRunOptions, type RowOptions } from './options';
export type { ReconcileOptions, Reconciliation, Undecided } from './reconcile/reconcile';
export { type ResolveBulkOptions, type ResolveOptions, resolveBulk } from './resolve';
export { type BulkResult, readResults } from './results';
export { type RetryOptions, type RetryState, retryBulk, retryStates } from './retry';
export type { BulkFields, BulkOperation } from './rows/fields';
export type { BulkInput, RawRow } from './rows/input';
export { formatProblem, InputError, type InputProblem } from './rows/input-error';
export type { Progress, RunOptions, RunResult, RunSettings } from './sending/run';
export {
  differingSettings,
  type FurtherSettings,
  journalPathOf,
  readSavedSettings,
  type SavedSettings,
  settingsPathOf,
} from './settings-file';
export type { PlanOptions } from './state/plan';
export type { Listing, RowRange } from './state/records';
export { type Counts, type RowState, rowStates } from './state/row-table';
export { type BulkRow, type BulkStatus, readBulk } from './status';
export { type BulkDelivery, type BulkTrackOptions, readDelivery, type TrackClient, trackBulk } from './track';
