import { MessagingError, nameErrors } from '../../errors';
import type { Mask } from '../../internal/mask';

/** Redis cannot be reached, or refused a command. No request left because of it. Its password is in no message. */
export class RedisError extends MessagingError {
  /** @param mask replaces the password */
  constructor(mask: Mask, message: string) {
    super({ outcome: 'not-sent', message: mask.mask(message) });
  }

  static {
    nameErrors(RedisError, 'RedisError');
  }
}
