import { isUsable, peekAtKey } from '../../../client/options/sources';
import type { Context } from '../../commander/command';
import { withPaths } from '../../settings/profile';
import { type NeededSetting, openSession } from '../../settings/session';
import { sourceOfProfile } from '../../settings/settings';
import type { StoredProfile } from '../../settings/write-profile';
import { explain } from '../../terminal/explain';
import { CommandFailure, exitCodes } from '../../terminal/failure';
import { canAsk, tellBetween } from '../../terminal/questions';
import { callService, Skipped } from '../doctor/service-checks';
import { type Answers, askKey } from './ask';

/** The settings that the checks of a profile need. */
export const neededForChecks: readonly NeededSetting[] = ['baseUrl', 'namespace', 'apiKey'];

/**
 * Tries a new API key before it takes the place of the profile's key for the same service, which may work. On a
 * terminal, asks for another key until the service accepts one, or until the earlier one stays.
 *
 * @throws {CommandFailure} when the service does not accept the key and nobody can be asked
 */
export async function withAcceptedKey(
  stored: StoredProfile,
  { values, key }: Answers,
  context: Context,
  signal: AbortSignal,
): Promise<Answers> {
  const { name, path, values: before } = stored;
  const keyIn = (file: unknown): string | undefined =>
    peekAtKey(String(withPaths({ apiKeyFile: file }, path).apiKeyFile));
  const earlier = before.apiKeyFile === undefined ? undefined : keyIn(before.apiKeyFile);
  const isTried = earlier !== undefined && isUsable(before.baseUrl, values.baseUrl);
  let answers: Answers = { values, key };
  for (;;) {
    const given = answers.key ?? keyIn(answers.values.apiKeyFile);
    if (!isTried || given === undefined || given === earlier) return answers;
    const refusal = await tryKey({ name, path, values }, given, context);
    if (refusal === undefined) return answers;
    const { exitCode, message } = refusal;
    if (!canAsk(context.io)) {
      const effect = 'the service did not accept the new API key, so nothing was written; --replace writes it untried';
      throw new CommandFailure(exitCode, `${message}; ${effect}`);
    }
    await tellBetween(context.io, `The service did not accept this key: ${message}`);
    const typed = await askKey('API key', before.apiKeyFile, context.io, signal);
    answers = typed === undefined ? { values: { ...values, apiKeyFile: before.apiKeyFile } } : { values, key: typed };
  }
}

/** Makes the cheapest call with an API key. Resolves with the refusal, or with undefined when the key is accepted. */
async function tryKey({ name, path, values }: StoredProfile, key: string, context: Context) {
  const { settings } = sourceOfProfile({ name, values: withPaths(values, path) });
  const withKey = { ...settings, apiKeyFile: undefined, apiKey: { value: key, source: 'the new API key' } };
  const inForce = { settings: withKey, ignored: [], reason: '' };
  const session = openSession(inForce, context, { needed: neededForChecks });
  try {
    const result = await callService(session);
    const isDoubtful = result instanceof Skipped && result.isDoubtful;
    return isDoubtful ? { exitCode: exitCodes.status, message: result.reason } : undefined;
  } catch (error) {
    session.signal.throwIfAborted();
    return { exitCode: explain(error).exitCode, message: (error as Error).message };
  } finally {
    session.close();
  }
}
