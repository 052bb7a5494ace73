import { quoteForShell } from '../../../internal/strings';
import type { StoredProfile } from '../../settings/write-profile';
import type { Io } from '../../terminal/io';

/** Lists the remaining steps after the profile was written, in their order. */
export function remainingSteps(
  { name, values }: StoredProfile,
  isWorking: boolean,
  { environment, invocation }: Pick<Io, 'environment' | 'invocation'>,
): readonly string[] {
  const chosen = environment.MESSAGING_PROFILE || 'default';
  const profile = name === chosen ? '' : ` --profile ${quoteForShell(name)}`;
  const steps: string[] = [];
  if (!isWorking) steps.push(`put right what failed, then: ${invocation} doctor${profile}`);
  for (const [setting, question, example] of [
    ['successStatuses', 'which statuses mean success', '--success-statuses LIST'],
    ['dates', 'whether dates count seconds or milliseconds', '--dates UNIT'],
    ['finalStatuses', 'which statuses of a message are final', '--final-statuses LIST'],
  ] as const) {
    if (values[setting] === undefined) {
      steps.push(`ask your provider ${question}, then: ${invocation} setup${profile} ${example}`);
    }
  }
  steps.push('send one message to your own phone, as docs/going-live.md of the package describes');
  return ['Left to do:', ...steps.map((step, index) => `  ${index + 1}. ${step}`)];
}
