import { operations, service } from '../../generated/operations';
import { showValue, trueOrFalse } from '../internal/option-checks';
import { isObject, readOptions, refuseValue, WrongValue } from '../internal/option-table';
import type { TlsOptions } from '../options';
import { findTextProblem } from '../xml/escape';
import { namespacePattern } from '../xml/namespaces';

// The `read` functions of the client's options.

export function readXmlText(value: unknown): string {
  if (typeof value !== 'string') refuseValue(`a string is needed, not ${typeof value}`);
  const problem = findTextProblem(value);
  return problem === undefined ? value : refuseValue(problem);
}

function readUrl(value: unknown): URL {
  const text = readXmlText(value);
  if (!URL.canParse(text)) refuseUrl(text, 'not a URL');
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') refuseUrl(text, 'neither an http nor an https URL');
  return url;
}

/** `localhost:8080` parses with `localhost:` as the scheme. */
function refuseUrl(text: string, what: string): never {
  const hasPort = /^[\w.-]+:\d+(\/|$)/.test(text);
  refuseValue(hasPort ? `${what}: write ${showValue(`http://${text}`)}` : what);
}

/** Reads an http or https URL without a final slash. */
export function readBaseUrl(value: unknown): string {
  const url = readUrl(value);
  if (url.username || url.password)
    refuseValue('user and password are not part of it (the API key is the only credential)');
  const text = url.href.replace(/[?#].*/, '').replace(/\/+$/, '');
  if (text.toLowerCase().endsWith(service.path)) {
    const base = text.slice(0, -service.path.length);
    refuseValue(`the client adds ${service.path} itself: write ${showValue(base)} in place of ${showValue(value)}`);
  }
  if (url.search || url.hash) refuseValue('no query and no fragment may follow');
  return text;
}

export function readProxy(value: unknown): string {
  const { href, username, password } = readUrl(value);
  try {
    decodeURIComponent(`${username}:${password}`);
  } catch {
    refuseValue('user or password has an invalid percent escape (write % as %25)');
  }
  return href;
}

/** Reads a namespace, which is used as it is. */
export function readNamespace(value: unknown): string {
  const text = readXmlText(value);
  if (!namespacePattern.test(text)) refuseValue('a URI of visible ASCII characters is needed, without quotation marks');
  return text;
}

export function readStatuses(value: unknown): ReadonlySet<number> {
  if (!Array.isArray(value) || value.length === 0) refuseValue('a list of at least one status is needed');
  for (const status of value) {
    if (!Number.isInteger(status) || status !== (status | 0))
      refuseValue(`${showValue(status)} is not a whole number (xsd:int)`);
  }
  return new Set(value);
}

function readString(value: unknown): string {
  return typeof value === 'string' ? value : refuseValue('a string is needed');
}

const isPem = (value: unknown): boolean => typeof value === 'string' || ArrayBuffer.isView(value);

function readPem(value: unknown): string | Uint8Array {
  return isPem(value) ? (value as string | Uint8Array) : refuseValue('PEM as a string or bytes is needed');
}

function readPemList(value: unknown): NonNullable<TlsOptions['ca']> {
  if (![value].flat().every(isPem)) refuseValue('PEM as a string or bytes, or a list of these, is needed');
  return value as NonNullable<TlsOptions['ca']>;
}

const tlsOptions = {
  ca: { read: readPemList },
  cert: { read: readPem },
  key: { read: readPem },
  passphrase: { read: readString },
  servername: { read: readString },
  rejectUnauthorized: { read: trueOrFalse },
};

export function readTls(value: unknown): TlsOptions {
  return readOptions(tlsOptions, value, (problems) => {
    throw new WrongValue(problems);
  });
}

/** Reads the defaults of fields. Their values are checked with each request. */
export function readDefaults(value: unknown): Readonly<Record<string, unknown>> {
  if (!isObject(value)) refuseValue('an object is needed');
  const fields = new Set(Object.values(operations).flatMap(({ request }) => request.map(({ name }) => name as string)));
  fields.delete('apikey');
  const unknown = Object.keys(value).find((name) => !fields.has(name));
  if (unknown !== undefined) refuseValue(`${unknown} is not a field of any request (${[...fields].join(', ')})`);
  return { ...value };
}
