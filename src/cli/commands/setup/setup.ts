import { statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { readKeyFile } from '../../../client/options/files';
import { type SettingName, settingNames } from '../../../client/options/settings';
import { isUsable } from '../../../client/options/sources';
import { addressWithoutSecrets } from '../../../internal/address';
import { WrongValue } from '../../../options/table';
import { type CliCommand, type Context, optionsOf } from '../../commander/command';
import { GLOBAL_GROUP } from '../../commander/help';
import { flagOf } from '../../fields/option-names';
import { ResultPrinter } from '../../output/result-printer';
import { warnIfPublic } from '../../settings/api-key';
import { addOutputOptions, addSettings, type GlobalOptions } from '../../settings/global-options';
import { openSession } from '../../settings/session';
import { readSettings } from '../../settings/settings';
import { readStoredProfile, type StoredProfile, writeProfile } from '../../settings/write-profile';
import { CommandFailure, exitCodes, UsageError } from '../../terminal/failure';
import { interruptible } from '../../terminal/io';
import { askYes, canAsk } from '../../terminal/questions';
import { printSteps, stepType } from '../doctor/doctor';
import { type Answers, askFor, lookAtService, needed, ofService, readSetting, type Values } from './ask';
import { neededForChecks, withAcceptedKey } from './new-key';
import { remainingSteps } from './remaining';

interface SetupFlags extends GlobalOptions {
  readonly confirm?: true;
  readonly replace?: true;
}

export function defineSetup(command: CliCommand, context: Context): void {
  command
    .description(
      'Collects the settings that your provider gives you, writes them into a profile, and checks them without sending a message. On a terminal it asks for each setting that is neither given nor in the profile; elsewhere each is an option. It reads the namespace from the WSDL of the service, where there is one. Variables give no settings here, because they may belong to another service.',
    )
    .argument('[url]', 'the base URL of the service, or the address of its endpoint or WSDL')
    .addExamples([
      'setup',
      'setup https://provider.example --api-key-file provider.key',
      'setup --success-statuses 200 --dates seconds',
    ]);
  const names = settingNames.filter((name) => name !== 'apiKey');
  addSettings(command.optionsGroup(GLOBAL_GROUP), names);
  addOutputOptions(command, stepType.columns);
  for (const option of command.options) {
    if (option.attributeName() === 'profile')
      option.helpGroup('Options:').description = 'write this profile [MESSAGING_PROFILE] (default: default)';
  }
  command
    .optionsGroup('Options:')
    .option('--confirm', 'ask before each command that sends messages to this service')
    .option('--replace', 'replace a profile of another service, or a key, without a question');
  command.action(async (url: string | undefined) => {
    const flags: SetupFlags = optionsOf(command);
    if (url !== undefined && flags.baseUrl !== undefined)
      throw new UsageError('give the URL once, not also --base-url');
    // A word without a dot, a colon and a slash is no address, but perhaps the name of another command.
    if (url !== undefined && !/[.:/]/.test(url))
      throw new UsageError(
        `unexpected argument ${JSON.stringify(url)}: a URL such as https://provider.example is needed`,
      );
    const printer = new ResultPrinter(stepType, flags, context);
    const { io, log } = context;
    const name = flags.profile ?? (io.environment.MESSAGING_PROFILE || 'default');
    const stored = readStoredProfile(name, io.environment);
    const given = readValues({ ...flags, ...(url !== undefined && { baseUrl: url }) }, names, context);
    const profile = await interruptible(io.signals, async (signal) => {
      const answers = await complete(stored, given, flags, context, signal);
      const { values, key } = flags.replace ? answers : await withAcceptedKey(stored, answers, context, signal);
      return writeProfile(stored, values, key, signal);
    });
    log(`profile ${name} is written to ${profile.path}`);
    tellKeyFiles(stored, profile, log);
    const session = openSession(readSettings({ profile: name }, context), context, { needed: neededForChecks });
    const exitCode = await printSteps(session, printer).finally(session.close);
    for (const line of remainingSteps(profile, exitCode === exitCodes.done, io)) log(line);
    if (exitCode !== exitCodes.done) throw new CommandFailure(exitCode);
  });
}

/** Says which file has the key that was typed, and which file the profile no longer uses. */
function tellKeyFiles({ values: before }: StoredProfile, { path, values }: StoredProfile, log: Context['log']): void {
  const [file, earlier] = [String(values.apiKeyFile), before.apiKeyFile];
  const place = (name: unknown): string => resolve(path, '..', String(name));
  if (!isAbsolute(file)) log(`the API key is in ${place(file)}`);
  if (earlier !== undefined && earlier !== file)
    log(`this profile no longer uses ${place(earlier)}; other programs may, so it was not deleted`);
}

/** Reads the values of the options. @throws {UsageError} that names all that is wrong */
function readValues(flags: SetupFlags, names: readonly SettingName[], { log }: Context): Values {
  const values: Record<string, unknown> = { ...(flags.confirm && { confirm: true }) };
  const problems: string[] = [];
  for (const name of names) {
    const text = flags[name];
    if (text === undefined) continue;
    try {
      if (text === '') throw new UsageError(`${flagOf(name)}: empty`);
      if (name === 'apiKeyFile') checkKeyFile(text, log);
      values[name] = readSetting(name, text);
    } catch (error) {
      if (error instanceof WrongValue) problems.push(`${flagOf(name)}: ${error.message}`);
      else if (error instanceof UsageError) problems.push(error.message);
      else throw error;
    }
  }
  if (problems.length > 0) throw new UsageError(problems.join('; '));
  return values;
}

/** @throws {UsageError} for a pipe, which later commands could not read; {WrongValue} for a file without a key */
function checkKeyFile(path: string, log: Context['log']): void {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false)
    throw new UsageError(`--api-key-file: ${path} is not a file that stays: write the key to one`);
  warnIfPublic(readKeyFile(path), path, '--api-key-file', log);
}

/** Adds what is missing: asks for it, or reads it from the service. @throws {UsageError} when it cannot be found out */
async function complete(
  stored: StoredProfile,
  given: Values,
  flags: SetupFlags,
  context: Context,
  signal: AbortSignal,
): Promise<Answers> {
  const allow = (baseUrl: unknown) => allowReplacing(stored, baseUrl, flags, context, signal);
  const values: Values = { ...ofService(stored.values, given.baseUrl), ...given };
  let answers: Answers = { values };
  if (canAsk(context.io)) {
    const isUpdate = Object.keys(given).some((name) => name !== 'baseUrl') && Object.keys(stored.values).length > 0;
    answers = await askFor({ ...stored, values }, isUpdate ? values : given, context, signal, allow);
  } else {
    await allow(values.baseUrl);
    if (values.baseUrl !== undefined && values.namespace === undefined) {
      const { namespace } = await lookAtService(values, context.log, signal);
      if (namespace !== undefined) answers = { values: { ...values, namespace } };
    }
  }
  const hasKey = answers.key !== undefined;
  const missing = needed.filter((name) => answers.values[name] === undefined && !(hasKey && name === 'apiKeyFile'));
  if (missing.length > 0) throw new UsageError(`missing: ${missing.map(flagOf).join(', ')}; nothing was written`);
  return answers;
}

/**
 * Asks before a profile is replaced that belongs to another service, or that only a variable names.
 *
 * @throws {UsageError} when nobody can be asked; {CommandFailure} for a "no"
 */
async function allowReplacing(
  { name, values }: StoredProfile,
  baseUrl: unknown,
  { profile: named, replace }: SetupFlags,
  { io }: Context,
  signal: AbortSignal,
): Promise<void> {
  if (replace || Object.keys(values).length === 0) return;
  const isOther = !isUsable(values.baseUrl, baseUrl);
  const isNamed = named !== undefined || !io.environment.MESSAGING_PROFILE;
  if (isNamed && !isOther) return;
  const service = values.baseUrl === undefined ? '' : ` for ${addressWithoutSecrets(String(values.baseUrl))}`;
  const what = `profile ${name} is${isNamed ? '' : ' named by MESSAGING_PROFILE, and is'}${service}`;
  const advice = '--profile NAME writes another profile';
  if (!canAsk(io)) throw new UsageError(`${what}: --replace changes it, and ${advice}; nothing was written`);
  const isAllowed = await askYes(io, signal, `${what} (${advice}). Change it${isOther ? ` to ${baseUrl}` : ''}?`);
  if (!isAllowed) throw new CommandFailure(exitCodes.usage, 'nothing was written');
}
