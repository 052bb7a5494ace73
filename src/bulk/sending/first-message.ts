import type { ApiSelect } from '../../../generated/v1/definitions/ApiSelect';
import type { Signal } from '../../internal/signals';
import type { CallOptions } from '../../options/call';
import type { MessagingRequest } from '../../types';
import { digestMessage, type MessageKey, messageReader } from '../rows/digests';
import type { BulkOperation } from '../rows/fields';
import type { RowValues } from '../rows/reader';

/** The method of a MessagingClient that asks for messages by their ids. */
export interface AskingClient {
  select(request: MessagingRequest<'SelectByApikey'>, options?: CallOptions): Promise<ApiSelect[]>;
}

/** The run waits for this request, so its time limit is short. */
const LIMIT_MS = 5000;

const parts = { sender: 'sender', receptor: 'receptor', message: 'text' } as const;

/**
 * Asks for a message of a batch that was sent. Resolves with a warning when the service shows a message that no row of
 * the batch has; with undefined when it shows the message as it was sent, does not show it yet, or does not respond.
 */
export async function checkMessage(
  client: AskingClient,
  operation: BulkOperation,
  rows: readonly RowValues[],
  id: bigint,
  signal: Signal,
): Promise<string | undefined> {
  const shown = (await client.select({ messageid: [id] }, { signal, timeoutMs: LIMIT_MS }).catch(() => [])).find(
    ({ messageid }) => messageid === id,
  );
  if (shown === undefined) return undefined;
  // Ids belong to the rows of a batch in any order.
  const sent = rows.map(messageReader(operation));
  const names = Object.keys(parts) as (keyof MessageKey & keyof typeof parts)[];
  const isSame = (key: MessageKey) => digestMessage(key) === digestMessage(shown);
  if (sent.some(isSame)) return undefined;
  const differing = names.filter((name) =>
    sent.every((key) => digestMessage({ [name]: key[name] }) !== digestMessage({ [name]: shown[name] })),
  );
  const what = differing.map((name) => parts[name]).join(' and ') || 'message';
  return `the service shows another ${what} than was sent (message ${id}), so a row whose response is lost can be decided only by resolve`;
}
