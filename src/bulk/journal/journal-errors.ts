import { ConfigurationError, type ConfigurationFailure, MessagingError, nameErrors } from '../../errors';

/** The journal cannot be used. Nothing was sent. */
export class JournalError extends ConfigurationError {
  /**
   * - `locked`: another process has it open
   * - `changed`: it belongs to another input, template or option
   * - `damaged`: it is not a journal, or was changed by something else
   * - `unusable`: its file cannot be opened, made or read, or its path is that of a folder or a device
   */
  readonly code: 'locked' | 'changed' | 'damaged' | 'unusable';

  constructor(code: JournalError['code'], failure: ConfigurationFailure | string) {
    super(typeof failure === 'string' ? { message: failure } : failure);
    this.code = code;
  }

  static {
    nameErrors(JournalError, 'JournalError');
  }
}

/**
 * The journal could not be written any more: the disk is full, another process wrote to it, or it was moved or deleted. Nothing
 * more is sent. What the journal does not say about the requests that were under way is unknown.
 */
export class JournalWriteError extends MessagingError {
  /** Whether the journal is not at its path any more: what is there now does not know what was sent. Default false. */
  readonly isGone: boolean;

  constructor(
    message: string,
    { cause, isGone = false }: { readonly cause?: unknown; readonly isGone?: boolean } = {},
  ) {
    super({ outcome: 'unknown', message });
    this.isGone = isGone;
    if (cause !== undefined) this.cause = cause;
  }

  static {
    nameErrors(JournalWriteError, 'JournalWriteError');
  }
}
