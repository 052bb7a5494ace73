// @ts-check
/** @import { RequestJson } from './records' */
import { html, useMemo, useState } from './htm.mjs';
import { Code } from './parts.mjs';

// Requests and responses as they crossed the wire, in forms to read and to use again.

/**
 * Reads XML as far as it goes. The DOM's own parser is out of reach: the policy of the page turns no text into markup.
 *
 * @param {string} xml
 * @returns a line for each tag, comment and text; an element without children is on one line
 */
export function linesOf(xml) {
  const lines = [];
  let line = { depth: 0, tag: '', text: '', end: '', isOpen: false };
  let depth = 0;
  for (let at = 0; at < xml.length; ) {
    const token = xml.slice(at, endOfToken(xml, at));
    at += token.length;
    const isTag = token.startsWith('<') && token.endsWith('>') && !token.startsWith('<![');
    const isEnd = isTag && token.startsWith('</');
    if (isEnd) depth = Math.max(0, depth - 1);
    if (!isTag && line.isOpen) line.text += token;
    else if (isEnd && line.isOpen) {
      line.end = token;
      line.isOpen = false;
    } else if (isTag || token.trim() !== '') {
      const isOpen = isTag && !isEnd && !/^<[?!]|\/>$/.test(token);
      line = { depth, tag: isTag ? token : '', text: isTag ? '' : token, end: '', isOpen };
      lines.push(line);
      if (isOpen) depth += 1;
    }
  }
  return lines;
}

/**
 * The index behind a tag, a comment, a CDATA section or a text. What is never closed is text to the end.
 *
 * @param {string} xml
 * @param {number} from
 */
function endOfToken(xml, from) {
  if (xml[from] !== '<') return xml.indexOf('<', from) < 0 ? xml.length : xml.indexOf('<', from);
  const close = xml.startsWith('<![CDATA[', from) ? ']]>' : xml.startsWith('<!--', from) ? '-->' : '>';
  const end = xml.indexOf(close, from);
  return end < 0 ? xml.length : end + close.length;
}

/** @param {{ request: RequestJson }} properties */
export function Exchange({ request: { method, url, headers, body, response } }) {
  return html`<${Message} title="Request" start=${`${method} ${url} HTTP/1.1`} headers=${headers} body=${body} />
    ${
      response === null
        ? html`<p class="soft">No response: the connection was dropped, or the response is still to come.</p>`
        : html`<${Message} title="Response" start=${`HTTP/1.1 ${response.status}`} ...${response} />`
    }`;
}

/**
 * The number of characters of a body that are shown at first, and after a press of the button. A copy has all of
 * them.
 */
const [FIRST_SHOWN, MAX_SHOWN] = [10_000, 200_000];

/** @param {{ title: string, start: string, headers: RequestJson['headers'], body: string }} properties */
function Message({ title, start, headers, body }) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`);
  const head = `${start}\n${lines.join('')}\n`;
  const [limit, setLimit] = useState(FIRST_SHOWN);
  const shown = body.slice(0, limit);
  const hidden = body.length - shown.length;
  // The page is drawn each second. Colouring a long body takes more than a frame.
  const coloured = useMemo(() => (/^content-type:.*xml/im.test(head) ? colour(shown) : shown), [head, shown]);
  return html`<${Code} title=${title} text=${head + body}>
    <i>${body === '' ? head.trimEnd() : head}</i>${coloured}
    ${hidden > 0 && html`<i>…\n(${hidden.toLocaleString()} more characters. “Copy” copies all.)</i>`}
    ${hidden > 0 && limit < MAX_SHOWN && html`<button type="button" onClick=${() => setLimit(MAX_SHOWN)}>Show more</button>`}
  <//>`;
}

/** Puts each element of XML on a line of its own, with colours. @param {string} xml */
function colour(xml) {
  return linesOf(xml).map(({ depth, tag, text, end }, index) => {
    const [, name, rest] = /^(\S*)([\s\S]*)$/.exec(tag) ?? [];
    const indent = index > 0 && `\n${'  '.repeat(Math.min(depth, 20))}`;
    const value = end !== '' || text.trim() !== '' ? text : '';
    return [indent, name && html`<b>${name}</b>`, rest && html`<i>${rest}</i>`, value, end && html`<b>${end}</b>`];
  });
}

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
  const masked = /(<(?:[\w.-]+:)?api[-_.]?key(?:\s[^<>]*)?>)\*\*\*(?=<)/gi;
  // The variable is outside the single quotes.
  if (body !== '') lines.push(`--data-binary ${quote(body).replace(masked, `$1'"$$MESSAGING_API_KEY"'`)}`);
  return lines.join(' \\\n  ');
}

/** @param {string} text */
function quote(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
