import {
  ConnectionError,
  FaultError,
  HttpError,
  isMisaddressed,
  isUnknownAction,
  ResponseError,
  StatusError,
  TimeoutError,
} from '../../errors';

/**
 * Words about the API key, in English and in Persian. Where a service quotes the key itself, the mask has replaced it.
 */
const NAMES_KEY =
  /api[\s_-]*key|\b(?:invalid|wrong|unknown|expired|bad) key\b|unauthori[sz]ed|authenticat|credential|\*{3}|کلید|احراز هویت/iu;

const REFUSES =
  /\b(?:invalid|wrong|errors?|fail\w*|denied|refused|rejected|forbidden|not|no|expired|blocked|insufficient|unknown|missing|limit\w*|exception)\b|نامعتبر|خطا|اشتباه|ناموفق|منقضی|مسدود|کافی|غیر|نیست|ندارد/iu;

/** The options of the client that lead to the service. */
export interface Way {
  readonly baseUrl?: string | undefined;
  readonly proxy?: string | undefined;
}

/**
 * Advises what to do after a failed call, when its message does not say it.
 *
 * @param inDoctor leaves out the advice to run doctor
 */
export function adviceAfter(error: unknown, way: Way, inDoctor: boolean): string {
  if (namesKey(error)) return 'check the API key; the command config shows where it comes from';
  if (isWrongNamespace(error))
    return inDoctor ? '--namespace sets it' : 'the command doctor compares --namespace with the service';
  if (isWrongBaseUrl(error)) return inDoctor ? '--base-url sets it' : 'the command doctor checks --base-url';
  if (error instanceof StatusError) return adviceOnStatus(error);
  if (error instanceof ResponseError) return 'is --base-url right?';
  if (error instanceof ConnectionError) return certificateAdvice(error.code) ?? adviceOnConnection(error, way);
  if (error instanceof TimeoutError) return '--timeout-ms sets the limit';
  return '';
}

function adviceOnConnection({ outcome }: ConnectionError, { baseUrl = '', proxy }: Way): string {
  const settings = proxy === undefined ? '--base-url' : '--proxy, --base-url';
  // A service that speaks TLS closes the connection when it reads plain HTTP.
  const isClosed = outcome === 'unknown' && /^http:/i.test(baseUrl);
  return `check ${settings} and the network${isClosed ? ', or is its base URL https?' : ''}`;
}

/** Says what to do about a certificate that was not accepted; undefined for the code of another failure. */
export function certificateAdvice(code: string): string | undefined {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return 'the certificate is for another name; use this name in --base-url';
  if (/EXPIRED|NOT_YET_VALID/.test(code))
    return "the certificate is not valid today; check this machine's clock, or ask the service's operator for a new certificate";
  if (isUntrustedAuthority(code))
    return "the certificate is not accepted; --ca-file names the file of your provider's certificate authority";
  return undefined;
}

/** True for the code of a certificate whose authority is not trusted. */
export function isUntrustedAuthority(code = ''): boolean {
  return /CERT|SIGN|ISSUER/.test(code) && !/ALTNAME|EXPIRED|NOT_YET_VALID/.test(code);
}

/** The message of a WSDL that cannot be read, and what to do about a certificate. It begins with the address. */
export function describeWsdlFailure({ message, cause }: Error): string {
  const { code = '' } = (cause ?? {}) as NodeJS.ErrnoException;
  return [message, certificateAdvice(code)].filter(Boolean).join('; ');
}

/** True when the service does not know the namespace. */
function isWrongNamespace(error: unknown): boolean {
  return error instanceof FaultError && isUnknownAction(error.reason);
}

/** True when another program has responded. */
function isWrongBaseUrl(error: unknown): boolean {
  return error instanceof HttpError && isMisaddressed(error.httpStatus, error.message);
}

/** True when the service's words, or its HTTP status, are about the API key. */
export function namesKey(error: unknown): boolean {
  if (error instanceof StatusError) return NAMES_KEY.test(error.statusmessage);
  if (error instanceof HttpError && error.httpStatus === 401) return true;
  // A fault about the namespace quotes the action, whose name says nothing about the key: SendSimpleByApikey.
  if (isWrongNamespace(error) || isWrongBaseUrl(error)) return false;
  if (error instanceof FaultError) return NAMES_KEY.test(`${error.reason} ${error.detail}`);
  return error instanceof HttpError && NAMES_KEY.test(error.body);
}

/** A status may be added to the success statuses only where nothing looks like a refusal, and the provider says so. */
function adviceOnStatus(error: StatusError): string {
  const { status } = error;
  if (looksRefused(error)) return `ask your provider what status ${status} means`;
  return `if your provider says that status ${status} means success, add it to --success-statuses`;
}

/** True for a response that looks like a refusal. The contract does not define the values of the status. */
export function looksRefused({ status, statusmessage, result }: StatusError): boolean {
  return isEmpty(result) || REFUSES.test(statusmessage) || status < 0 || (status >= 400 && status < 600);
}

/** True for a result without content, as a service sends it with a refusal: nothing, zeros, or an empty list. */
function isEmpty(result: unknown): boolean {
  return [result].flat().every((value) => value === undefined || value === null || Number(value) === 0);
}
