import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { service } from '../../../../generated/operations';
import { compareContracts, type Difference, type LoadOptions, loadContract, readOwnContract } from '../../../contract';
import { StatusError } from '../../../errors';
import { combineSignals } from '../../../internal/signals';
import { connect as connectService } from '../../../soap/http/connector';
import { wsdlAddressOf } from '../../../soap/wsdl';
import type { Session } from '../../settings/client';
import { certificateAdvice, namesKey } from '../../terminal/advice';
import { CommandFailure, exitCodes } from '../../terminal/failure';

/** The limit of a step in milliseconds, where `timeoutMs` is not set. */
const STEP_MS = 10_000;

/** The number of differences between the contracts that are named. */
const NAMED_DIFFERENCES = 3;

/** A step of the checks. `check` resolves with a detail, or rejects with the reason of the failure. */
export interface Step {
  readonly name: string;
  readonly check: () => Promise<string | Skipped>;
}

/** The result of a step that does not apply. */
export class Skipped {
  constructor(readonly reason: string) {}
}

/** Lists the steps of a call, in their order. */
export function stepsFor({ client, options, signal }: Session): readonly Step[] {
  const url = new URL(`${options.baseUrl}`.replace(/\/+$/, '') + service.path);
  const { proxy, tls = {} } = options;
  /** The URL whose host this machine connects to, and the option that gives it. */
  const [next, flag] = proxy === undefined ? [url, '--base-url'] : [new URL(proxy), '--proxy'];
  const withinMs = options.timeoutMs ?? STEP_MS;
  /** A check that is over after the limit. */
  const limited =
    (check: (limit: StepLimit) => Promise<string | Skipped>): Step['check'] =>
    async () => {
      const limit = combineSignals([signal], withinMs);
      try {
        return await check({ signal: limit.signal, withinMs });
      } finally {
        limit.release();
      }
    };
  return [
    { name: 'DNS', check: limited((limit) => resolveName(next, flag, limit)) },
    { name: 'TCP', check: limited((limit) => connectTcp(next, flag, limit)) },
    { name: 'TLS', check: limited((limit) => connectSecurely(url, { proxy, tls }, limit)) },
    {
      name: 'WSDL',
      check: limited(({ signal }) => compareWsdl(url, String(options.namespace), { timeoutMs: 0, proxy, tls, signal })),
    },
    { name: 'RemainCredit', check: () => callService({ client, options, signal }) },
  ];
}

/** How to reach the service. */
type Way = Pick<LoadOptions, 'proxy' | 'tls'>;

/** The limit of a step: its signal also aborts when the time is over. */
interface StepLimit {
  readonly signal: AbortSignal;
  readonly withinMs: number;
}

/** The URL's host without the brackets of an IPv6 address. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

async function resolveName(url: URL, flag: string, limit: StepLimit): Promise<string | Skipped> {
  const host = hostOf(url);
  if (isIP(host)) return new Skipped(`${flag === '--proxy' ? 'the proxy' : 'the base URL'} has an address`);
  try {
    const addresses = await withinLimit(lookup(host, { all: true }), limit);
    return addresses.map(({ address }) => address).join(', ');
  } catch (error) {
    const reason = reasonOf(error, limit);
    throw unreachable(`the name ${host} cannot be resolved (${reason}): check ${flag} and this machine's DNS`);
  }
}

/** Returns the result of work that cannot be aborted, unless the limit comes first. */
function withinLimit<T>(work: Promise<T>, { signal }: StepLimit): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
    work.then(resolve, reject);
  });
}

async function connectTcp(url: URL, flag: string, limit: StepLimit): Promise<string> {
  const host = hostOf(url);
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  try {
    return await opened(connect({ host, port }), 'connect', limit, () => `port ${port} of ${host} is open`);
  } catch (error) {
    const reason = reasonOf(error, limit);
    const advice =
      reason === 'ECONNREFUSED'
        ? `check the port in ${flag}, and that ${flag === '--proxy' ? 'the proxy' : 'the service'} runs`
        : `check ${flag}, firewall and route`;
    throw unreachable(`no connection to port ${port} of ${host} (${reason}): ${advice}`);
  }
}

/** Makes a connection as the client makes it: through the proxy, with the certificate authorities of the settings. */
async function connectSecurely(url: URL, { proxy, tls = {} }: Way, limit: StepLimit): Promise<string | Skipped> {
  if (url.protocol !== 'https:') return new Skipped('the base URL is http');
  const settings = { url: url.href, connectTimeoutMs: 0, proxy, tls };
  try {
    const socket = await connectService(settings, {}, limit.signal);
    const protocol = (socket as TLSSocket).getProtocol();
    socket.destroy();
    return `${protocol}, certificate accepted`;
  } catch (error) {
    const reason = reasonOf(error, limit);
    const where = proxy === undefined ? '' : ' through the proxy';
    const advice = certificateAdvice(reason) ?? 'does the service speak TLS on this port, or is its base URL http?';
    throw unreachable(`no TLS connection to ${hostOf(url)}${where} (${reason}): ${advice}`);
  }
}

/** Waits for the socket's event, asks for the detail while the socket is open, and closes it. */
async function opened(socket: Socket, event: string, { signal }: StepLimit, detail: () => string): Promise<string> {
  try {
    await once(socket, event, { signal });
    return detail();
  } finally {
    socket.on('error', () => undefined).destroy();
  }
}

/** The code of a network error, or words for a limit that is over. */
function reasonOf(error: unknown, { signal, withinMs }: StepLimit): string {
  if (signal.aborted) return `no response within ${withinMs / 1000} s`;
  const { code, name } = error as NodeJS.ErrnoException;
  return code ?? name;
}

function unreachable(message: string): CommandFailure {
  return new CommandFailure(exitCodes.notSent, message);
}

/**
 * Compares the WSDL that the service publishes with the settings. Many services publish none. Then only the call shows
 * a mistake.
 */
async function compareWsdl(url: URL, namespace: string, options: LoadOptions): Promise<string | Skipped> {
  const address = wsdlAddressOf(url.href);
  const ours = readOwnContract();
  let theirs: Parameters<typeof compareContracts>[1];
  try {
    ({ contract: theirs } = await loadContract(address, options, ours));
  } catch (error) {
    return new Skipped(`no WSDL to compare: ${(error as Error).message}`);
  }
  if (theirs.namespace !== namespace) {
    throw new CommandFailure(
      exitCodes.usage,
      `the service's namespace is ${theirs.namespace}, not ${namespace}: set --namespace (or MESSAGING_NAMESPACE) to ${theirs.namespace}`,
    );
  }
  const { breaking, differences } = compareContracts(ours, theirs);
  if (breaking) {
    throw new CommandFailure(
      exitCodes.contract,
      `the service's contract differs: ${nameDifferences(differences)}; the command contract diff explains each difference`,
    );
  }
  return `namespace ${namespace}`;
}

/** Makes the cheapest call. While nobody has said which statuses mean success, its status is shown and not judged. */
async function callService({ client, options, signal }: Omit<Session, 'dates'>): Promise<string | Skipped> {
  if (options.successStatuses !== undefined) return `credit ${await client.remainCredit({}, { signal })}`;
  const operation = 'RemainCreditByApiKey';
  const { result, status, statusmessage } = await client.call(operation, {}, { signal });
  const refusal = new StatusError({ operation, status, statusmessage, result });
  if (namesKey(refusal)) throw refusal;
  const words = statusmessage === '' ? '' : ` (${statusmessage})`;
  return new Skipped(`status ${status}${words}, credit ${result}: ask your provider whether this status means success`);
}

/** Names the first differences. @param differences those that break something come first */
function nameDifferences(differences: readonly Difference[]): string {
  const named = differences
    .slice(0, NAMED_DIFFERENCES)
    .map(({ where, before, after }) => `${where}: ${before} -> ${after}`);
  const others = differences.length - named.length;
  return [...named, ...(others > 0 ? [`${others} more`] : [])].join('; ');
}
