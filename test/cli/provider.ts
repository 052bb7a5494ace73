import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { type Sandbox, startSandbox } from '../../src/sandbox';
import { cleanUp } from '../support/clean-up';
import { pem } from '../support/fixtures';
import { bundle, ROOT } from '../support/process';

export const PROVIDER_KEY = 'canary-of-provider';

/** The file of the provider's certificate authority. */
export const AUTHORITY = join(ROOT, 'test/fixtures/tls/authority.pem');

/** A service that differs from the sandbox as providers do. */
export interface Provider {
  readonly baseUrl: string;
  /** Holds what the provider was sent. */
  readonly sandbox: Sandbox;
}

/**
 * Starts a provider with https, a certificate authority of its own, a base path and another namespace. Status 1 means
 * success, and dates count milliseconds.
 */
export async function startProvider(): Promise<Provider> {
  const sandbox = await startSandbox({ apiKeys: [PROVIDER_KEY], namespace: 'urn:provider:sms#' });
  const server = createServer({ cert: pem('server.pem'), key: pem('server.key') }, async (request, response) => {
    const { method = '', url = '', headers } = request;
    if (!url.startsWith('/sms/')) return response.writeHead(404).end();
    const body = method === 'POST' ? await text(request) : undefined;
    const forwarded = await fetch(sandbox.baseUrl + url.slice('/sms'.length), {
      method,
      headers: { 'content-type': String(headers['content-type']), soapaction: String(headers.soapaction) },
      body: body ?? null,
    });
    const own = (await forwarded.text())
      .replaceAll(`${sandbox.baseUrl}/`, `${baseUrl}/`)
      .replace(/<status>200</g, '<status>1<')
      .replace(/<date>(\d+)</g, '<date>$1000<');
    return response
      .writeHead(forwarded.status, { 'content-type': String(forwarded.headers.get('content-type')) })
      .end(own);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const baseUrl = `https://localhost:${(server.address() as AddressInfo).port}/sms`;
  cleanUp(async () => {
    server.close();
    server.closeAllConnections();
    await sandbox.close();
  });
  return { baseUrl, sandbox };
}

/**
 * Runs the commands that setup printed, as they are printed, beside a variable of another service, and then a program
 * with the variables of `config --env`.
 *
 * @param values the values for the words in capitals
 */
export async function walkOn(
  printed: string,
  home: string,
  { sandbox }: Provider,
  values: Readonly<Record<string, string>> = {},
): Promise<void> {
  const lines = printed.split(/\r?\n/).map((line) => line.trim());
  const [config = '', send = '', track = '', ...others] = lines.filter((line) =>
    / (config|send-simple|track) --profile live /.test(line),
  );
  expect([config, send, track].every(Boolean)).toBe(true);
  expect(others).toEqual([]);
  const env = { PATH: process.env.PATH, HOME: home, MESSAGING_BASE_URL: 'http://127.0.0.1:1' };
  const run = async (line: string) => (await promisify(execFile)('sh', ['-c', line], { cwd: home, env })).stdout;
  await run(Object.entries(values).reduce((line, [word, value]) => line.replace(word, value), send));
  const [message] = sandbox.messages;
  expect(message).toMatchObject({ sender: '3000', receptor: '09120000001', message: 'A first message' });
  sandbox.setStatus(message?.messageid as bigint, 10);
  expect(await run(track)).toBe(`messageid,status,previous,final\r\n${message?.messageid},10,,true\r\n`);
  const list = track.replace(/ track .*/, ' select-latest --profile live --pagesize 1 --output table');
  expect(await run(list)).toContain(new Date().toISOString().slice(0, 10));
  const program = join(home, 'send.js');
  bundle('test/cli/programs/send.ts', program);
  const id = await run(`eval "$(${config})"; ${process.execPath} ${program}`);
  expect(sandbox.messages.at(-1)).toMatchObject({ messageid: BigInt(id), message: 'from a program', sender: '3000' });
}
