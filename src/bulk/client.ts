import type { MessagingClient } from '../client/client';
import type { BulkOperation } from './rows/fields';

/** The methods of a client that bulk sending uses. A MessagingClient has them. */
export type BulkClient = Pick<MessagingClient, BulkOperation | 'select' | 'selectLatestStream' | 'track'>;
