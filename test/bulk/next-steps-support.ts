import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Sandbox } from '../../src/sandbox';
import { environmentOf, messaging, type Outcome } from '../cli/support';
import { openSandbox } from '../support/sandbox';
import { commandsIn } from './cli-support';
import { csvOf, receptorOf } from './support';

export const fieldOptions = ['--sender', '3000', '--message', 'Hello {{name}}', '--unixdate', '0', '--msgmode', '1'];
export const ROWS = 6;

export interface World {
  readonly sandbox: Sandbox;
  readonly input: string;
  /** Runs a command of bulk with nothing in the environment. */
  readonly bulk: (...args: string[]) => Promise<Outcome>;
  /** Begins the list, with further options. */
  readonly begin: (...more: string[]) => Promise<Outcome>;
  /** Puts the list in a queue, with further options. */
  readonly enqueue: (...more: string[]) => Promise<Outcome>;
}

export async function makeWorld(rows = ROWS): Promise<World> {
  const sandbox = await openSandbox();
  const { input } = csvOf(rows);
  const key = join(dirname(input), 'key');
  writeFileSync(key, sandbox.apiKey, { mode: 0o600 });
  const service = ['--base-url', sandbox.baseUrl, '--namespace', sandbox.namespace, '--success-statuses', '200'];
  const bulk = (...args: string[]) => messaging(['bulk', ...args], { environment: {} });
  const given = [input, ...fieldOptions, ...service, '--api-key-file', key, '--yes'];
  const begin = (...more: string[]) => bulk('run', ...given, '--concurrency', '1', ...more);
  const enqueue = (...more: string[]) => bulk('enqueue', ...given, ...more);
  return { sandbox, input, bulk, begin, enqueue };
}

/** A state of a list, and the command that made it and printed the next steps. */
export type State = readonly [name: string, make: (world: World) => Promise<Outcome>];

/**
 * Follows the commands that each state prints, with nothing in the environment, and in a shell whose variables name
 * another service. After that, the first service has each row once, and the other one has no request.
 *
 * @param more further variables of that shell
 * @param check checks the names of the commands that were followed
 */
export function testFollowing(
  states: readonly State[],
  more: NodeJS.ProcessEnv,
  check: (followed: readonly string[], state: string) => void,
): void {
  describe.each([
    ['as it is', false],
    [`in a shell whose variables name another service, with ${Object.keys(more).join(' and ')}`, true],
  ])('followed %s, each printed command sends what is left, once,', (_, hasVariables) => {
    test.each(states)('when %s', async (state, make) => {
      const world = await makeWorld();
      const printed = await make(world);
      const other = await openSandbox({ apiKey: 'other-key' });
      const variables = { MESSAGING_SUCCESS_STATUSES: '201', MESSAGING_PROXY: 'http://127.0.0.1:1', ...more };
      const followed = await follow(printed, world, hasVariables ? { ...environmentOf(other), ...variables } : {});
      check(followed, state);
      expect((await world.bulk('status', world.input)).stdout).toBe(`${ROWS} of ${ROWS} rows sent\n`);
      expectOnce(world.sandbox);
      expect(other.requests).toHaveLength(0);
    });
  });
}

/** Follows each printed command, until none is left or nothing changes. */
async function follow(last: Outcome, { sandbox }: World, environment: NodeJS.ProcessEnv): Promise<string[]> {
  const followed: string[] = [];
  for (let round = 0, outcome = last; round < 6; round++) {
    let next: Outcome | undefined;
    for (const words of commandsIn(outcome.stderr)) {
      const [, name = ''] = words;
      expect(words).not.toContain('--yes');
      if (name === 'resolve') {
        if (words.at(-1) === 'sent') continue;
        next = await resolveTruly(words, sandbox, environment);
      } else {
        const more = name === 'work' ? ['--until-empty'] : [];
        next = await messaging([...words, ...more], { environment });
      }
      expect([words, next.code, next.stderr]).not.toEqual([words, 2, expect.anything()]);
      followed.push(name);
      // The state has changed, so the commands after this one are printed again.
      if (['run', 'retry'].includes(name)) break;
    }
    if (!next) break;
    outcome = next;
  }
  return followed;
}

/** Says of each row what the service knows. */
async function resolveTruly(words: readonly string[], sandbox: Sandbox, environment: NodeJS.ProcessEnv) {
  const [, , file = '', , rows = ''] = words;
  let outcome: Outcome | undefined;
  for (const row of rows.split(',')) {
    const isSent = sandbox.messages.some(({ receptor }) => receptor === receptorOf(Number(row)));
    const as = isSent ? 'sent' : 'not-sent';
    outcome = await messaging(['bulk', 'resolve', file, '--row', row, '--as', as], { environment });
    expect(outcome.code).toBe(0);
  }
  return outcome as Outcome;
}

export const expectOnce = (sandbox: Sandbox, rows = ROWS) => {
  const sent = sandbox.messages.map(({ receptor }) => receptor);
  expect(sent.sort()).toEqual(Array.from({ length: rows }, (_, index) => receptorOf(index + 1)).sort());
};
