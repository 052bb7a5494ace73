import { operations } from '../../../generated/operations';
import { type Element, responseNameOf } from '../../soap/element';
import { fieldsOf } from '../../soap/record-fields';
import type { OperationName, SoapVersion } from '../../types';
import { escapeAttribute } from '../../xml/escape';
import { envelopes, escapeResponse } from './envelope';

/** The parts of a response. Null leaves an element out; a number may be given as any text. */
export interface WritableResponse {
  readonly result: unknown;
  readonly status: number;
  readonly statusmessage: string | null;
}

/**
 * Writes the response of an operation as an ASMX service does: no white space between elements, `<name />` for an empty
 * one. The values need not be of the elements' types.
 *
 * @throws {Error} when the response cannot be written
 */
export function writeResponse(
  version: SoapVersion,
  namespace: string,
  operation: OperationName,
  { result, status, statusmessage }: WritableResponse,
): string {
  const response = responseNameOf(operation);
  const [resultElement, statusElement, messageElement] = operations[operation].response;
  const { open, close } = envelopes[version];
  const content =
    writeElement(resultElement, result) +
    writeElement(statusElement, status) +
    writeElement(messageElement, statusmessage);
  return `${open}<${response} xmlns="${escapeAttribute(namespace)}">${content}</${response}>${close}`;
}

/** Half of the longest string that V8 can hold, in UTF-16 units. */
const MAX_LENGTH = 268_435_456;

function writeElement(element: Element, value: unknown): string {
  if (value === null && element.nillable) return nilElement(element.name);
  if (value === null || value === undefined) return '';
  return element.kind === 'list' && Array.isArray(value)
    ? writeList(element.name, element.item, value)
    : writeContent(element, value);
}

function writeList(name: string, item: Element, values: readonly unknown[]): string {
  if (values.length === 0) return `<${name} />`;
  let xml = `<${name}>`;
  for (const value of values) {
    xml += value === null || value === undefined ? nilElement(item.name) : writeContent(item, value);
    // A long text that was sent to many receptors makes a response that exceeds the memory.
    if (xml.length > MAX_LENGTH) throw unwritable('The response is too long.');
  }
  return `${xml}</${name}>`;
}

function writeContent(element: Element, value: unknown): string {
  const { name } = element;
  if (typeof value === 'object' && element.kind === 'record') {
    let xml = `<${name}>`;
    for (const field of fieldsOf(element)) {
      xml += writeElement(field, (value as Record<string, unknown>)[field.name]);
    }
    return `${xml}</${name}>`;
  }
  const text = typeof value === 'string' ? escapeString(value) : String(value);
  return text === '' ? `<${name} />` : `<${name}>${text}</${name}>`;
}

function escapeString(text: string): string {
  // Only the second pattern distinguishes a lone surrogate from a pair. The first is cheaper and excludes most texts.
  if (/[\ud800-\udfff]/.test(text) && /[\ud800-\udfff]/u.test(text)) {
    const rule = 'a high surrogate and a low surrogate character must stand together.';
    throw unwritable(`The surrogate pair is invalid: ${rule}`);
  }
  return escapeResponse(text);
}

function nilElement(name: string): string {
  return `<${name} xsi:nil="true" />`;
}

/** @param why in the words of .NET */
function unwritable(why: string): Error {
  return new Error(`There was an error generating the XML document. ---> ${why}`);
}
