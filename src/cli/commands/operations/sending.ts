import { type OperationName, operations } from '../../../../generated/operations';
import { noMasker } from '../../../internal/mask';
import { describeText, type TextDescription } from '../../../messages/describe-text';
import { mistakeIn } from '../../../messages/mistakes';
import type { MessagingOptions } from '../../../options/client';
import { resolveOptions } from '../../../options/client';
import type { Operation } from '../../../soap/element';
import { planOperation } from '../../../soap/plan';
import { buildRequest, writeRequest } from '../../../soap/request/write-request';
import type { CliCommand, Context } from '../../commander/command';
import type { FieldValues } from '../../fields/fields';
import { ResultPrinter, reportType } from '../../output/result-printer';
import type { OutputOptions } from '../../settings/global-options';
import { UsageError } from '../../terminal/failure';
import type { CommandCall } from './command-call';

/** The options of the operations that send messages. */
export interface SendChecks {
  readonly dryRun?: true;
  readonly asIs?: true;
}

/** True for an operation that sends texts to receptors. */
export function sendsMessages(operation: OperationName): boolean {
  const { request }: Operation = operations[operation];
  return ['message', 'receptor'].every((name) => request.some((element) => element.name === name));
}

export function addSendChecks(command: CliCommand): void {
  command.optionsGroup('Options:');
  command.option('--dry-run', 'send nothing; print encoding, characters and parts');
  addAsIs(command);
}

export function addAsIs(command: CliCommand): void {
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
export function checkMessages(values: FieldValues, operation: OperationName): void {
  for (const name of ['message', 'receptor'] as const) {
    const texts = [values[name]].flat().filter((value) => typeof value === 'string');
    const [mistake] = texts.flatMap((text) => mistakeIn(name, text) ?? []);
    if (mistake !== undefined) throw new UsageError(`--${name}: ${mistake}; --as-is sends it as it is`);
  }
  checkSeparators(values, operation);
}

/** @throws {UsageError} that says how to give several receptors */
function checkSeparators({ receptor }: FieldValues, operation: OperationName): void {
  const wrong = [receptor].flat().find((value) => typeof value === 'string' && SEPARATOR.test(value));
  if (wrong === undefined) return;
  const { request }: Operation = operations[operation];
  const isList = request.some(({ name, kind }) => name === 'receptor' && kind === 'list');
  const each = (wrong as string).split(SEPARATOR).map((part) => part.trim());
  const advice = isList
    ? `write --receptor ${each.filter(Boolean).join(' ')}, or one receptor per line in a --receptor-file`
    : `${operation} sends to one receptor, and send-simple to several`;
  throw new UsageError(
    `--receptor: ${JSON.stringify(wrong)} looks like several receptors; ${advice}; --as-is sends it as it is`,
  );
}

/** A text of a request, and the number of receptors that get it. */
interface Message extends TextDescription {
  readonly receptors: number;
}

const columns = [
  'encoding',
  'characters',
  'units',
  'parts',
  'unitsPerPart',
  'receptors',
] as const satisfies readonly (keyof Message)[];

/**
 * Checks a request as a call does, and prints what networks commonly count for its texts. Nothing is sent.
 *
 * @throws {RequestError}
 */
export async function describeMessages(
  { operation, request, options, signal }: CommandCall,
  given: OutputOptions,
  context: Context,
): Promise<void> {
  const settings = resolveOptions(options as MessagingOptions);
  const plan = planOperation(operation, settings, noMasker);
  writeRequest(plan, buildRequest(plan, request, { copyLists: false }) as unknown as FieldValues);
  const { message, receptor }: FieldValues = { ...settings.defaults, ...request };
  const messages = messagesOf([message].flat() as string[], [receptor].flat().length);
  const printer = new ResultPrinter(reportType(columns), given, context);
  await printer.print(messages, signal);
  await printer.end(signal);
  const parts = messages.reduce((sum, { parts, receptors }) => sum + parts * receptors, 0);
  context.log(
    `nothing was sent; ${parts} ${parts === 1 ? 'part' : 'parts'} for all receptors, as networks commonly count`,
  );
}

/** A single text goes to each receptor; several texts go to one receptor each. */
function messagesOf(texts: readonly string[], receptors: number): readonly Message[] {
  return texts.map((text) => ({ ...describeText(text), receptors: texts.length === 1 ? receptors : 1 }));
}
