import {
  type Field,
  type Operation,
  type OperationName,
  operations,
  type RecordName,
  records,
} from '../../../generated/operations';
import { MessagingClient, methods, streamMethods } from '../../client';
import { RequestError } from '../../errors';
import type { CallOptions } from '../../soap/caller';
import { type CliCommand, type Context, optionsOf } from '../command';
import { OperationFailure } from '../failure';
import { addFields, explainRequest, type FieldValues, readRequest } from '../fields';
import { helpTexts } from '../help-texts';
import { kebabCase } from '../option-names';
import { formatCsvHeader, formatCsvRow, formatJson, formatTable } from '../output/formats';
import { ReaderGone } from '../output/output-stream';
import { visibleExactly } from '../output/text';
import { interruptible, type Terminal } from '../process';
import { addGlobalOptions, type Format, type GlobalOptions, readClientOptions } from '../settings';

/** Adds the command of an operation: its name from the client's method, its fields from the operation table. */
export function addOperation(program: CliCommand, operation: OperationName, context: Context): void {
  const { group, summary, notes, examples } = helpTexts[operation];
  const command = program.command(kebabCase(methods[operation])).helpGroup(group).summary(summary);
  command.onUse(() => {
    command.description([`${operation}: ${summary}.`, notes].filter(Boolean).join(' ')).addExamples(examples);
    addFields(command, operation);
    addGlobalOptions(command.optionsGroup('Global options:'));
  });
  command.action(async () => {
    const given: GlobalOptions = optionsOf(program, command);
    const request = readRequest(operation, command.opts(), command.args);
    const client = new MessagingClient(readClientOptions(given, context));
    const call = { client, operation, request, format: given.output ?? 'table', context };
    await interruptible(context.io.signals, (signal) => callAndPrint({ ...call, signal }));
  });
}

/** A call, and where its result goes. */
interface Call {
  readonly client: MessagingClient;
  readonly operation: OperationName;
  readonly request: FieldValues;
  readonly format: Format;
  readonly context: Context;
  readonly signal: AbortSignal;
}

type Result = bigint | readonly unknown[];
/** The client types each method; a table of commands needs one type for all. */
type Method = (this: MessagingClient, request: FieldValues, options: CallOptions) => Promise<Result>;
type StreamMethod = (this: MessagingClient, request: FieldValues, options: CallOptions) => AsyncIterable<unknown>;

/** @throws {OperationFailure | UsageError}, and {ReaderGone} if the reader of the output closed it */
async function callAndPrint(call: Call): Promise<void> {
  const { operation, request, format } = call;
  const progress = { printed: 0 };
  try {
    if (format === 'ndjson' || format === 'csv') await printLines(call, await resultLines(call), progress);
    else await printWhole(call, await callMethod(call));
  } catch (error) {
    if (error instanceof ReaderGone) throw error;
    if (error instanceof RequestError) throw explainRequest(operation, request, error);
    throw new OperationFailure(error, { operation, effect: helpTexts[operation].effect, ...progress });
  }
}

function callMethod({ client, operation, request, signal }: Call): Promise<Result> {
  return (client[methods[operation]] as unknown as Method).call(client, request, { signal });
}

/** What becomes a line each: records as they arrive, entries of a list, or the single value. */
async function resultLines(call: Call): Promise<AsyncIterable<unknown> | readonly unknown[]> {
  const { client, operation, request, signal } = call;
  if (listsRecords(operation)) {
    return (client[streamMethods[operation]] as unknown as StreamMethod).call(client, request, { signal });
  }
  const result = await callMethod(call);
  return typeof result === 'bigint' ? [result] : result;
}

/** @param progress counts the records that were printed, also for a caller that catches a failure */
async function printLines(
  { operation, format, context: { io, stdout }, signal }: Call,
  lines: AsyncIterable<unknown> | readonly unknown[],
  progress: { printed: number },
): Promise<void> {
  const fields = columnsOf(operation);
  // A file gets texts to the letter; a terminal would act on control characters.
  const show = io.stdout.isTTY ? visibleExactly : (text: string) => text;
  const formatLine = format === 'csv' ? (line: unknown) => formatCsvRow(fields, line, show) : jsonLine;
  // Printed with the first record, or at a good end: a failed call prints nothing.
  let header = format === 'csv' ? formatCsvHeader(fields) : '';
  for await (const line of lines) {
    await stdout.write(header + formatLine(line), signal);
    header = '';
    progress.printed++;
  }
  await stdout.write(header, signal);
  await stdout.finish(signal);
}

async function printWhole(call: Call, result: Result): Promise<void> {
  const { operation, format, context, signal } = call;
  const text = format === 'json' ? jsonLine(result) : formatResult(operation, result, context.io.stdout);
  await context.stdout.write(text, signal);
  // The summary comes after the data, also where both go to one terminal.
  await context.stdout.finish(signal);
  if (format === 'table' && typeof result !== 'bigint') context.log(summarize(operation, result.length));
}

function jsonLine(value: unknown): string {
  return `${formatJson(value)}\n`;
}

function formatResult(operation: OperationName, result: Result, { isTTY, columns }: Terminal): string {
  if (typeof result === 'bigint') return `${result}\n`;
  if (!listsRecords(operation)) return result.map((value) => `${value}\n`).join('');
  // A terminal of unknown width reports 0.
  const width = isTTY && columns ? columns : undefined;
  return result.length === 0 ? '' : formatTable(columnsOf(operation), result as readonly FieldValues[], width);
}

function summarize(operation: OperationName, length: number): string {
  const noun = listsRecords(operation) ? 'record' : 'value';
  return `${length === 0 ? 'no' : length} ${noun}${length === 1 ? '' : 's'}`;
}

/** The fields of the listed record; for a list of values, or a single one, the result element itself. */
function columnsOf(operation: OperationName): readonly Field[] {
  const [result] = (operations[operation] as Operation).response;
  return listsRecords(operation) ? records[result.type as RecordName] : [result];
}

function listsRecords(operation: OperationName): operation is keyof typeof streamMethods {
  return Object.hasOwn(streamMethods, operation);
}
