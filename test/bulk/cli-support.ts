import type { Sandbox } from '../../src/sandbox';
import { environmentOf, messaging, shellWords } from '../cli/support';
import { openSandbox } from '../support/sandbox';
import { csvOf } from './support';

/** The fields that the columns of csvOf leave open, and the answer to the question of a terminal. */
export const given = ['--sender', '3000', '--message', 'Hello {{name}}', '--unixdate', '0', '--msgmode', '1', '--yes'];

/** A list of so many rows, a sandbox, and the command of this program that works on both. */
export async function prepare(rows: number, folder?: string) {
  const sandbox = await openSandbox();
  const environment = environmentOf(sandbox);
  const bulk = (...args: string[]) => messaging(['bulk', ...args], { environment });
  return { sandbox, ...csvOf(rows, folder), environment, bulk };
}

/** Arms a reply for each request that sends a row. */
export function arm(sandbox: Sandbox, requests: number, reply: (n: number) => Parameters<Sandbox['reply']>[1]): void {
  for (let n = 1; n <= requests; n++) sandbox.reply('SendSimpleByApikey', reply(n));
}

/** The commands of this program that a text prints, as words. */
export function commandsIn(text: string): string[][] {
  return [...text.matchAll(/`messaging ([^`]*)`/g)].map(([, line = '']) => shellWords(line));
}
