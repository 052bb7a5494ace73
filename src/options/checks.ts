import { operations, service } from '../../generated/operations';
import { withoutQuery } from '../internal/address';
import type { Signal } from '../internal/signals';
import { kindOf } from '../soap/values';
import { findTextProblem } from '../xml/escape';
import { isObject, refuseValue } from './table';

/** Writes a value for a message. It shows no object, because converting an object to a text may throw. */
export function showValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'function' || (typeof value === 'object' && value !== null)) return `the ${typeof value}`;
  return String(value);
}

export function wholeNumber(min: number, max = Number.MAX_SAFE_INTEGER): (value: unknown) => number {
  return (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
      ? value
      : refuseValue(`${showValue(value)} is not a whole number ${rangeText(min, max)}`);
}

function rangeText(min: number, max: number): string {
  return max === Number.MAX_SAFE_INTEGER ? `from ${min}` : `from ${min} to ${max}`;
}

export function trueOrFalse(value: unknown): boolean {
  return typeof value === 'boolean' ? value : refuseValue(`${showValue(value)} is neither true nor false`);
}

/** Reads a text that is not empty. @param what names the text, such as `a path` */
export function nonEmptyText(what: string): (value: unknown) => string {
  return (value) => (typeof value === 'string' && value !== '' ? value : refuseValue(`${what} is needed`));
}

export function oneOf<T extends string>(choices: readonly T[]): (value: unknown) => T {
  return (value) =>
    choices.find((choice) => choice === value) ??
    refuseValue(`${showValue(value)} is neither ${choices.map(showValue).join(' nor ')}`);
}

export function readFunction<F>(value: unknown): F {
  return typeof value === 'function' ? (value as F) : refuseValue('a function is needed');
}

/** Reads a signal of any class, because a program may have a signal of its own. */
function readSignal(value: unknown): Signal {
  const signal = value as Signal;
  return typeof signal.addEventListener === 'function' ? signal : refuseValue('an AbortSignal is needed');
}

/** Has a name, because declarations must not spell `AbortSignal` out: a program may have no type of this name. */
export interface SignalOption {
  readonly read: (value: unknown) => Signal;
}

export const signalOption: SignalOption = { read: readSignal };

/** An option that is checked where it is used. */
export function unchecked<T>(): { readonly read: (value: unknown) => T } {
  return { read: (value) => value as T };
}

/** The characters of a service's namespace: visible ASCII without quotation marks, for the quoted SOAPAction header. */
const namespacePattern = /^[\x21\x23-\x7e]+$/;

function readXmlText(value: unknown): string {
  if (typeof value !== 'string') refuseValue(`a string is needed, not ${kindOf(value)}`);
  const problem = findTextProblem(value);
  return problem === undefined ? value : refuseValue(problem);
}

export function readApiKey(value: unknown): string {
  const key = readXmlText(value);
  if (key === key.trim()) return key;
  return refuseValue('white space before or after the key, such as the line break of a file: trim it');
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
  refuseValue(hasPort ? `${what}: write ${showValue(`http://${withoutQuery(text)}`)}` : what);
}

/** Reads an http or https URL without a final slash. */
export function readBaseUrl(value: unknown): string {
  const url = readUrl(value);
  if (url.username || url.password)
    refuseValue('user and password are not part of it (the API key is the only credential)');
  const text = url.href.replace(/[?#].*/, '').replace(/\/+$/, '');
  if (text.toLowerCase().endsWith(service.path.toLowerCase())) {
    const base = text.slice(0, -service.path.length);
    refuseValue(
      `the client adds ${service.path} itself: write ${showValue(base)} in place of ${showValue(withoutQuery(String(value)))}`,
    );
  }
  if (url.search || url.hash) refuseValue('no query and no fragment may follow');
  return text;
}

/**
 * True when two base URLs name the same service: scheme, host in any case, port with its default and path are equal. A
 * slash at the end does not count.
 */
export function isSameBaseUrl(one: string, other: string): boolean {
  const plain = (text: string) => (URL.canParse(text) ? new URL(text).href : text).replace(/\/+$/, '');
  return plain(one) === plain(other);
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

/** Reads the defaults of fields. Their values are checked with each request. */
export function readDefaults(value: unknown): Readonly<Record<string, unknown>> {
  if (!isObject(value)) refuseValue('an object is needed');
  const fields = new Set(Object.values(operations).flatMap(({ request }) => request.map(({ name }) => name as string)));
  fields.delete('apikey');
  const unknown = Object.keys(value).find((name) => !fields.has(name));
  if (unknown !== undefined) refuseValue(`${unknown} is not a field of any request (${[...fields].join(', ')})`);
  return { ...value };
}
