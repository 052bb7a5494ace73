import { ConfigurationError, MessagingError } from '../../errors';

/** The journal cannot be used. Nothing was sent. */
export class JournalError extends ConfigurationError {
  /**
   * - `locked`: another process has it open
   * - `changed`: it belongs to another input, template or option
   * - `damaged`: it is not a journal, or was changed by something else
   */
  readonly code: 'locked' | 'changed' | 'damaged';

  constructor(code: JournalError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * The journal could not be written any more: the disk is full, or another process wrote to it. Nothing more is sent. What
 * the journal does not say about the requests that were under way is unknown.
 */
export class JournalWriteError extends MessagingError {
  constructor(message: string, cause?: unknown) {
    super({ operation: undefined, mask: unmasked, maskTruncated: unmasked }, 'unknown', message);
    if (cause !== undefined) this.cause = cause;
  }
}

/** The journal holds no API key, so neither do its errors. */
function unmasked(text: string): string {
  return text;
}
