import { type Field, operations, type RecordName, records } from '../../soap/elements/legacy-fields';
import { responseNameOf } from '../../soap/response/schema';
import type { OperationName, SoapVersion } from '../../types';
import { escapeAttribute } from '../../xml/escape';
import { envelopes, escapeResponse } from './envelope';
import { faultRejection } from './rejection';

/** The parts of a response. Null leaves an element out; a number may be given as any text. */
export interface WritableResponse {
  readonly result: unknown;
  readonly status: number;
  readonly statusmessage: string | null;
}

/** Writes the response of an operation as an ASMX service does: no white space between elements, `<name />` for an empty one. */
export function writeResponse(
  version: SoapVersion,
  namespace: string,
  operation: OperationName,
  { result, status, statusmessage }: WritableResponse,
): string {
  const response = responseNameOf(operation);
  const writer = new ValueWriter(version);
  const [resultField, statusField, messageField] = operations[operation].response;
  const { open, close } = envelopes[version];
  const content =
    writer.field(resultField, result) + writer.field(statusField, status) + writer.field(messageField, statusmessage);
  return `${open}<${response} xmlns="${escapeAttribute(namespace)}">${content}</${response}>${close}`;
}

/** Half of the longest string that V8 can hold, in UTF-16 units. */
const MAX_LENGTH = 268_435_456;
/** Items of a list that are joined at a time. */
const BATCH = 500;

class ValueWriter {
  readonly #version: SoapVersion;

  constructor(version: SoapVersion) {
    this.#version = version;
  }

  field({ name, type, item, nillable }: Field, value: unknown): string {
    if (value === null && nillable && item === undefined) return `<${name} xsi:nil="true" />`;
    if (value === null || value === undefined) return '';
    if (item === undefined || !Array.isArray(value)) return this.#content(name, type, value);
    if (value.length === 0) return `<${name} />`;
    let batch: string[] = [];
    let length = 0;
    const batches: string[] = [];
    for (const one of value) {
      const xml = this.#item(item, type, one);
      length += xml.length;
      // One long text that was sent to many receptors gives an answer that exceeds the memory.
      if (length > MAX_LENGTH) this.#fail('The answer is too long.');
      batch.push(xml);
      // V8 keeps the parts of a concatenated string until it is flattened, so joining in batches is cheaper.
      if (batch.length === BATCH) {
        batches.push(batch.join(''));
        batch = [];
      }
    }
    return `<${name}>${batches.join('')}${batch.join('')}</${name}>`;
  }

  #item(name: string, type: Field['type'], value: unknown): string {
    return value === null || value === undefined ? `<${name} xsi:nil="true" />` : this.#content(name, type, value);
  }

  #content(name: string, type: Field['type'], value: unknown): string {
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
    // Only the second pattern distinguishes a lone surrogate from a pair. The first is cheaper and excludes most texts.
    if (/[\ud800-\udfff]/.test(text) && /[\ud800-\udfff]/u.test(text)) {
      this.#fail('The surrogate pair is invalid: a high surrogate and a low surrogate character must stand together.');
    }
    return escapeResponse(text);
  }

  #fail(why: string): never {
    const reason = 'Server was unable to process request. ---> There was an error generating the XML document.';
    throw faultRejection(this.#version, { code: 'Server', reason: `${reason} ---> ${why}` });
  }
}

function isRecordName(type: Field['type']): type is RecordName {
  return Object.hasOwn(records, type);
}
