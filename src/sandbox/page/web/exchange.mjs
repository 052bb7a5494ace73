// @ts-check
/** @import { RequestJson } from './records' */
import { html } from './htm.mjs';
import { Code } from './parts.mjs';

// Requests and responses as they crossed the wire, in forms to read and to use again.

/** Longer texts are shown as they are. */
const MAX_XML = 500_000;
const MAX_DEPTH = 100;
/** The number of characters of an exchange that are shown. A copy has all of them. */
const MAX_SHOWN = 100_000;

/**
 * A tag, a comment or a declaration.
 *
 * @typedef {{ tag: string, text: string, end: string, children: XmlNode[] }} XmlNode
 */

/**
 * Reads XML as far as it goes. The DOM's own parser is out of reach: the policy of the page turns no text into markup.
 *
 * @param {string} text
 * @returns {{ root: XmlNode, isWhole: boolean }} not whole: text that is no well-formed XML, or mixes text and elements
 */
export function readXml(text) {
  const root = { tag: '', text: '', end: '', children: [] };
  /** @type {XmlNode[]} */
  const open = [root];
  let isWhole = text.length <= MAX_XML && /^\s*</.test(text);
  const tokens = isWhole ? text.matchAll(/<!\[CDATA\[[\s\S]*?\]\]>|<!--[\s\S]*?-->|<[^>]*>|[^<]+/g) : [];
  for (const [token] of tokens) {
    const parent = open.at(-1) ?? root;
    if (!token.startsWith('<') || token.startsWith('<![')) parent.text += token;
    else if (token.startsWith('</')) {
      parent.end = token;
      if (open.length === 1 || (parent.children.length > 0 && parent.text.trim() !== ''))
        return { root, isWhole: false };
      open.pop();
    } else {
      /** @type {XmlNode} */
      const node = { tag: token, text: '', end: '', children: [] };
      parent.children.push(node);
      if (!/^<[?!]|\/>$/.test(token)) open.push(node);
      if (open.length > MAX_DEPTH) return { root, isWhole: false };
    }
  }
  isWhole &&= open.length === 1;
  return { root, isWhole };
}

/** The name of an element without its prefix. @param {XmlNode} node */
function nameOf({ tag }) {
  return /^<(?:[^\s:/>]*:)?([^\s/>]+)/.exec(tag)?.[1] ?? '';
}

/** The text of an element, with its references and CDATA sections resolved. @param {XmlNode} node */
function textOf({ tag, text }) {
  if (/\snil="(?:true|1)"|:nil="(?:true|1)"/.test(tag)) return 'nil';
  const parts = text.split(/<!\[CDATA\[([\s\S]*?)\]\]>/);
  return parts.map((part, index) => (index % 2 === 0 ? decode(part) : part)).join('');
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

/** The elements of a request's or response's operation, in their order; the values of a list. @param {string} body */
export function fieldsOf(body) {
  const child = (/** @type {XmlNode | undefined} */ node, /** @type {RegExp} */ name) =>
    node?.children.find((one) => name.test(nameOf(one)));
  const operation = child(child(child(readXml(body).root, /^Envelope$/), /^Body$/), /./);
  return (operation?.children ?? []).map((node) => {
    const values = node.children.length > 0 ? node.children.map(textOf) : [textOf(node)];
    return { name: nameOf(node), values };
  });
}

/** The number of values that describe a request in the list, and the number of characters that hold them. */
const MAX_VALUES = 5;
const MAX_DESCRIBED = 4000;

/** Distinguishes a request from others of its operation by the values of its fields. @param {RequestJson} request */
export function describeRequest({ body }) {
  const fields = fieldsOf(body.slice(0, MAX_DESCRIBED)).filter(({ name }) => name !== 'apikey');
  const values = fields.flatMap((field) => field.values).filter((value) => value.trim() !== '' && value !== '0');
  const shown = values.slice(0, MAX_VALUES).map((value) => value.slice(0, 100));
  return values.length > MAX_VALUES ? [...shown, '…'] : shown;
}

/** Why a request failed: the reason of its fault, or the message of its status. @param {RequestJson} request */
export function reasonOf({ response }) {
  const pattern = /<(?:[\w.-]+:)?(?:faultstring|Text|statusmessage)(?:\s[^>]*)?>([^<]+)</;
  return decode(pattern.exec(response?.body.slice(0, MAX_DESCRIBED) ?? '')?.[1] ?? '');
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

/** @param {{ title: string, start: string, headers: RequestJson['headers'], body: string }} properties */
function Message({ title, start, headers, body }) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`);
  const head = `${start}\n${lines.join('')}\n`;
  return html`<${Code} title=${title} text=${head + body}><span class="head">${head}</span>${colour(body)}<//>`;
}

/** Puts each element of XML on a line of its own, with colours. Other text stays as it is. @param {string} body */
function colour(body) {
  const { root, isWhole } = readXml(body);
  /** @type {unknown[]} */
  const parts = [];
  let left = MAX_SHOWN;
  let hidden = 0;
  const add = (/** @type {string} */ text, /** @type {string} */ className) => {
    const shown = text.slice(0, left);
    left -= shown.length;
    hidden += text.length - shown.length;
    if (shown !== '') parts.push(className === '' ? shown : html`<span class=${className}>${shown}</span>`);
  };
  const addNode = (/** @type {XmlNode} */ { tag, text, end, children }, /** @type {string} */ indent) => {
    add(indent, '');
    const [, name = tag, rest = ''] = /^(<[^\s>]+)(\s[\s\S]*)$/.exec(tag) ?? [];
    add(name, 'tag');
    add(rest, 'attribute');
    if (children.length === 0) add(text, '');
    else {
      for (const child of children) addNode(child, `${indent === '' ? '\n' : indent}  `);
      add(indent === '' ? '\n' : indent, '');
    }
    add(end, 'tag');
  };
  if (!isWhole) add(body, '');
  else for (const [index, child] of root.children.entries()) addNode(child, index === 0 ? '' : '\n');
  if (hidden > 0) parts.push(`…\n(${hidden.toLocaleString()} more characters. “Copy” copies all.)`);
  return parts;
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
