// @ts-check
/** @import { RequestJson } from './records' */
import { html } from './htm.mjs';
import { Code, isGood } from './parts.mjs';

// Requests and responses as they crossed the wire, in forms to read and to use again.

/**
 * Reads XML as far as it goes. The DOM's own parser is out of reach: the policy of the page turns no text into markup.
 *
 * @param {string} xml
 * @returns {Generator<{ token: string, kind: 'start' | 'end' | 'empty' | 'note' | 'text', depth: number }>} the
 * tags and texts; a comment or a declaration is a note
 */
function* readXml(xml) {
  let depth = 0;
  for (const [token] of xml.matchAll(/<!\[CDATA\[[\s\S]*?\]\]>|<!--[\s\S]*?-->|<[^>]*>|<|[^<]+/g)) {
    if (!/^<(?!!\[)[\s\S]*>$/.test(token)) yield { token, kind: 'text', depth };
    else if (token.startsWith('</')) {
      depth = Math.max(0, depth - 1);
      yield { token, kind: 'end', depth };
    } else if (/^<[?!]/.test(token)) yield { token, kind: 'note', depth };
    else if (token.endsWith('/>')) yield { token, kind: 'empty', depth };
    else yield { token, kind: 'start', depth: depth++ };
  }
}

/** @type {Record<string, string>} */
const ENTITIES = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** The text of XML, with its CDATA sections and references resolved. @param {string} xml */
function decode(xml) {
  if (xml.startsWith('<![')) return xml.slice('<![CDATA['.length, -']]>'.length);
  return xml.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,4}));/gi, (whole, decimal, hex, name) => {
    const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
    if (name) return ENTITIES[name] ?? whole;
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

/** The page reads no fields of a longer body, because this would take too long. */
const MAX_READ = 500_000;

/** The elements of a request's operation but its API key, in their order; the values of a list. @param {string} body */
export function fieldsOf(body) {
  if (body.length > MAX_READ) return [];
  /** @type {{ name: string, values: string[], isList: boolean }[]} */
  const fields = [];
  let parent = '';
  for (const { token, kind, depth } of readXml(body)) {
    const [, name = ''] = /^<(?:[^\s:/>]*:)?([^\s/>]+)/.exec(token) ?? [];
    const value = /\snil="(?:true|1)"|:nil="(?:true|1)"/.test(token) ? 'nil' : '';
    const isElement = kind === 'start' || kind === 'empty';
    const field = fields.at(-1);
    if (isElement && depth === 1) parent = name;
    else if (isElement && depth === 3 && parent === 'Body') fields.push({ name, values: [value], isList: false });
    else if (isElement && depth === 4 && field) {
      // The text before the first item is no value.
      if (!field.isList) field.values = [];
      field.isList = true;
      field.values.push(value);
    } else if (kind === 'text' && field && depth === (field.isList ? 5 : 4))
      field.values.push(field.values.pop() + decode(token));
  }
  return fields.filter(({ name }) => name !== 'apikey');
}

/** The number of values that describe a request in the list, and the number of characters that hold them. */
const MAX_VALUES = 5;
const MAX_DESCRIBED = 4000;

/** Distinguishes a request from others of its operation by the values of its fields. @param {RequestJson} request */
export function describeRequest({ body }) {
  const values = fieldsOf(body.slice(0, MAX_DESCRIBED)).flatMap((field) => field.values);
  const given = values.filter((value) => value.trim() !== '' && value !== '0');
  const shown = given.slice(0, MAX_VALUES).map((value) => value.slice(0, 100));
  return given.length > MAX_VALUES ? [...shown, '…'] : shown;
}

/**
 * Why a request failed: the reason of its fault, or the message of its status; empty for a request that did not fail.
 *
 * @param {RequestJson} request
 */
export function reasonOf(request) {
  if (isGood(request)) return '';
  const pattern = /<(?:[\w.-]+:)?(?:faultstring|Text|statusmessage)(?:\s[^>]*)?>([^<]+)</;
  return decode(pattern.exec(request.response?.body.slice(0, MAX_DESCRIBED) ?? '')?.[1] ?? '');
}

/** @param {{ request: RequestJson }} properties */
export function Exchange({ request }) {
  const { method, url, headers, body, response } = request;
  return html`<${Message} title="Request" start=${`${method} ${url} HTTP/1.1`} headers=${headers} body=${body} />
    ${
      response === null
        ? html`<p class="soft">No response: the connection was dropped, or the response is still to come.</p>`
        : html`<${Message} title="Response" start=${`HTTP/1.1 ${response.status}`} ...${response} />`
    }`;
}

/** The number of characters of a body that are shown. A copy has all of them. */
const MAX_SHOWN = 100_000;

/** @param {{ title: string, start: string, headers: RequestJson['headers'], body: string }} properties */
function Message({ title, start, headers, body }) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`);
  const head = `${start}\n${lines.join('')}\n`;
  const isXml = /^content-type:.*xml/im.test(head);
  const shown = body.slice(0, MAX_SHOWN);
  const hidden = body.length - shown.length;
  return html`<${Code} title=${title} text=${head + body}>
    <i>${head}</i>${isXml ? colour(shown) : shown}
    ${hidden > 0 && `…\n(${hidden.toLocaleString()} more characters. “Copy” copies all.)`}
  <//>`;
}

/** Puts each element of XML on a line of its own, with colours. @param {string} xml */
function colour(xml) {
  const tokens = [...readXml(xml)];
  let last = '';
  return tokens.map(({ token, kind, depth }, index) => {
    const isValue = last === 'start' && tokens[index + 1]?.kind === 'end';
    if (kind === 'text' && token.trim() === '' && !isValue) return null;
    const isLine = last !== '' && last !== 'text' && !(last === 'start' && kind === 'end');
    last = kind;
    if (kind === 'text') return token;
    const [, name, attributes] = /^(\S+)([\s\S]*)$/.exec(token) ?? [];
    return [
      isLine && `\n${'  '.repeat(Math.min(depth, 20))}`,
      html`<b>${name}</b>`,
      attributes && html`<i>${attributes}</i>`,
    ];
  });
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
  for (const title of ['Content-Type', 'SOAPAction']) {
    const value = headers[title.toLowerCase()];
    // The command sends UTF-8, in which the page shows the body.
    if (value !== undefined) lines.push(`-H ${quote(`${title}: ${value}`.replace(/charset=[^;]*/i, 'charset=utf-8'))}`);
  }
  // The group is a part of its own, so that the variable follows every second part.
  const parts = body.split(MASKED_KEY);
  const key = '"$MESSAGING_API_KEY"';
  if (body !== '')
    lines.push(`--data-binary ${parts.map((part, index) => quote(part) + (index % 2 === 1 ? key : '')).join('')}`);
  return lines.join(' \\\n  ');
}

/** @param {string} text */
function quote(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
