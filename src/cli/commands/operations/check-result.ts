import type { OperationName } from '../../../../generated/operations';
import { CommandFailure, exitCodes } from '../../terminal/failure';
import type { CommandCall } from './command-call';
import { sendsMessages } from './effects';

/** The operations whose result is a number for each id, with the name of this number. */
export const PAIRED: { readonly [O in OperationName]?: string } = {
  GetStatusByApikey: 'status',
  CancelByApikey: 'result',
};

/**
 * Compares a result, which is printed, with its request: an id for each message, and a number for each id. The contract
 * does not say so. Where it is not so, somebody has to look.
 *
 * @throws {CommandFailure} for messages whose ids are missing or are no ids
 */
export function checkResult(call: CommandCall, result: unknown): void {
  const { operation, session, request, context } = call;
  const values = [result ?? []].flat() as readonly unknown[];
  const name = PAIRED[operation];
  const ids = [request.messageid ?? []].flat().length;
  if (name !== undefined && ids !== values.length)
    context.log(`warning: ${count(ids, 'id')}, ${count(values.length, name)}: nobody knows which belongs to which id`);
  if (!sendsMessages(operation)) return;
  const { receptor }: { readonly receptor?: unknown } = { ...session.options.defaults, ...request };
  const mistake = mistakeIn([receptor ?? []].flat().length, values as readonly bigint[]);
  if (mistake !== undefined)
    throw new CommandFailure(exitCodes.unknown, `${operation}: ${mistake}: look before you send again`);
}

/** Names the fault of the ids of sent messages. */
function mistakeIn(receptors: number, ids: readonly bigint[]): string | undefined {
  const wrong = ids.find((id) => id <= 0n);
  const seen = new Set<bigint>();
  const twice = ids.find((id) => seen.size === seen.add(id).size);
  if (ids.length !== receptors) return `${count(receptors, 'receptor')}, ${count(ids.length, 'id')}`;
  if (wrong !== undefined) return `${wrong} is no id`;
  return twice === undefined ? undefined : `${count(receptors, 'receptor')}, and the id ${twice} twice`;
}

/** "1 id", "2 ids", "2 statuses" */
function count(number: number, noun: string): string {
  const plural = noun.endsWith('s') ? `${noun}es` : `${noun}s`;
  return `${number} ${number === 1 ? noun : plural}`;
}
