import type { OperationName } from '../../generated/operations';
import type { FieldValues } from './fields';

/** The command line or its environment is wrong. The message is for people and names the option as they write it. */
export class UsageError extends Error {}

/** The user or the system ended the program while it was at work. */
export class Interrupted extends Error {
  constructor(readonly signal: 'SIGINT' | 'SIGTERM') {
    super('interrupted');
  }
}

/** The cause came while a call was under way. */
export class OperationFailure extends Error {
  constructor(
    override readonly cause: unknown,
    readonly call: { readonly operation: OperationName; readonly request: FieldValues },
  ) {
    super('the call failed');
  }
}

/** The cause came after some records were printed. */
export class IncompleteOutput extends Error {
  constructor(
    override readonly cause: unknown,
    readonly count: number,
  ) {
    super('the output is incomplete');
  }
}
