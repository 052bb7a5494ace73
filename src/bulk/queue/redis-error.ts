import { MessagingError, nameErrors } from '../../errors';

// In a file of its own, so that its declaration needs no types of the optional peers.

/**
 * Redis cannot be reached, or refused a command. No request was sent because of it. The message does not show the
 * password.
 *
 * @example
 * if (error instanceof RedisError) console.error('check Redis, then start the worker again:', error.message);
 */
export class RedisError extends MessagingError {
  constructor(message: string) {
    super({ outcome: 'not-sent', message });
  }

  static {
    nameErrors(RedisError, 'RedisError');
  }
}
