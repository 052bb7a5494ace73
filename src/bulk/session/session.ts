import type { OpenJournal } from '../journal/open-journal';
import type { RowDigests } from '../rows/row-digests';
import type { RowsOptions } from '../rows/row-reader';
import type { BulkClient } from './bulk-client';

/** What all that is done with a file of rows works on: the rows, the journal that this process has open, and the client. */
export interface Session extends OpenJournal {
  readonly client: BulkClient;
  readonly source: RowsOptions;
  readonly digests: RowDigests;
}
