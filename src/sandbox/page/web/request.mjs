// @ts-check
/** @import { Fields, RequestJson } from './records' */
import { Exchange, formatCurl } from './exchange.mjs';
import { Head } from './head.mjs';
import { html, useState } from './htm.mjs';
import { Copy, itemsOf, Pill, toneOfRequest, UserText } from './parts.mjs';
import { Time } from './times.mjs';

// An opened request, and the parts of a request that an opened message shows too.

/** @param {{ request: RequestJson }} properties */
export function Request({ request }) {
  const { operation, method, url, date, summary = 'under way', reason, fields = {}, reply } = request;
  const given = Object.entries(fields).filter(([name]) => name !== 'status' && name !== 'statusmessage');
  return html`<${Head}>
      <h2><${UserText} text=${operation ?? `${method} ${url}`} /></h2>
      <${Pill} tone=${toneOfRequest(request)} text=${summary} />
      <div class="actions"><${Copy} textOf=${() => formatCurl(request)} label="Copy as curl" /></div>
      <p class="quiet"><${Time} date=${date} isLong=${true} />${factsOf(request).map((fact) => `, ${fact}`)}</p>
    <//>
    ${reason && html`<p id="detail-text" class="bad-text" dir="auto">${reason}</p>`}
    ${reply !== undefined && html`<p class="made">An armed reply was given in place of the service's own response.</p>`}
    ${given.length > 0 && html`<dl>${fieldsOf(Object.fromEntries(given))}</dl>`}
    <div id="exchange"><${Exchange} request=${request} /></div>`;
}

/** The SOAP version and the duration of a request, as far as they are known. @param {RequestJson} request */
function factsOf({ soapVersion, durationMs }) {
  return [
    ...(soapVersion ? [`SOAP ${soapVersion}`] : []),
    ...(durationMs === undefined ? [] : [`${Math.max(1, Math.round(durationMs))} ms`]),
  ];
}

/** @param {{ request: RequestJson }} properties */
export function ExchangeFold({ request }) {
  const [isOpen, setOpen] = useState(false);
  const { response } = request;
  const facts = [response ? `HTTP ${response.status}` : 'no response', ...factsOf(request)];
  const onToggle = (/** @type {{ currentTarget: HTMLDetailsElement }} */ { currentTarget: fold }) => {
    setOpen(fold.open);
    if (fold.open) requestAnimationFrame(() => fold.scrollIntoView({ block: 'start' }));
  };
  return html`<details onToggle=${onToggle}>
    <summary><b>HTTP exchange</b> <span class="quiet">${facts.join(', ')}</span></summary>
    ${isOpen && html`<div id="exchange"><${Exchange} request=${request} /></div>`}
  </details>`;
}

/** @param {Fields} fields */
export function fieldsOf(fields) {
  return Object.entries(fields).map(([name, value]) => {
    const { count: number, first } = itemsOf(value);
    const left = number - first.length;
    const texts = first.map((item, index) => [
      index > 0 && ', ',
      item === ''
        ? html`<span class="quiet">empty</span>`
        : html`<${UserText} text=${item === null ? null : String(item).slice(0, 200)} />`,
    ]);
    return field(
      name,
      html`${texts}${left > 0 && html`, <span class="quiet">and ${left.toLocaleString()} more</span>`}`,
    );
  });
}

/** A fact with its name. @param {string} name @param {unknown} value */
export function field(name, value) {
  return html`<dt>${name}</dt><dd>${value}</dd>`;
}
