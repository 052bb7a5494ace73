import { MessagingError, nameErrors } from '../../errors';
import type { Masker } from '../../internal/mask';

/** Redis cannot be reached, or refused a command. No request left because of it. Its password is in no message. */
export class RedisError extends MessagingError {
  /** @param masker replaces the password */
  constructor(masker: Masker, message: string) {
    super({ outcome: 'not-sent', message: masker.mask(message) });
  }

  static {
    nameErrors(RedisError, 'RedisError');
  }
}
