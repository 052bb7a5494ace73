import { service } from '../../../generated/operations';
import { quoteForShell } from '../../internal/shell';
import { soapVersions } from '../../soap/versions';
import { escapeAttribute, escapeText } from '../../xml/escape';

/** The sandbox that an example calls. */
export interface ExampleTarget {
  readonly baseUrl: string;
  readonly namespace: string;
  readonly apiKey: string;
  /** The certificate of a sandbox that is its own authority. Other certificates are taken for trusted ones. */
  readonly certificate?: string | undefined;
}

/** The variables with which the other lines would fail, or go to another place than the sandbox. */
const CONTRADICTING = ['MESSAGING_PROFILE', 'MESSAGING_API_KEY_FILE', 'MESSAGING_CA_FILE', 'MESSAGING_PROXY'];

/** How a shell sets and removes variables, writes a file, and continues a line. */
const shells = {
  posix: {
    set: (name: string, value: string) => `export ${name}=${quoteForShell(value, 'linux')}`,
    unset: (names: readonly string[]) => `unset ${names.join(' ')}`,
    write: (file: string, text: string) => `cat > ${file} <<END\n${text}\nEND`,
    next: ' \\',
  },
  powershell: {
    set: (name: string, value: string) => `$env:${name} = '${value.replaceAll("'", "''")}'`,
    unset: (names: readonly string[]) =>
      `Remove-Item -ErrorAction Ignore -Path ${names.map((name) => `Env:${name}`).join(', ')}`,
    write: (file: string, text: string) => `@'\n${text}\n'@ | Set-Content ${file}`,
    next: ' `',
  },
};

/**
 * Commands that send a first message, for the shell of the platform.
 *
 * @param certificatePath the file of a certificate to trust beside the authorities that Node knows
 */
export function formatFirstMessage(
  messaging: string,
  { baseUrl, namespace, apiKey, certificate }: ExampleTarget,
  certificatePath = certificate && CERTIFICATE_FILE,
  platform = process.platform,
): string {
  const { set, unset, write, next } = shells[platform === 'win32' ? 'powershell' : 'posix'];
  return [
    ...(certificate === undefined ? [] : [write(CERTIFICATE_FILE, certificate)]),
    unset(CONTRADICTING),
    set('MESSAGING_BASE_URL', baseUrl),
    set('MESSAGING_NAMESPACE', namespace),
    set('MESSAGING_API_KEY', apiKey),
    set('MESSAGING_SUCCESS_STATUSES', '200'),
    ...(certificatePath === undefined ? [] : [set('NODE_EXTRA_CA_CERTS', certificatePath)]),
    `${messaging} send-simple --sender 3000 --message 'سلام'${next}`,
    '  --receptor 09120000001 --unixdate 0 --msgmode 1',
  ].join('\n');
}

/** The file into which the examples write the certificate, in the folder in which they run. */
const CERTIFICATE_FILE = 'sandbox-certificate.pem';

/** A command of a POSIX shell that puts a received message into the sandbox. */
export function formatReceived(target: ExampleTarget): string {
  const message = { sender: '09120000001', receptor: '3000', message: 'سلام' };
  const options = ["-H 'Content-Type: application/json'", `-d ${quoteForShell(JSON.stringify(message), 'linux')}`];
  return formatCurl(target, '/sandbox/received', options);
}

/** A command of a POSIX shell that sends a first message with curl, as SOAP 1.1. */
export function formatFirstCall(target: ExampleTarget): string {
  const { namespace, apiKey } = target;
  const { contentType, namespace: envelope } = soapVersions['1.1'];
  const body = `<soap:Envelope
  xmlns:soap="${envelope}"><soap:Body>
<SendSimpleByApikey xmlns="${escapeAttribute(namespace)}">
  <apikey>${escapeText(apiKey)}</apikey><sender>3000</sender>
  <message>hello</message><receptor><string>09120000001</string></receptor>
  <unixdate>0</unixdate><msgmode>1</msgmode>
  <status>0</status><statusmessage></statusmessage>
</SendSimpleByApikey></soap:Body></soap:Envelope>`;
  return formatCurl(target, service.path, [
    `-H ${quoteForShell(`Content-Type: ${contentType}`, 'linux')}`,
    `-H ${quoteForShell(`SOAPAction: "${namespace}SendSimpleByApikey"`, 'linux')}`,
    `-d ${quoteForShell(body, 'linux')}`,
  ]);
}

/** @param options quoted for the shell */
function formatCurl({ baseUrl, certificate }: ExampleTarget, path: string, options: readonly string[]): string {
  // curl takes a proxy from the variables of the system, which cannot reach this machine's own address.
  const command = `curl --noproxy '*' ${quoteForShell(`${baseUrl}${path}`, 'linux')}`;
  if (certificate === undefined) return [command, ...options].join(' \\\n  ');
  const lines = [command, `--cacert ${CERTIFICATE_FILE}`, ...options].join(' \\\n  ');
  return `${shells.posix.write(CERTIFICATE_FILE, certificate)}\n${lines}`;
}
