import { MessagingError } from '../errors';

/**
 * Makes the stack of a failure name the lines that wait for the call, in place of the socket or the timer that it came from. Only
 * a call that fails pays for it. Any other error is a defect, whose own stack is wanted.
 */
export function nameCaller(error: unknown): void {
  if (error instanceof MessagingError) Error.captureStackTrace(error, nameCaller);
}
