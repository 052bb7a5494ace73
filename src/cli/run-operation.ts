import {
  type Field,
  type Operation,
  type OperationName,
  operations,
  type RecordName,
  records,
} from '../../generated/operations';
import { MessagingClient, methods, streamMethods } from '../client';
import type { MessagingOptions } from '../options';
import type { CallOptions } from '../soap/caller';
import { IncompleteOutput, OperationFailure } from './failure';
import type { FieldValues } from './fields';
import type { Terminal } from './io';
import { formatCsvHeader, formatCsvRow } from './output/csv';
import { formatJson } from './output/json';
import { ReaderGone, type Sink } from './output/sink';
import { formatTable } from './output/table';
import { visibleExactly } from './output/visible';
import type { Format } from './settings';

/** Where a result goes, and in which shape. */
export interface Output {
  readonly format: Format;
  readonly terminal: Terminal;
  /** The way to the terminal. */
  readonly sink: Sink;
  /** Takes what is not data. */
  readonly say: (message: string) => void;
}

type Result = bigint | readonly unknown[];
/** The client types each method; a table of commands needs one type for all. */
type Method = (this: MessagingClient, request: FieldValues, options: CallOptions) => Promise<Result>;
type StreamMethod = (this: MessagingClient, request: FieldValues, options: CallOptions) => AsyncIterable<unknown>;

/**
 * Calls an operation and prints its result.
 *
 * @throws {OperationFailure} for any failure of the call, and {ReaderGone} if nobody reads the output any more
 */
export async function runOperation(
  operation: OperationName,
  request: FieldValues,
  options: MessagingOptions,
  output: Output,
  signal: AbortSignal,
): Promise<void> {
  const client = new MessagingClient(options);
  const { format, sink, say } = output;
  try {
    if (format === 'ndjson' || format === 'csv') {
      await printLines(operation, await resultLines(client, operation, request, signal), output, signal);
      await sink.finish(signal);
    } else {
      const result = await callMethod(client, operation, request, signal);
      await sink.write(formatWhole(operation, result, output), signal);
      // What is said about the data comes after it, also where both go to one terminal.
      await sink.finish(signal);
      if (format === 'table' && typeof result !== 'bigint') say(summarize(operation, result.length));
    }
  } catch (error) {
    throw error instanceof ReaderGone ? error : new OperationFailure(error, { operation, request });
  }
}

function callMethod(
  client: MessagingClient,
  operation: OperationName,
  request: FieldValues,
  signal: AbortSignal,
): Promise<Result> {
  return (client[methods[operation]] as unknown as Method).call(client, request, { signal });
}

/** What becomes a line each: records as they arrive, entries of a list, or the single value. */
async function resultLines(
  client: MessagingClient,
  operation: OperationName,
  request: FieldValues,
  signal: AbortSignal,
): Promise<AsyncIterable<unknown> | readonly unknown[]> {
  if (Object.hasOwn(streamMethods, operation)) {
    const method = streamMethods[operation as keyof typeof streamMethods];
    return (client[method] as unknown as StreamMethod).call(client, request, { signal });
  }
  const result = await callMethod(client, operation, request, signal);
  return typeof result === 'bigint' ? [result] : result;
}

async function printLines(
  operation: OperationName,
  lines: AsyncIterable<unknown> | readonly unknown[],
  { format, sink, terminal }: Output,
  signal: AbortSignal,
): Promise<void> {
  const fields = columnsOf(operation);
  // In a file a text is what it is; a terminal would obey it.
  const show = terminal.isTTY ? visibleExactly : (text: string) => text;
  const formatLine = format === 'csv' ? (line: unknown) => formatCsvRow(fields, line, show) : ndjsonLine;
  // Held back until there is a first record or a good end: a failed call prints nothing.
  let header = format === 'csv' ? formatCsvHeader(fields) : '';
  let count = 0;
  try {
    for await (const line of lines) {
      await sink.write(header + formatLine(line), signal);
      header = '';
      count++;
    }
    await sink.write(header, signal);
  } catch (error) {
    throw count === 0 || error instanceof ReaderGone ? error : new IncompleteOutput(error, count);
  }
}

function ndjsonLine(line: unknown): string {
  return `${formatJson(line)}\n`;
}

function formatWhole(operation: OperationName, result: Result, { format, terminal }: Output): string {
  if (format === 'json') return `${formatJson(result)}\n`;
  if (typeof result === 'bigint') return `${result}\n`;
  if (!listsRecords(operation)) return result.map((value) => `${value}\n`).join('');
  // A terminal may say 0 when it does not know.
  const width = terminal.isTTY && terminal.columns ? terminal.columns : undefined;
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

function listsRecords(operation: OperationName): boolean {
  return Object.hasOwn(streamMethods, operation);
}
