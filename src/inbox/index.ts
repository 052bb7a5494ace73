export { JournalError, JournalWriteError } from '../journal/errors';
export { type Inbox, openInbox } from './inbox';
export type { InboxCounts } from './inbox-journal';
export type { Delivery, InboxClient, InboxOptions, InboxRunOptions, MessageHandler } from './options';
