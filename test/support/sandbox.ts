import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox';
import { cleanUp } from './clean-up';

/** Starts a sandbox that is closed after the test or the file (clean-up.ts). */
export async function openSandbox(options?: SandboxOptions): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  cleanUp(() => sandbox.close());
  return sandbox;
}
