import { operations, records } from '../../../generated/operations';
import type { Element } from '../../soap/element';
import { responseNameOf } from '../../soap/element';
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

/**
 * Writes the response of an operation as an ASMX service does: no white space between elements, `<name />` for an empty
 * one.
 */
export function writeResponse(
  version: SoapVersion,
  namespace: string,
  operation: OperationName,
  { result, status, statusmessage }: WritableResponse,
): string {
  const response = responseNameOf(operation);
  const writer = new ResponseWriter(version);
  const [resultElement, statusElement, messageElement] = operations[operation].response;
  const { open, close } = envelopes[version];
  const content =
    writer.element(resultElement, result) +
    writer.element(statusElement, status) +
    writer.element(messageElement, statusmessage);
  return `${open}<${response} xmlns="${escapeAttribute(namespace)}">${content}</${response}>${close}`;
}

/** Half of the longest string that V8 can hold, in UTF-16 units. */
const MAX_LENGTH = 268_435_456;
/** The number of items that are joined at once. */
const BATCH = 500;

/** Writes the elements of a response, whose values need not be of the elements' types. */
class ResponseWriter {
  readonly #version: SoapVersion;

  constructor(version: SoapVersion) {
    this.#version = version;
  }

  element(element: Element, value: unknown): string {
    if (value === null && element.nillable) return nilElement(element.name);
    if (value === null || value === undefined) return '';
    return element.kind === 'list' && Array.isArray(value)
      ? this.#list(element.name, element.item, value)
      : this.#content(element, value);
  }

  #list(name: string, item: Element, values: readonly unknown[]): string {
    if (values.length === 0) return `<${name} />`;
    let batch: string[] = [];
    let length = 0;
    const batches: string[] = [];
    for (const value of values) {
      const xml = value === null || value === undefined ? nilElement(item.name) : this.#content(item, value);
      length += xml.length;
      // A long text that was sent to many receptors makes a response that exceeds the memory.
      if (length > MAX_LENGTH) this.#fail('The response is too long.');
      batch.push(xml);
      // V8 keeps the parts of a concatenated string until it is flattened, so joining in batches is cheaper.
      if (batch.length === BATCH) {
        batches.push(batch.join(''));
        batch = [];
      }
    }
    return `<${name}>${batches.join('')}${batch.join('')}</${name}>`;
  }

  #content(element: Element, value: unknown): string {
    const { name } = element;
    if (typeof value !== 'object' || element.kind !== 'record') return this.#text(name, value);
    let xml = `<${name}>`;
    for (const field of records[element.record])
      xml += this.element(field, (value as Record<string, unknown>)[field.name]);
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

function nilElement(name: string): string {
  return `<${name} xsi:nil="true" />`;
}
