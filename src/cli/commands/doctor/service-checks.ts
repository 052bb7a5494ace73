import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { service } from '../../../../generated/operations';
import { compareContracts, loadContract, readOwnContract } from '../../../contract';
import { quoteForShell } from '../../../internal/strings';
import { wsdlAddressOf } from '../../../soap/elements/endpoint';
import type { Session } from '../../settings/client';
import { CommandFailure, exitCodes, explain } from '../../terminal/failure';

/** How long a step may take, in milliseconds. */
const STEP_MS = 10_000;

/** A step and how it went. */
export interface StepRow {
  readonly step: string;
  readonly result: 'ok' | 'skipped' | 'failed';
  readonly detail: string;
}

/** A check and its name. It resolves with a detail, or rejects with what is wrong. */
type Step = readonly [name: string, check: () => Promise<string | Skipped>];

class Skipped {
  constructor(readonly detail: string) {}
}

/** Takes the steps of a call one by one, until one fails. */
export async function examine(
  session: Session,
): Promise<{ readonly rows: readonly StepRow[]; readonly failure?: unknown }> {
  const rows: StepRow[] = [{ step: 'settings', result: 'ok', detail: 'complete and valid' }];
  for (const [step, check] of stepsFor(session)) {
    try {
      const detail = await check();
      const isSkipped = detail instanceof Skipped;
      rows.push({ step, result: isSkipped ? 'skipped' : 'ok', detail: isSkipped ? detail.detail : detail });
    } catch (failure) {
      session.signal.throwIfAborted();
      rows.push({ step, result: 'failed', detail: explain(failure, { inDoctor: true }).message });
      return { rows, failure };
    }
  }
  return { rows };
}

function stepsFor({ client, options, signal }: Session): readonly Step[] {
  const url = new URL(`${options.baseUrl}`.replace(/\/+$/, '') + service.path);
  const limit = (): AbortSignal => AbortSignal.any([signal, AbortSignal.timeout(STEP_MS)]);
  return [
    ['DNS', () => resolveName(url)],
    ['TCP', () => connectTcp(url, limit())],
    [
      'TLS',
      async () => (url.protocol === 'https:' ? connectSecurely(url, limit()) : new Skipped('the base URL is http')),
    ],
    ['WSDL', () => compareWsdl(url, String(options.namespace), limit())],
    ['RemainCredit', async () => `credit ${await client.remainCredit({}, { signal })}`],
  ];
}

/** The URL's host without the brackets of an IPv6 address. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

async function resolveName(url: URL): Promise<string | Skipped> {
  const host = hostOf(url);
  if (isIP(host)) return new Skipped('the base URL has an address');
  try {
    const addresses = await lookup(host, { all: true });
    return addresses.map(({ address }) => address).join(', ');
  } catch (error) {
    throw unreachable(
      `the name ${host} cannot be resolved (${codeOf(error)}): check --base-url and this machine's DNS`,
    );
  }
}

async function connectTcp(url: URL, signal: AbortSignal): Promise<string> {
  const host = hostOf(url);
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  try {
    return await opened(connect({ host, port }), 'connect', signal, () => `port ${port} of ${host} is open`);
  } catch (error) {
    const code = codeOf(error);
    const advice =
      code === 'ECONNREFUSED'
        ? 'check the port in --base-url, and that the service runs'
        : 'check --base-url, firewall and route';
    throw unreachable(`no connection to port ${port} of ${host} (${code}): ${advice}`);
  }
}

async function connectSecurely(url: URL, signal: AbortSignal): Promise<string> {
  const host = hostOf(url);
  const socket = connectTls({ host, port: Number(url.port || 443), ...(isIP(host) ? {} : { servername: host }) });
  try {
    return await opened(socket, 'secureConnect', signal, () => `${socket.getProtocol()}, certificate accepted`);
  } catch (error) {
    const code = codeOf(error);
    throw unreachable(`no TLS connection to ${host} (${code}): ${tlsAdvice(code)}`);
  }
}

/** What to do about a failed TLS handshake, by the code of its error. */
function tlsAdvice(code: string): string {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return 'the certificate is for another name; use that name in --base-url';
  }
  if (/EXPIRED|NOT_YET_VALID/.test(code)) {
    return "the certificate is not valid today; check this machine's clock, or ask the service's operator for a new one";
  }
  if (/CERT|SIGN|ISSUER/.test(code)) {
    return 'the certificate is not accepted; NODE_EXTRA_CA_CERTS=authority.pem adds an authority';
  }
  return 'does the service speak TLS on this port, or is its base URL http?';
}

/** Waits for the socket's event, says how it went while the socket is open, and closes it. */
async function opened(socket: Socket, event: string, signal: AbortSignal, detail: () => string): Promise<string> {
  try {
    await once(socket, event, { signal });
    return detail();
  } finally {
    socket.on('error', () => undefined).destroy();
  }
}

function codeOf(error: unknown): string {
  const { code, name } = error as NodeJS.ErrnoException;
  return name === 'AbortError' ? `no answer in ${STEP_MS / 1000} s` : (code ?? name);
}

function unreachable(message: string): CommandFailure {
  return new CommandFailure(exitCodes.notSent, message);
}

/** Compares the WSDL that the service publishes with what is configured. Many services publish none; the call shows then what is wrong. */
async function compareWsdl(url: URL, namespace: string, signal: AbortSignal): Promise<string | Skipped> {
  const address = wsdlAddressOf(url.href);
  const ours = readOwnContract();
  let theirs: Parameters<typeof compareContracts>[1];
  try {
    ({ contract: theirs } = await loadContract(address, { timeoutMs: STEP_MS, signal }, ours));
  } catch (error) {
    // Many services publish none.
    return new Skipped(`${address} cannot be compared: ${(error as Error).message}`);
  }
  if (theirs.namespace !== namespace) {
    const advice = `set --namespace (or MESSAGING_NAMESPACE) to ${theirs.namespace}`;
    throw new CommandFailure(
      exitCodes.usage,
      `the service's namespace is ${theirs.namespace}, not ${namespace}: ${advice}`,
    );
  }
  if (compareContracts(ours, theirs).breaking) {
    const advice = `messaging contract diff ${quoteForShell(address)} lists the differences`;
    throw new CommandFailure(exitCodes.contract, `the service's contract breaks what is sent or read: ${advice}`);
  }
  return `namespace ${namespace}`;
}
