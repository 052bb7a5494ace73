import type { SandboxRequest } from '../store/request-log';

// Masks what stands in the place of an API key in a request, whatever its value is. Somebody who moves a program from a
// provider to the sandbox may send a real key in a place that the sandbox does not read. A body may have 64 MB of any
// text, so each function here takes linear time.

/** Returns a request without the values of its elements, attributes, headers and parameters with the name of a key. */
export function withoutKeys(request: SandboxRequest): SandboxRequest {
  const headers: Record<string, string | string[] | undefined> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (KEY_HEADER.test(name)) headers[name] = MASK;
    else headers[name] = Array.isArray(value) ? value.map(maskPairs) : value && maskPairs(value);
  }
  return { ...request, url: maskPairs(request.url), headers, body: maskElements(maskPairs(request.body)) };
}

const MASK = '***';
const KEY_HEADER = /api[\W_]?key|(?:^|-)key$|authorization/i;

/** The name of a parameter, an attribute or a member of JSON with what follows it, but no name of an operation. */
const KEY_PARAMETER = /(?:(?<!by)api[\W_]?key[\w.-]{0,50}|(?<=[?&])key)(?:["']?\s{0,50}[=:]\s{0,50}|"\r?\n\r?\n)/gi;

/** Masks the values of parameters, attributes and members of JSON with the name of a key. */
export function maskPairs(text: string): string {
  const name = new RegExp(KEY_PARAMETER);
  let masked = '';
  let from = 0;
  while (name.test(text)) {
    const quote = /["']/.exec(text.charAt(name.lastIndex))?.[0];
    const start = name.lastIndex + (quote ? 1 : 0);
    const end = quote ? endOfQuoted(text, start, quote) : endOfBare(text, start);
    masked += text.slice(from, start) + (end > start ? MASK : '');
    from = end;
    name.lastIndex = end;
  }
  return masked + text.slice(from);
}

/** In JSON, a backslash escapes a quote. */
function endOfQuoted(text: string, start: number, quote: string): number {
  for (let at = start; at < text.length; at += text[at] === '\\' ? 2 : 1) if (text[at] === quote) return at;
  return text.length;
}

function endOfBare(text: string, start: number): number {
  const end = /[\s"'&<>;,}]/g;
  end.lastIndex = start;
  return end.exec(text)?.index ?? text.length;
}

const KEY_START = /<(?:[^\s<>/:]{0,1000}:)?(?:api[-_.]?)?keys?(?=[\s/>]|$)/gi;
const KEY_END = /<\/(?:[^\s<>/:]{0,1000}:)?(?:api[-_.]?)?keys?[\s>]/iy;

/**
 * Masks the attributes and the content of each element with the name of a key, and the text behind it, in a text that
 * need not be XML. The content may hold the key in a spelling that no mask of the key knows, such as CDATA sections.
 * Without an end tag, everything after the start tag counts.
 */
function maskElements(text: string): string {
  const start = new RegExp(KEY_START);
  let masked = '';
  let from = 0;
  while (start.test(text)) {
    const name = start.lastIndex;
    const content = endOfTag(text, name);
    masked += text.slice(from, name) + maskAttributes(text.slice(name, content));
    from = content;
    if (!text.startsWith('/>', content - 2)) {
      const end = findEndTag(text, content);
      from = endOfTag(text, end + 1);
      masked += maskText(text.slice(content, end)) + text.slice(end, from);
    }
    const next = text.indexOf('<', from);
    const behind = next < 0 ? text.length : next;
    masked += maskText(text.slice(from, behind));
    from = behind;
    start.lastIndex = from;
  }
  return masked + text.slice(from);
}

function maskText(text: string): string {
  return text.trim() === '' ? text : MASK;
}

/** Masks all attributes but those of XML itself. @param rest what follows an element's name, to the end of its tag */
function maskAttributes(rest: string): string {
  const [close = ''] = /\/?>$/.exec(rest) ?? [];
  const attributes = rest.slice(0, rest.length - close.length);
  const isPlain =
    attributes.length < 1000 && /^(?:\s+(?:xmlns|xsi:)[\w.:-]*=(?:"[^"]*"|'[^']*'))*\s*$/.test(attributes);
  return isPlain ? rest : ` ${MASK}${close}`;
}

/** The index behind a tag. A tag ends before the next one in any case. */
function endOfTag(text: string, from: number): number {
  let quote = '';
  let at = from;
  for (; at < text.length && text[at] !== '<'; at += 1) {
    const character = text[at] as string;
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '>') return at + 1;
  }
  // A quote that is never closed hides no end.
  const end = text.slice(from, at).indexOf('>');
  return end < 0 ? at : from + end + 1;
}

/** The index of the end tag of a key. The length of the text when there is none. */
function findEndTag(text: string, from: number): number {
  for (let at = text.indexOf('<', from); at >= 0; ) {
    const close = text.startsWith('<!--', at) ? '-->' : text.startsWith('<![CDATA[', at) ? ']]>' : '';
    KEY_END.lastIndex = at;
    if (close === '' && KEY_END.test(text)) return at;
    const rest = close === '' ? at + 1 : text.indexOf(close, at);
    if (rest < 0) break;
    at = text.indexOf('<', rest);
  }
  return text.length;
}
