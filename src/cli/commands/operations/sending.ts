import type { Settings } from '../../../client/options/client';
import { planOperation } from '../../../client/plan';
import { buildRequest, writeRequest } from '../../../client/request/write-request';
import { noMasker } from '../../../internal/mask';
import { describeText } from '../../../messages/describe-text';
import { mistakeIn } from '../../../messages/mistakes';
import type { CliCommand } from '../../commander/command';
import type { FieldValues } from '../../fields/fields';
import { ResultPrinter, reportType } from '../../output/result-printer';
import { UsageError } from '../../terminal/failure';
import type { CommandCall } from './command-call';

export function addSendChecks(command: CliCommand): void {
  command.optionsGroup('Options:');
  command.option('--dry-run', 'send nothing; print encoding, characters and parts');
  command.option('--as-is', 'send texts and receptors that look like mistakes');
}

/** Each of these is a separator of lists in some language. */
const SEPARATOR = /[,;،؛]/;

/**
 * Refuses an empty text, and a receptor that is empty, has no digit or looks like several. Some services send to such a
 * receptor as to one number, which nobody has, and charge for it.
 *
 * @param values the fields of the request, defaults included
 * @throws {UsageError} that says how to send it all the same
 */
export function checkMessages(values: FieldValues): void {
  for (const name of ['message', 'receptor'] as const) {
    const texts = [values[name]].flat().filter((value) => typeof value === 'string');
    const [mistake] = texts.flatMap((text) => mistakeIn(name, text) ?? separatorIn(name, text) ?? []);
    if (mistake !== undefined) throw new UsageError(`--${name}: ${mistake}; --as-is sends it as it is`);
  }
}

/** Says how to give several receptors, where a receptor looks like a list of them. */
function separatorIn(name: string, text: string): string | undefined {
  if (name !== 'receptor' || !SEPARATOR.test(text)) return undefined;
  const each = text.split(SEPARATOR).map((part) => part.trim());
  const words = each.filter(Boolean).join(' ');
  return `${JSON.stringify(text)} looks like several receptors: send-simple takes --receptor ${words}, or one receptor per line in a --receptor-file`;
}

const columns = ['encoding', 'characters', 'units', 'parts', 'unitsPerPart', 'receptors'];

/**
 * Checks a request as a call does, and prints what networks commonly count for its texts. Nothing is sent.
 *
 * @throws {RequestError}
 */
export async function describeMessages({ operation, request, session, given, context }: CommandCall) {
  const { options, signal } = session;
  // The session has the settings that a call needs, and a plan needs no more.
  const plan = planOperation(operation, options as Settings, noMasker);
  writeRequest(plan, buildRequest(plan, request, { copyLists: false }) as unknown as FieldValues);
  const { message, receptor }: FieldValues = { ...options.defaults, ...request };
  const texts = [message].flat() as string[];
  // A single text goes to each receptor; several texts go to one receptor each.
  const receptors = texts.length === 1 ? [receptor].flat().length : 1;
  const messages = texts.map((text) => ({ ...describeText(text), receptors }));
  const printer = new ResultPrinter(reportType(columns), given, context);
  await printer.print(messages, signal);
  await printer.end(signal);
  const parts = messages.reduce((sum, each) => sum + each.parts * receptors, 0);
  context.log(
    `nothing was sent; ${parts} ${parts === 1 ? 'part' : 'parts'} for all receptors, as networks commonly count`,
  );
}
