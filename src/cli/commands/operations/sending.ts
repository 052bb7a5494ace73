import type { Settings } from '../../../client/options/client';
import { type DateUnit, dateUnits } from '../../../client/options/settings';
import { planOperation } from '../../../client/plan';
import { buildRequest, writeRequest } from '../../../client/request/write-request';
import { noMasker } from '../../../internal/mask';
import { describeText } from '../../../messages/describe-text';
import { DAMAGED, isCheckedPart, isDamaged, mistakeIn } from '../../../messages/mistakes';
import { readReceptor } from '../../../messages/receptor';
import { findTextProblem } from '../../../xml/escape';
import type { CliCommand } from '../../commander/command';
import { formatDate } from '../../fields/dates';
import type { FieldValues } from '../../fields/fields';
import { flagOf } from '../../fields/option-names';
import { ResultPrinter, reportType } from '../../output/result-printer';
import { findConfirming } from '../../settings/profile';
import { CommandFailure, exitCodes, UsageError } from '../../terminal/failure';
import { askYes, canAsk } from '../../terminal/questions';
import type { CommandCall } from './command-call';

export function addSendChecks(command: CliCommand): void {
  command.optionsGroup('Options:');
  command.option('--dry-run', 'send nothing; print encoding, characters and parts');
  command.option('--as-is', 'send what looks like a mistake');
  command.option('--yes', 'send without a question');
}

/**
 * Refuses what nobody means to send: an empty or damaged text, a receptor that is no number or several, and a date in
 * another unit than the service's. Some services send to such a receptor as to one number, which nobody has, and charge
 * for it.
 *
 * @param values the fields of the request, defaults included
 * @throws {UsageError} that says how to send it all the same
 */
export function checkMessages(values: FieldValues, dates: DateUnit | undefined): void {
  const refuse = (name: string, mistake: string): never => {
    throw new UsageError(`${flagOf(name)}: ${mistake}; --as-is sends it as it is`);
  };
  for (const [name, value] of Object.entries(values)) {
    const texts = [value].flat().filter((each) => typeof each === 'string');
    if (texts.some(isDamaged)) refuse(name, `${DAMAGED}: use a terminal in UTF-8, or ${flagOf(name)}-file`);
    if (!isCheckedPart(name)) continue;
    for (const text of texts) {
      // The request says which character no XML can carry.
      if (findTextProblem(text) !== undefined) continue;
      const mistake = mistakeIn(name, text);
      if (mistake !== undefined) refuse(name, `${mistake}${adviceFor(name, text)}`);
    }
  }
  const date = dateMistake(values.unixdate, dates);
  if (date !== undefined) refuse('unixdate', date);
}

/** Says how to give several receptors, where a text has several. */
function adviceFor(name: string, text: string): string {
  const reading = name === 'receptor' ? readReceptor(text) : undefined;
  if (reading?.kind !== 'several') return '';
  const words = reading.parts.join(' ') || '09120000001 09120000002';
  return `: send-simple takes --receptor ${words}, or one receptor per line in a --receptor-file`;
}

/** Numbers below are dates before 1973 in milliseconds, and numbers above are dates after 5138 in seconds. */
const UNIT_LIMIT = 100_000_000_000n;

/** Describes a date that is given in another unit than the service's. 0 is no date for many services. */
function dateMistake(value: unknown, dates: DateUnit | undefined): string | undefined {
  if (dates === undefined || (typeof value !== 'bigint' && typeof value !== 'number')) return undefined;
  const date = BigInt(value);
  const isSeconds = dates === 'seconds';
  if (date <= 0n || (isSeconds ? date < UNIT_LIMIT : date >= UNIT_LIMIT)) return undefined;
  return `${date} is ${formatDate(date, dates)} in ${dates}, and ${formatDate(date, isSeconds ? 'milliseconds' : 'seconds')} in ${isSeconds ? 'milliseconds' : 'seconds'}; --dates says that dates count ${dates}`;
}

/**
 * Says what a command will send and where to, and asks, when a profile of the service wants a question.
 *
 * @throws {UsageError} when nobody can be asked; {CommandFailure} for a "no"; {RequestError} for a wrong request
 */
export async function confirmMessages(call: CommandCall): Promise<void> {
  const { session, flags, context, request } = call;
  const { options, signal } = session;
  const profile = findConfirming(String(options.baseUrl), context.io.environment);
  if (profile === undefined) return;
  checkRequest(call);
  const { sender, receptor }: FieldValues = { ...options.defaults, ...request };
  const count = [receptor].flat().length;
  const senders = [...new Set([sender].flat())];
  const from = senders.length > 1 ? `${senders.length} senders` : String(senders[0] ?? 'no sender');
  context.log(
    `${count} ${count === 1 ? 'message' : 'messages'} from ${from} to ${options.baseUrl} (profile ${profile})`,
  );
  if (flags.yes) return;
  if (!canAsk(context.io))
    throw new UsageError(`profile ${profile} asks before it sends, and nobody can be asked here: --yes sends`);
  if (!(await askYes(context.io, signal, 'Send?'))) throw new CommandFailure(exitCodes.usage, 'nothing was sent');
}

/** Checks a request as a call does. @throws {RequestError} */
function checkRequest({ operation, request, session }: CommandCall): void {
  // The session has the settings that a call needs, and a plan needs no more.
  const plan = planOperation(operation, session.options as Settings, noMasker);
  writeRequest(plan, buildRequest(plan, request, { copyLists: false }) as unknown as FieldValues);
}

const columns = ['encoding', 'characters', 'units', 'parts', 'unitsPerPart', 'receptors'];

/**
 * Checks a request as a call does, and prints what networks commonly count for its texts. Nothing is sent.
 *
 * @throws {RequestError}
 */
export async function describeMessages(call: CommandCall) {
  checkRequest(call);
  const { request, session, flags, context } = call;
  const { options, signal, dates } = session;
  const { message, receptor, unixdate }: FieldValues = { ...options.defaults, ...request };
  const texts = [message].flat() as string[];
  // A single text goes to each receptor; several texts go to one receptor each.
  const receptors = texts.length === 1 ? [receptor].flat().length : 1;
  const messages = texts.map((text) => ({ ...describeText(text), receptors }));
  const printer = new ResultPrinter(reportType(columns), flags, context);
  await printer.print(messages, signal);
  await printer.end(signal);
  const parts = messages.reduce((sum, each) => sum + each.parts * receptors, 0);
  context.log(
    `nothing was sent; ${parts} ${parts === 1 ? 'part' : 'parts'} for all receptors, as networks commonly count`,
  );
  // 0 is no date for many services.
  if (BigInt(unixdate as bigint) !== 0n) context.log(describeDate(unixdate as bigint, dates));
}

/** Says what a date means: in the unit of dates, or in each unit while it is not known. */
function describeDate(date: bigint, dates: DateUnit | undefined): string {
  if (dates !== undefined) return `unixdate ${date} is ${formatDate(BigInt(date), dates)}`;
  const meanings = dateUnits.map((unit) => `${formatDate(BigInt(date), unit)} if dates count ${unit}`);
  return `unixdate ${date} is ${meanings.join(', and ')}; --dates says which`;
}
