import type { Settings } from '../options';
import type { MessagingRecord, MessagingResponse, MessagingResult, OperationName, RecordOperation } from '../types';

/** Settings of one call. */
export interface CallOptions {
  /** Aborts the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Limit for the whole call, in milliseconds; 0 means none. Default: the client's. */
  readonly timeoutMs?: number | undefined;
}

export class Port {
  constructor(readonly settings: Settings) {}
  result<O extends OperationName>(_o: O, _r: object, _c?: CallOptions): Promise<MessagingResult<O>> {
    throw new Error();
  }
  records<O extends RecordOperation>(_o: O, _r: object, _c?: CallOptions): AsyncIterableIterator<MessagingRecord<O>> {
    throw new Error();
  }
  call<O extends OperationName>(_o: O, _r: object, _c?: CallOptions): Promise<MessagingResponse<O>> {
    throw new Error();
  }
  close(): Promise<void> {
    throw new Error();
  }
}
