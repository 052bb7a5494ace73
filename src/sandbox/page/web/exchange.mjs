// @ts-check
/** @import { RequestJson } from './records' */
import { make } from './dom.mjs';
import { codeBlock } from './parts.mjs';

// Requests and responses as they crossed the wire, in forms to read and to use again.

/** The number of values that describe a request. */
const MAX_VALUES = 5;
/** Longer texts are shown as they are. */
const MAX_INDENTED = 500_000;

/**
 * Shows a request and its response. XML is indented.
 *
 * @param {RequestJson} request
 */
export function exchangeParts({ method, url, headers, body, response }) {
  return [
    codeBlock(`${method} ${url} HTTP/1.1\n${formatHeaders(headers)}\n${indentXml(body)}`, 'Request'),
    response === null
      ? make('p', { textContent: 'No response: the connection was dropped, or the response is still to come.' })
      : codeBlock(
          `HTTP/1.1 ${response.status}\n${formatHeaders(response.headers)}\n${indentXml(response.body)}`,
          'Response',
        ),
  ];
}

/** @param {RequestJson['headers']} headers */
function formatHeaders(headers) {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('');
}

/**
 * Puts each element on a line of its own. Text that is no well-formed XML stays as it is.
 *
 * @param {string} text
 */
export function indentXml(text) {
  if (text.length > MAX_INDENTED || !/^\s*</.test(text)) return text;
  /** @type {string[]} */
  const lines = [];
  let depth = 0;
  let isOpen = false;
  for (const [token] of text.matchAll(/<!\[CDATA\[[\s\S]*?\]\]>|<!--[\s\S]*?-->|<[^>]*>|[^<]+/g)) {
    if (token.startsWith('</')) {
      depth -= 1;
      if (depth < 0) return text;
      if (isOpen) lines.push(`${lines.pop()}${token}`);
      else lines.push(`${'  '.repeat(depth)}${token}`);
      isOpen = false;
    } else if (!token.startsWith('<') || token.startsWith('<![')) {
      // An element that holds text stays on one line with it.
      if (isOpen) lines.push(`${lines.pop()}${token}`);
      else if (token.trim() !== '') return text;
    } else {
      lines.push(`${'  '.repeat(depth)}${token}`);
      isOpen = !/^<[?!]|\/>$/.test(token);
      if (isOpen) depth += 1;
    }
  }
  return depth === 0 ? lines.map((line) => line.replace(/>\s+$/, '>')).join('\n') : text;
}

/** The start of an apikey element whose content is masked. */
const MASKED_KEY = /(<(?:[\w.-]+:)?apikey(?:\s[^>]*)?>)\*\*\*(?=<)/g;

/**
 * A shell command that sends a request again. The sandbox does not give the API key away, so the command takes it from
 * $MESSAGING_API_KEY.
 *
 * @param {RequestJson} request
 */
export function formatCurl({ method, url, headers, body }) {
  const lines = [`curl ${method === 'POST' ? '' : `-X ${method} `}${quote(location.origin + url)}`];
  for (const [name, title] of [
    ['content-type', 'Content-Type'],
    ['soapaction', 'SOAPAction'],
  ]) {
    const value = headers[String(name)];
    // The command sends UTF-8, in which the page shows the body.
    if (value !== undefined) lines.push(`-H ${quote(`${title}: ${value}`.replace(/charset=[^;]*/i, 'charset=utf-8'))}`);
  }
  if (body !== '') {
    // The pattern is split off with its group, so that every second part is the start tag.
    const parts = body.split(MASKED_KEY);
    const texts = parts.flatMap((part, index) => (index % 2 === 0 ? [part + (parts[index + 1] ?? '')] : []));
    lines.push(`--data-binary ${texts.map(quote).join('"$MESSAGING_API_KEY"')}`);
  }
  return lines.join(' \\\n  ');
}

/** @param {string} text */
function quote(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * What distinguishes a request from others of its operation: the texts of its elements, in their order.
 *
 * @param {RequestJson} request
 */
export function describeRequest({ body }) {
  /** @type {string[]} */
  const values = [];
  for (const [, name = '', text = ''] of body.slice(0, 4000).matchAll(/<(?:[\w.-]+:)?([\w.-]+)[^<>]*>([^<]+)<\//g)) {
    if (name !== 'apikey' && text.trim() !== '' && text !== '0') values.push(decode(text.trim()));
  }
  const shown = values.slice(0, MAX_VALUES).map((value) => value.slice(0, 100));
  return values.length > MAX_VALUES ? [...shown, '…'] : shown;
}

/** @type {Record<string, string>} */
const ENTITIES = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** @param {string} text */
function decode(text) {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,4}));/gi, (whole, decimal, hex, name) => {
    const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
    if (name) return ENTITIES[name] ?? whole;
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
