/** A client in a process of its own. It sends a message when it is ready. Each message to it is a run of calls. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { API_KEY, isRight, NAMESPACE, type Operation, PATH, requestOf } from './data';

export interface Run {
  readonly operation: Operation;
  /** The number of items that the response is to have. */
  readonly items: number;
  readonly atOnce: number;
  /** The run makes at least one call, and lasts at least this time. */
  readonly milliseconds: number;
}

export interface RunResult {
  /** The CPU time of a call in microseconds. */
  readonly cpu: number;
  readonly calls: number;
  readonly callsPerSecond: number;
  /** The duration in milliseconds that 99 of 100 calls do not exceed. */
  readonly p99: number;
  /** The peak memory of the process so far in MiB. */
  readonly peak: number;
  readonly isRight: boolean;
}

/** Prepares a call of an operation, outside the measurement. */
type Client = (operation: Operation, items: number) => () => Promise<unknown>;

/** This package, or an earlier commit of it, from the folder in which it was built. */
async function packageClient(url: string, folder: string): Promise<Client> {
  const { MessagingClient } = require(join(folder, 'dist/src/index.js')) as typeof import('../../src');
  const required = { baseUrl: url, namespace: NAMESPACE, apiKey: API_KEY, successStatuses: [200] };
  const client = new MessagingClient({ ...required, maxConnections: 16 });
  return (operation, items) => {
    const request = requestOf(operation, items) as never;
    if (operation === 'SelectlatestByApikey') return () => client.selectLatest(request);
    return operation === 'SendSimpleByApikey' ? () => client.sendSimple(request) : () => client.sendArray(request);
  };
}

/** node-soap as its README shows it. */
async function nodeSoapClient(url: string, wsdl: string): Promise<Client> {
  const { createClientAsync } = await import('soap');
  const client = await createClientAsync(wsdl, {}, url + PATH);
  return (operation, items) => {
    const fields = Object.entries(requestOf(operation, items)).map(([name, value]) => [
      name,
      Array.isArray(value) ? { [elementOf(value)]: value } : value,
    ]);
    const request = { apikey: API_KEY, ...Object.fromEntries(fields), statusmessage: '' };
    return async () => {
      const [response] = await client[`${operation}Async`](request);
      return Object.values(response[`${operation}Result`])[0];
    };
  };
}

const elementOf = (list: readonly unknown[]): string => (typeof list[0] === 'number' ? 'int' : 'string');

/**
 * undici's bare dispatch with string templates and regular expressions: the least that a call costs on Node. It checks
 * nothing, and reads only the spelling of the server's responses.
 */
async function undiciClient(url: string, connections: string): Promise<Client> {
  const { Pool } = await import('undici');
  const pool = new Pool(url, { connections: Number(connections), pipelining: 1 });
  const post = (operation: Operation, fields: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      const body =
        '<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"' +
        ` xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema"><soap:Body><${operation} xmlns="${NAMESPACE}"><apikey>${API_KEY}</apikey>${fields}<statusmessage></statusmessage></${operation}></soap:Body></soap:Envelope>`;
      const headers = ['Content-Type', 'text/xml; charset=utf-8', 'SOAPAction', `"${NAMESPACE}${operation}"`];
      // The handler interface that undici uses inside. Its newer interface is an adapter around this one.
      pool.dispatch(
        { path: PATH, method: 'POST', headers, body },
        {
          onConnect() {},
          onHeaders(status) {
            if (status !== 200) throw new Error(`HTTP status ${status}`);
            return true;
          },
          onData: (chunk) => chunks.push(chunk) > 0,
          onComplete: () => resolve((chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)).toString()),
          onError: reject,
        },
      );
    });
  return (operation, items) => {
    const request = Object.entries(requestOf(operation, items));
    const read = operation === 'SelectlatestByApikey' ? readRecords : readLongs;
    return async () => {
      const fields = request.map(([name, value]) => `<${name}>${writeValue(value)}</${name}>`).join('');
      return read(await post(operation, fields));
    };
  };
}

function writeValue(value: string | number | string[] | number[]): string {
  if (!Array.isArray(value)) return escapeText(String(value));
  const element = elementOf(value);
  const texts = element === 'string' ? (value as string[]).map(escapeText) : value;
  return `<${element}>${texts.join(`</${element}><${element}>`)}</${element}>`;
}

const escapeText = (text: string): string =>
  /[&<]/.test(text) ? text.replaceAll('&', '&amp;').replaceAll('<', '&lt;') : text;

const REFERENCES: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '\r\n': '\n' };
const readText = (text: string): string =>
  /[&\r]/.test(text) ? text.replace(/&amp;|&lt;|&gt;|\r\n/g, (found) => REFERENCES[found] as string) : text;

function readLongs(response: string): bigint[] {
  const longs: bigint[] = [];
  const pattern = /<long>([^<]*)<\/long>/g;
  for (let found = pattern.exec(response); found; found = pattern.exec(response))
    longs.push(BigInt(found[1] as string));
  return longs;
}

function readRecords(response: string): unknown[] {
  const records: unknown[] = [];
  const pattern =
    /<ApiSelect><messageid>([^<]*)<\/messageid>(?:<message>([^<]*)<\/message>|<message( )\/>)?<status>([^<]*)<\/status><statustext>([^<]*)<\/statustext><sender>([^<]*)<\/sender><receptor>([^<]*)<\/receptor><date>([^<]*)<\/date><cost>([^<]*)<\/cost><\/ApiSelect>/g;
  for (let found = pattern.exec(response); found; found = pattern.exec(response)) {
    const [, id, text, empty, status, statustext, sender, receptor, date, cost] = found as unknown as string[];
    const messageid = BigInt(id as string);
    const numbers = { date: BigInt(date as string), status: Number(status), cost: Number(cost) };
    const message = text === undefined ? empty && '' : readText(text);
    if (message === undefined) records.push({ messageid, statustext, sender, receptor, ...numbers });
    else records.push({ messageid, message, statustext, sender, receptor, ...numbers });
  }
  return records;
}

async function measure(client: Client, { operation, items, atOnce, milliseconds }: Run): Promise<RunResult> {
  const call = client(operation, items);
  const durations: number[] = [];
  let result: unknown;
  const cpuBefore = process.cpuUsage();
  const begin = performance.now();
  const loop = async (): Promise<void> => {
    for (let start = begin, end = begin; end <= begin + milliseconds; start = end) {
      // The result of the previous call becomes garbage here, as in a program that no longer needs it.
      result = undefined;
      result = await call();
      end = performance.now();
      durations.push(end - start);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, loop));
  const { user, system } = process.cpuUsage(cpuBefore);
  const callsPerSecond = (1000 * durations.length) / (performance.now() - begin);
  // maxRSS of a child includes the peak of its parent.
  const peak = Number(/VmHWM:\s*(\d+)/.exec(readFileSync('/proc/self/status', 'latin1'))?.[1]) / 1024;
  return {
    cpu: (user + system) / durations.length,
    calls: durations.length,
    callsPerSecond,
    p99: durations.sort((left, right) => left - right)[Math.ceil(durations.length * 0.99) - 1] as number,
    peak,
    isRight: isRight(operation, items, result),
  };
}

const CLIENTS = { package: packageClient, undici: undiciClient, 'node-soap': nodeSoapClient } as const;

async function main(): Promise<void> {
  const [kind, url, argument] = process.argv.slice(2) as [keyof typeof CLIENTS, string, string];
  const client = await CLIENTS[kind](url, argument);
  process.on('message', async (run: Run) => process.send?.(await measure(client, run)));
  process.on('disconnect', () => process.exit());
  process.send?.('ready');
}

main();
