// The sandbox's replies. This file is compiled and never run: a line under @ts-expect-error must not compile.
import { type Sandbox, startSandbox } from '../../src/sandbox';

export function arm(sandbox: Sandbox): void {
  sandbox.reply('*', { status: 418 });
  sandbox.reply('SelectByApikey', { result: [null, { messageid: 1n, message: null }, 'text'] });
  // @ts-expect-error a reply needs content
  sandbox.reply('*', {});
  // @ts-expect-error two kinds in one reply
  sandbox.reply('*', { drop: 'before', status: 1 });
  // @ts-expect-error a list where the result is a single long
  sandbox.reply('SendAdvance', { result: [1n] });
  // @ts-expect-error a field that the record does not have
  sandbox.reply('SelectByApikey', { result: [{ nosuch: 1 }] });
  // @ts-expect-error an operation that the contract does not have
  sandbox.reply('SendNothing', { status: 1 });
}

export async function deliver(): Promise<void> {
  await startSandbox({ delivery: true });
  await startSandbox({ delivery: { receptors: [{ endsWith: '1', refuse: 411 }] } });
  const sandbox = await startSandbox({ delivery: { steps: [{ afterMs: 1, status: 4 }] } });
  sandbox.advance(1_000);
  // @ts-expect-error A receptor is refused or takes steps.
  await startSandbox({ delivery: { receptors: [{ endsWith: '1', refuse: 411, steps: [] }] } });
  // @ts-expect-error A step has a status.
  await startSandbox({ delivery: { steps: [{ afterMs: 1 }] } });
}
