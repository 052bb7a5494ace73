import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { service } from '../../../../generated/operations';
import { compareContracts, type LoadOptions, loadContract, readOwnContract } from '../../../contract';
import { StatusError } from '../../../errors';
import { addressOf, connect, connectTcp, explainFailure } from '../../../http/connector';
import { combineSignals, type Signal } from '../../../internal/signals';
import { wsdlAddressOf } from '../../../soap/wsdl';
import type { Session } from '../../settings/session';
import { certificateAdvice, looksRefused, namesKey } from '../../terminal/advice';
import { CommandFailure, exitCodes } from '../../terminal/failure';

/** The limit of a step in milliseconds, where `timeoutMs` is not set. */
const STEP_MS = 10_000;

/** A step of the checks. `check` resolves with a detail, or rejects with the reason of the failure. */
interface Step {
  readonly name: string;
  readonly check: () => Promise<string | Skipped>;
}

export class Skipped {
  constructor(
    readonly reason: string,
    /** True for a response that may be a refusal. */
    readonly isDoubtful = false,
  ) {}
}

export function stepsFor(session: Session): readonly Step[] {
  const { options, settings, signal } = session;
  const url = new URL(`${options.baseUrl}`.replace(/\/+$/, '') + service.path);
  const { proxy, tls = {} } = options;
  /** The URL whose host this machine connects to, and the option that gives it. */
  const [next, flag] = proxy === undefined ? [url, '--base-url'] : [new URL(proxy), '--proxy'];
  const step = (name: string, check: (limited: Signal) => Promise<string | Skipped>): Step => ({
    name,
    check: async () => {
      const limit = combineSignals([signal], settings.timeoutMs ? options.timeoutMs : STEP_MS);
      try {
        return await check(limit.signal);
      } finally {
        limit.release();
      }
    },
  });
  const namespace = String(options.namespace);
  return [
    step('DNS', (limited) => resolveName(next, flag, limited)),
    step('TCP', (limited) => openPort(next, flag, limited)),
    step('TLS', (limited) => connectSecurely(url, { proxy, tls }, limited)),
    step('WSDL', (limited) => compareWsdl(url, namespace, { timeoutMs: 0, proxy, tls, signal: limited })),
    { name: 'RemainCredit', check: () => callService(session) },
  ];
}

async function resolveName(url: URL, flag: string, signal: Signal): Promise<string | Skipped> {
  const { host } = addressOf(url);
  if (isIP(host)) return new Skipped(`${flag === '--proxy' ? 'the proxy' : 'the base URL'} has an address`);
  try {
    // A lookup cannot be aborted.
    const addresses = await new Promise<LookupAddress[]>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
      lookup(host, { all: true }).then(resolve, reject);
    });
    return addresses.map(({ address }) => address).join(', ');
  } catch (error) {
    const reason = reasonOf(error, signal);
    throw unreachable(`the name ${host} cannot be resolved (${reason}): check ${flag} and this machine's DNS`);
  }
}

async function openPort(url: URL, flag: string, signal: Signal): Promise<string> {
  const { host, port } = addressOf(url);
  try {
    (await connectTcp({ host, port }, signal)).destroy();
    return `port ${port} of ${host} is open`;
  } catch (error) {
    const { code, message } = explainFailure(error as Error);
    const reason = error instanceof AggregateError ? message : reasonOf(error, signal);
    const advice =
      code === 'ECONNREFUSED'
        ? `check the port in ${flag}, and that ${flag === '--proxy' ? 'the proxy' : 'the service'} runs`
        : `check ${flag}, firewall and route`;
    throw unreachable(`no connection to port ${port} of ${host} (${reason}): ${advice}`);
  }
}

/** Makes a connection as the client makes it: through the proxy, with the certificate authorities of the settings. */
async function connectSecurely(
  url: URL,
  { proxy, tls = {} }: Pick<LoadOptions, 'proxy' | 'tls'>,
  signal: Signal,
): Promise<string | Skipped> {
  if (url.protocol !== 'https:') return new Skipped('the base URL is http');
  try {
    const socket = await connect({ url: url.href, connectTimeoutMs: 0, proxy, tls }, {}, signal);
    const protocol = (socket as TLSSocket).getProtocol();
    socket.destroy();
    return `${protocol}, certificate accepted`;
  } catch (error) {
    const reason = reasonOf(error, signal);
    const where = proxy === undefined ? '' : ' through the proxy';
    const advice = certificateAdvice(reason) ?? 'does the service speak TLS on this port, or is its base URL http?';
    throw unreachable(`no TLS connection to ${addressOf(url).host}${where} (${reason}): ${advice}`);
  }
}

/** The code of a network error, or words for a limit that is over. */
function reasonOf(error: unknown, { aborted }: Signal): string {
  const { code, name } = error as NodeJS.ErrnoException;
  return aborted ? 'no response in time' : (code ?? name);
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
  // Differences that break something come first.
  const [first] = differences;
  if (breaking && first) {
    const example = `${first.where}: ${first.before} -> ${first.after}`;
    const advice = 'the command contract diff explains each difference';
    throw new CommandFailure(exitCodes.contract, `the service's contract differs: ${example}; ${advice}`);
  }
  return `namespace ${namespace}`;
}

/**
 * Makes the cheapest call. While nobody has said which statuses mean success, its status is shown and not judged.
 *
 * @throws {MessagingError} also when nobody has said it, and the service refuses the API key
 */
export async function callService({ client, options, settings, signal }: Session): Promise<string | Skipped> {
  const call = { signal, ...(settings.timeoutMs ? {} : { timeoutMs: STEP_MS }) };
  if (options.successStatuses.size > 0) return `credit ${await client.remainCredit({}, call)}`;
  const operation = 'RemainCreditByApiKey';
  const { result, status, statusmessage } = await client.call(operation, {}, call);
  const response = new StatusError({ operation, status, statusmessage, result });
  if (namesKey(response)) throw response;
  const words = statusmessage === '' ? '' : ` (${statusmessage})`;
  return new Skipped(
    `status ${status}${words}, credit ${result}: ask your provider whether this status means success`,
    looksRefused(response),
  );
}
