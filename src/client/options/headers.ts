import { isObject, refuseValue } from '../../options/table';
import type { OperationName } from '../../types';

/** HTTP headers by name. */
type HeaderValues = Readonly<Record<string, string>>;

/** The option: headers, or a function that is called for each call and returns them. */
export type ClientHeaders = HeaderValues | ((call: { readonly operation: OperationName }) => HeaderValues);

/** The headers of SOAP, of HTTP and of the client itself, in lower case. A second one would change the request. */
const OWN: ReadonlySet<string> = new Set([
  ...['soapaction', 'content-type', 'content-length', 'content-encoding', 'transfer-encoding', 'host', 'user-agent'],
  ...['connection', 'proxy-connection', 'proxy-authorization', 'keep-alive', 'upgrade', 'expect', 'te', 'trailer'],
]);

/** A name of HTTP (RFC 9110, section 5.6.2). */
const NAME = /^[!#$%&'*+.^_`|~\w-]+$/;
const VALUE = /^[\t\x20-\x7e]*$/;

/** Checks the option. The headers that a function returns are checked with each call. @throws {WrongValue} */
export function readHeaders(value: unknown): ClientHeaders {
  return typeof value === 'function' ? (value as ClientHeaders) : readValues(value);
}

/** Checks headers. No message shows a value, because it may be a secret. @throws {WrongValue} */
export function readValues(value: unknown): HeaderValues {
  if (!isObject(value)) return refuseValue('an object of names and values is needed, or a function that returns it');
  const names = Object.keys(value);
  for (const name of names) {
    if (!NAME.test(name)) refuseValue('a name has a character that no name of a header may have');
    if (OWN.has(name.toLowerCase())) refuseValue(`the client or HTTP itself writes ${name}`);
    const text = value[name];
    if (typeof text !== 'string' || !VALUE.test(text)) refuseValue(`${name} needs a text of visible ASCII characters`);
  }
  if (new Set(names.map((name) => name.toLowerCase())).size < names.length) refuseValue('a name is given twice');
  return { ...(value as HeaderValues) };
}

/** The length from which a part of a value is masked by itself, in characters: a token without its scheme. */
const SECRET_PART = 8;

/** Returns the texts of values that no message may have: each value, and its long parts. */
export function secretsOf(headers: HeaderValues): readonly string[] {
  return Object.values(headers).flatMap((value) => {
    const parts = value.split(/[\s;,=]+/).filter((part) => part.length >= SECRET_PART);
    return [value, ...parts];
  });
}
