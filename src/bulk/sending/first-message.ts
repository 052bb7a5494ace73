import type { MessagingClient } from '../../client/client';
import type { Signal } from '../../internal/signals';
import { digestMessage } from '../rows/digests';
import type { MessageKey } from '../rows/fields';

/** The run waits for this request, so its time limit is short. */
const LIMIT_MS = 5000;

const parts = { sender: 'sender', receptor: 'receptor', message: 'text' } as const;

/**
 * Asks for a message of a batch that was sent. Resolves with a warning when the service shows a message that no row of
 * the batch has; with undefined when it shows the message as it was sent, does not show it yet, or does not respond.
 */
export async function checkMessage(
  client: Pick<MessagingClient, 'select'>,
  messages: readonly MessageKey[],
  id: bigint,
  signal: Signal,
): Promise<string | undefined> {
  const ask = async () => client.select({ messageid: [id] }, { signal, timeoutMs: LIMIT_MS });
  const shown = (await ask().catch(() => [])).find(({ messageid }) => messageid === id);
  // Ids belong to the rows of a batch in any order.
  if (!shown || messages.some((key) => digestMessage(key) === digestMessage(shown))) return undefined;
  const isOther = (name: keyof typeof parts) =>
    messages.every((key) => digestMessage({ [name]: key[name] }) !== digestMessage({ [name]: shown[name] }));
  const names = (Object.keys(parts) as (keyof typeof parts)[]).filter(isOther).map((name) => parts[name]);
  const what = names.join(' and ') || 'message';
  return `the service shows another ${what} than was sent (message ${id}), so a row whose response is lost can be decided only by resolve`;
}
