import { MAX_DELAY_MS } from '../internal/timers';
import { operations, service } from '../soap/elements/legacy-fields';
import type { SoapVersion } from '../types';
import { findForbiddenCharacter, formatCodePoint } from '../xml/escape';
import { namespacePattern } from '../xml/namespaces';

/** Shows a value in a message, without the API key: it may have been given to the wrong option. */
export type Show = (value: unknown) => string;

/** Why an option cannot be used. */
export class OptionProblem extends Error {
  /** @param explain gives what follows the option's name in a message */
  constructor(
    readonly option: string,
    readonly explain: (show: Show) => string,
  ) {
    super(option);
  }
}

export function required<T>(option: string, value: T | undefined): T {
  if (value === undefined || value === null || value === '') throw new OptionProblem(option, () => ' is missing');
  return value;
}

export function readText(option: string, value: unknown): string {
  if (typeof value !== 'string') fail(option, `a string is needed, not ${typeof value}`);
  const forbidden = findForbiddenCharacter(value);
  if (forbidden) {
    fail(
      option,
      `character ${formatCodePoint(forbidden.codePoint)} at index ${forbidden.index} cannot be written as XML 1.0`,
    );
  }
  return value;
}

function readUrl(option: string, value: string): URL {
  const url = URL.canParse(readText(option, value)) ? new URL(value) : failUrl(option, value, 'not a URL');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') failUrl(option, value, 'neither an http nor an https URL');
  return url;
}

/** Of `localhost:8080`, a URL's grammar takes the host for the scheme. */
function failUrl(option: string, value: string, what: string): never {
  const hasPort = /^[\w.-]+:\d+(\/|$)/.test(value);
  fail(option, (show) => (hasPort ? `${what}: write ${show(`http://${value}`)}` : what));
}

export function readBaseUrl(value: string): string {
  const url = readUrl('baseUrl', value);
  if (url.username || url.password)
    fail('baseUrl', 'user and password are not part of it (the API key is the only credential)');
  const text = url.href.replace(/[?#].*/, '').replace(/\/+$/, '');
  if (text.toLowerCase().endsWith(service.path)) {
    const base = text.slice(0, -service.path.length);
    fail('baseUrl', (show) => `the client adds ${service.path} itself: write ${show(base)} in place of ${show(value)}`);
  }
  if (url.search || url.hash) fail('baseUrl', 'no query and no fragment may follow');
  return text;
}

export function readProxy(value: string): string {
  const { href, username, password } = readUrl('proxy', value);
  try {
    decodeURIComponent(`${username}:${password}`);
  } catch {
    fail('proxy', 'a percent sign in its user or password begins no character (the sign itself is %25)');
  }
  return href;
}

export function readNamespace(value: string): string {
  const text = readText('namespace', value);
  if (!namespacePattern.test(text))
    fail('namespace', 'a URI of visible ASCII characters is needed, without quotation marks');
  return text;
}

export function readStatuses(value: unknown): ReadonlySet<number> {
  if (!Array.isArray(value) || value.length === 0) fail('successStatuses', 'a list of at least one status is needed');
  for (const status of value) {
    if (!Number.isInteger(status) || status !== (status | 0))
      fail('successStatuses', (show) => `${show(status)} is not a whole number (xsd:int)`);
  }
  return new Set(value);
}

export function readVersion(value: unknown): SoapVersion {
  if (value !== '1.1' && value !== '1.2') fail('soapVersion', (show) => `${show(value)} is neither "1.1" nor "1.2"`);
  return value;
}

/** Milliseconds, 0 for no limit. */
export function readTimeout(option: string, value: unknown): number {
  return readInteger(option, value, 0, MAX_DELAY_MS);
}

export function readInteger(option: string, value: unknown, min: number, max: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max) {
    fail(option, (show) => `${show(value)} is not a whole number from ${min} to ${max}`);
  }
  return value;
}

export function readBoolean(option: string, value: boolean): boolean {
  return typeof value === 'boolean' ? value : fail(option, (show) => `${show(value)} is neither true nor false`);
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readObject<T extends object>(option: string, value: T): T {
  return isObject(value) ? value : fail(option, 'an object is needed');
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isPem = (value: unknown): boolean => isText(value) || ArrayBuffer.isView(value);
const PEM = 'PEM as a string or bytes';

/** What each setting for https must be: a check, and its words. */
const tlsTypes: ReadonlyMap<string, readonly [holds: (value: unknown) => boolean, what: string]> = new Map([
  ['ca', [(value) => [value].flat().every(isPem), `${PEM}, or a list of these,`]],
  ['cert', [isPem, PEM]],
  ['key', [isPem, PEM]],
  ['passphrase', [isText, 'a string']],
  ['servername', [isText, 'a string']],
  ['rejectUnauthorized', [(value) => typeof value === 'boolean', 'true or false']],
]);

/** The values are in no message: one of them may be a private key. */
export function readTls<T extends object>(value: T): T {
  const problems = Object.entries(readObject('tls', value)).flatMap(([name, given]) => {
    const type = tlsTypes.get(name);
    if (!type) return [`${name}: no such setting (settings: ${[...tlsTypes.keys()].join(', ')})`];
    const [holds, what] = type;
    return given === undefined || holds(given) ? [] : [`${name}: ${what} is needed`];
  });
  if (problems.length > 0) fail('tls', (show) => show(problems.join('; tls: ')).slice(1, -1));
  return value;
}

export function readDefaults(given: unknown): Readonly<Record<string, unknown>> {
  const value = readObject('defaults', given as Record<string, unknown>);
  const fields = new Set(Object.values(operations).flatMap(({ request }) => request.map(({ name }) => name)));
  fields.delete('apikey');
  for (const name of Object.keys(value)) {
    if (!fields.has(name))
      fail(
        'defaults',
        (show) => `${show(name).slice(1, -1)} is not a field of any request (${[...fields].join(', ')})`,
      );
  }
  return { ...value };
}

function fail(option: string, what: string | ((show: Show) => string)): never {
  throw new OptionProblem(option, (show) => `: ${typeof what === 'string' ? what : what(show)}`);
}
