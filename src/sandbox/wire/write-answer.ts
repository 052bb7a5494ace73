import { type Field, operations, type RecordName, records } from '../../../generated/operations';
import { versions } from '../../soap/versions';
import type { OperationName, SoapVersion } from '../../types';
import { escapeAttribute } from '../../xml/escape';
import { XSD_NAMESPACE, XSI_NAMESPACE } from '../../xml/namespaces';
import { faultRejection, type SandboxFault } from './rejection';

/** The parts of a response as they are written: null leaves an element out, and any text may stand for a number. */
export interface WritableResponse {
  readonly result: unknown;
  readonly status: number;
  readonly statusmessage: string | null;
}

/** Writes the response of an operation as an ASMX service does: nothing between elements, `<name />` for an empty one. */
export function writeResponse(
  version: SoapVersion,
  namespace: string,
  operation: OperationName,
  { result, status, statusmessage }: WritableResponse,
): string {
  const response = `${operation}Response`;
  const writer = new ValueWriter(version);
  const [resultField, statusField, messageField] = operations[operation].response;
  const { open, close } = envelopes[version];
  const content =
    writer.field(resultField, result) + writer.field(statusField, status) + writer.field(messageField, statusmessage);
  return `${open}<${response} xmlns="${escapeAttribute(namespace)}">${content}</${response}>${close}`;
}

/** Writes a fault in the form of a SOAP version; `upgrade` puts the versions that are understood into a header. */
export function writeFault(version: SoapVersion, fault: SandboxFault, upgrade = false): string {
  const { start, open, close } = envelopes[version];
  const { prefix } = versions[version];
  const code = escapeAnswer(version === '1.2' ? (newCodes.get(fault.code) ?? fault.code) : oldCode(fault.code));
  const reason = escapeAnswer(fault.reason);
  const content =
    version === '1.1'
      ? `<faultcode>${prefix}:${code}</faultcode><faultstring>${reason}</faultstring>` +
        element('faultactor', fault.actor) +
        detailElement('detail', fault.detail)
      : `<${prefix}:Code><${prefix}:Value>${prefix}:${code}</${prefix}:Value></${prefix}:Code>` +
        `<${prefix}:Reason><${prefix}:Text xml:lang="en">${reason}</${prefix}:Text></${prefix}:Reason>` +
        element(`${prefix}:Node`, fault.actor) +
        // A detail of the service's own comes unqualified in SOAP 1.2 as well.
        detailElement(fault.detail ? 'detail' : `${prefix}:Detail`, fault.detail);
  const head = upgrade ? open.replace(start, `${start}${upgradeHeader}`) : open;
  return `${head}<${prefix}:Fault>${content}</${prefix}:Fault>${close}`;
}

const envelopes = { '1.1': envelopeOf('1.1'), '1.2': envelopeOf('1.2') };

function envelopeOf(version: SoapVersion): { start: string; open: string; close: string } {
  const { prefix, namespace } = versions[version];
  const start =
    `<?xml version="1.0" encoding="utf-8"?><${prefix}:Envelope xmlns:${prefix}="${namespace}"` +
    ` xmlns:xsi="${XSI_NAMESPACE}" xmlns:xsd="${XSD_NAMESPACE}">`;
  return { start, open: `${start}<${prefix}:Body>`, close: `</${prefix}:Body></${prefix}:Envelope>` };
}

const upgradeHeader =
  `<soap:Header><soap12:Upgrade xmlns:soap12="${versions['1.2'].namespace}">` +
  '<soap12:SupportedEnvelope qname="soap:Envelope" /><soap12:SupportedEnvelope qname="soap12:Envelope" />' +
  '</soap12:Upgrade></soap:Header>';

/** The codes that SOAP 1.2 renamed. */
const newCodes: ReadonlyMap<string, string> = new Map([
  ['Client', 'Sender'],
  ['Server', 'Receiver'],
]);

function oldCode(code: string): string {
  for (const [old, renamed] of newCodes) if (renamed === code) return old;
  return code;
}

function element(name: string, text: string | undefined): string {
  return text === undefined ? '' : `<${name}>${escapeAnswer(text)}</${name}>`;
}

function detailElement(name: string, xml: string | null | undefined): string {
  if (xml === null) return '';
  return xml ? `<${name}>${xml}</${name}>` : `<${name} />`;
}

/** Short of the longest string that the engine can hold. */
const MAX_LENGTH = 268_435_456;
/** Items of a list that are joined at a time. */
const BATCH = 500;

class ValueWriter {
  readonly #version: SoapVersion;

  constructor(version: SoapVersion) {
    this.#version = version;
  }

  field({ name, type, item }: Field, value: unknown): string {
    if (value === null || value === undefined) return '';
    if (item === undefined || !Array.isArray(value)) return this.#text(name, value);
    if (value.length === 0) return `<${name} />`;
    let batch: string[] = [];
    let length = 0;
    const batches: string[] = [];
    for (const one of value) {
      const xml = this.#item(item, type, one);
      length += xml.length;
      // A few requests can ask for far more than memory holds: one long text, sent to very many.
      if (length > MAX_LENGTH) this.#fail('The answer is too long.');
      batch.push(xml);
      // The engine keeps the parts of a text until it is joined; of a long list they are most of the work.
      if (batch.length === BATCH) {
        batches.push(batch.join(''));
        batch = [];
      }
    }
    return `<${name}>${batches.join('')}${batch.join('')}</${name}>`;
  }

  #item(name: string, type: Field['type'], value: unknown): string {
    if (value === null || value === undefined) return `<${name} xsi:nil="true" />`;
    if (typeof value !== 'object' || !isRecordName(type)) return this.#text(name, value);
    let xml = `<${name}>`;
    for (const field of records[type]) xml += this.field(field, (value as Record<string, unknown>)[field.name]);
    return `${xml}</${name}>`;
  }

  #text(name: string, value: unknown): string {
    const text = typeof value === 'string' ? this.#escape(value) : String(value);
    return text === '' ? `<${name} />` : `<${name}>${text}</${name}>`;
  }

  #escape(text: string): string {
    // The second pattern tells a half from a pair, the first is quicker and enough for most.
    if (/[\ud800-\udfff]/.test(text) && /[\ud800-\udfff]/u.test(text)) {
      this.#fail('The surrogate pair is invalid: a high surrogate and a low surrogate character must stand together.');
    }
    return escapeAnswer(text);
  }

  #fail(why: string): never {
    const reason = 'Server was unable to process request. ---> There was an error generating the XML document.';
    throw faultRejection(this.#version, 'Server', `${reason} ---> ${why}`);
  }
}

function isRecordName(type: Field['type']): type is RecordName {
  return Object.hasOwn(records, type);
}

const SPECIAL = /[&<>\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/;
const SPECIALS = /[&<>\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;
const named: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** As the stack escapes: CR stays raw, and a character that XML 1.0 forbids becomes a reference that it forbids as well. */
function escapeAnswer(text: string): string {
  if (!SPECIAL.test(text)) return text;
  return text.replace(SPECIALS, (one) => named[one] ?? `&#x${one.charCodeAt(0).toString(16).toUpperCase()};`);
}
