import { readKeyFile } from '../../../client/options/files';
import { type SettingName, settingNames } from '../../../client/options/settings';
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
import { canAsk } from '../../terminal/questions';
import { printSteps, stepType } from '../doctor/doctor';
import { type Answers, askFor, findNamespace, needed, ofService, readSetting, type Values } from './ask';
import { remainingSteps } from './remaining';

type SetupOptions = GlobalOptions & { readonly [K in SettingName]?: string };

export function defineSetup(command: CliCommand, context: Context): void {
  command
    .description(
      'Collects the settings that your provider gives you, writes them into a profile, and checks them without sending a message. On a terminal it asks for each setting that is neither given nor in the profile; elsewhere each is an option. It reads the namespace from the WSDL of the service, where there is one. Variables of the environment are not read, because they may belong to another service.',
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
      option.helpGroup('Options:').description = 'write this profile (default: default)';
  }
  command.action(async (url: string | undefined) => {
    const given: SetupOptions = optionsOf(command);
    if (url !== undefined && given.baseUrl !== undefined)
      throw new UsageError('give the URL once, not also --base-url');
    // A word without a dot, a colon and a slash is no address, but perhaps the name of another command.
    if (url !== undefined && !/[.:/]/.test(url))
      throw new UsageError(
        `unexpected argument ${JSON.stringify(url)}: a URL such as https://provider.example is needed`,
      );
    const printer = new ResultPrinter(stepType, given, context);
    const { environment } = context.io;
    const name = given.profile ?? (environment.MESSAGING_PROFILE || 'default');
    const stored = readStoredProfile(name, environment);
    const read = readGiven({ ...given, ...(url !== undefined && { baseUrl: url }) }, names, context);
    const { values, key, first } = await interruptible(context.io.signals, (signal) =>
      complete(stored, read, context, signal),
    );
    const profile = await writeProfile({ ...stored, values }, key);
    context.log(`profile ${name} is written to ${profile.path}`);
    if (key !== undefined)
      context.log(`the key is in ${profile.values.apiKeyFile} beside it; only you can read this file`);
    const session = openSession(readSettings({ profile: name }, context), context, {
      needed: ['baseUrl', 'namespace', 'apiKey'],
    });
    const exitCode = await printSteps(session, printer).finally(session.close);
    for (const line of remainingSteps(profile, exitCode === exitCodes.done, first, context.io)) context.log(line);
    if (exitCode !== exitCodes.done) throw new CommandFailure(exitCode);
  });
}

/** Reads the values of the options. @throws {UsageError} that names all that is wrong */
function readGiven(given: SetupOptions, names: readonly SettingName[], { log }: Context): Values {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const name of names) {
    const text = given[name];
    if (text === undefined) continue;
    try {
      if (text === '') throw new UsageError(`${flagOf(name)}: empty`);
      if (name === 'apiKeyFile') warnIfPublic(readKeyFile(text), text, '--api-key-file', log);
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

/** Adds what is missing: asks for it, or reads it from the service. @throws {UsageError} when it cannot be found out */
async function complete(stored: StoredProfile, given: Values, context: Context, signal: AbortSignal): Promise<Answers> {
  const values: Values = { ...ofService(stored.values, given.baseUrl), ...given };
  let answers: Answers = { values };
  if (canAsk(context.io)) {
    const isUpdate = Object.keys(given).some((name) => name !== 'baseUrl') && Object.keys(stored.values).length > 0;
    answers = await askFor({ ...stored, values }, isUpdate ? values : given, context, signal);
  } else if (values.baseUrl !== undefined && values.namespace === undefined) {
    const namespace = await findNamespace(values, context.log, signal);
    if (namespace !== undefined) answers = { values: { ...values, namespace } };
  }
  const hasKey = answers.key !== undefined;
  const missing = needed.filter((name) => answers.values[name] === undefined && !(hasKey && name === 'apiKeyFile'));
  if (missing.length > 0) throw new UsageError(`missing: ${missing.map(flagOf).join(', ')}; nothing was written`);
  return answers;
}
