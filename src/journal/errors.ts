import { ConfigurationError, type ConfigurationFailure, MessagingError, nameErrors } from '../errors';

/**
 * A journal cannot be used. Nothing was done.
 *
 * @example
 * if (error instanceof JournalError && error.code === 'locked') console.error('another process has the journal open');
 */
export class JournalError extends ConfigurationError {
  /**
   * - `locked`: another process has the journal open
   * - `changed`: the journal belongs to other data or other options
   * - `damaged`: the file is not a journal, or something else has changed it
   * - `unusable`: the file cannot be opened, made or read, or its path is that of a folder or a device
   */
  readonly code: 'locked' | 'changed' | 'damaged' | 'unusable';

  constructor(code: JournalError['code'], failure: ConfigurationFailure) {
    super(failure);
    this.code = code;
  }

  static {
    nameErrors(JournalError, 'JournalError');
  }
}

/**
 * The journal cannot be written any more: the disk is full, another process wrote to it, or it was moved or deleted.
 * Nothing more is done. The outcome of the work that was under way is unknown, except where the journal has it.
 *
 * @example
 * if (error instanceof JournalWriteError && error.isMissing) console.error('put the journal back before you go on');
 */
export class JournalWriteError extends MessagingError {
  /** True when the journal is no longer at its path. A file that is there now does not know what was done. */
  readonly isMissing: boolean;

  constructor(
    message: string,
    { cause, isMissing = false }: { readonly cause?: unknown; readonly isMissing?: boolean } = {},
  ) {
    super({ outcome: 'unknown', message });
    this.isMissing = isMissing;
    if (cause !== undefined) this.cause = cause;
  }

  static {
    nameErrors(JournalWriteError, 'JournalWriteError');
  }
}
