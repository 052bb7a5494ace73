import { operations } from '../../../../generated/operations';
import { flagOf } from '../../fields/option-names';
import type { StoredProfile } from '../../settings/write-profile';
import type { Io } from '../../terminal/io';
import { quoteForTerminal } from '../../terminal/text';

/** The file in which the first message's id is kept for `track`. */
const ID_FILE = 'first-message.txt';

/**
 * Lists what remains after the profile was written: the questions for the provider, and the commands that lead to a
 * program and to a first message. Each names the profile, because variables of the environment come before a profile
 * that a command does not name.
 */
export function remainingSteps(
  { name, values }: StoredProfile,
  isWorking: boolean,
  { invocation, platform = process.platform }: Pick<Io, 'invocation'> & { readonly platform?: NodeJS.Platform },
): readonly string[] {
  const command = (words: string): string => `${invocation} ${words} --profile ${name}`;
  const questions = (
    [
      ['successStatuses', 'which statuses mean success', '--success-statuses LIST'],
      ['dates', 'whether dates count seconds or milliseconds', '--dates UNIT'],
      ['finalStatuses', 'which statuses of a message are final', '--final-statuses LIST'],
    ] as const
  )
    .filter(([setting]) => values[setting] === undefined)
    .map(([, question, example]) => `ask your provider ${question}, then: ${command('setup')} ${example}`);
  if (!isWorking) questions.unshift(`fix what failed, then run: ${command('doctor')}`);
  const lines = questions.map((step, index) => `  ${index + 1}. ${step}`);
  if (lines.length > 0) lines.unshift('Left to do:');
  const isReady = isWorking && values.successStatuses !== undefined;
  if (!isReady) return lines;
  return [
    ...lines,
    'The settings as variables, for a program:',
    `  ${command('config')} --env ${platform === 'win32' ? 'powershell' : 'sh'}`,
    'A first message, with your values in place of the words in capitals, and what becomes of it:',
    `  ${command('send-simple')} ${firstMessage(values)} > ${ID_FILE}`,
    ...(values.finalStatuses === undefined ? [] : [`  ${command('track')} --messageid-file ${ID_FILE}`]),
  ];
}

/** The fields of a first message as options. The contract does not define their values, so an unknown one is a word. */
function firstMessage(values: StoredProfile['values']): string {
  const defaults = values.defaults as Readonly<Record<string, unknown>> | undefined;
  const asked = ['sender', 'message', 'receptor'];
  const fields = operations.SendSimpleByApikey.request.filter(
    ({ name, ...element }) =>
      !('filledByClient' in element) && (asked.includes(name) || defaults?.[name] === undefined),
  );
  const wordFor = (name: string): string => (name === 'message' ? 'A first message' : name.toUpperCase());
  return fields.map(({ name }) => `${flagOf(name)} ${quoteForTerminal(wordFor(name))}`).join(' ');
}
