import { findTextProblem } from '../xml/escape';
import { collapse, integerRanges, isInRange, isIntegerText, parseInteger } from '../xml/integers';
import type { Element, ItemElement } from './element';

export type PlainValue = string | boolean | number | bigint;

/** An element that is neither a record nor a list. */
export type ValueElement = Exclude<ItemElement, { kind: 'record' }>;

/**
 * Says what keeps a value from being sent in an element: "an xsd:int (bigint or safe integer) is needed, not a string".
 * The text follows the element's name in a message. It never shows a value of the wrong type, which may be a secret in
 * the wrong place.
 *
 * @returns undefined for a value that can be sent
 */
export function findValueProblem(element: ValueElement, value: unknown): string | undefined {
  switch (element.kind) {
    case 'text':
      return typeof value === 'string' ? findTextProblem(value) : wrongType(element, value);
    case 'boolean':
      return typeof value === 'boolean' ? undefined : wrongType(element, value);
    case 'enumeration':
      if (typeof value !== 'string') return wrongType(element, value);
      return element.values.includes(value) ? undefined : `must be one of ${element.values.join(', ')}`;
    case 'integer': {
      if (typeof value !== 'bigint' && typeof value !== 'number') return wrongType(element, value);
      if (typeof value === 'number' && !Number.isSafeInteger(value)) {
        return `${value} is not a safe integer: give a whole number, as a bigint beyond 2^53`;
      }
      if (isInRange(element.type, value)) return undefined;
      return `${value} ${outOfRange(element.type)}`;
    }
  }
}

function outOfRange(type: keyof typeof integerRanges): string {
  const { min, max } = integerRanges[type];
  return `is not within xsd:${type} (${min} to ${max})`;
}

function wrongType(element: ValueElement, value: unknown): string {
  return `${describeValue(element)}${element.kind === 'integer' ? ' (bigint or safe integer)' : ''} is needed, not ${kindOf(value)}`;
}

/** Names the kind of any value: "a list", "an object", "a string", "null". */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Reads the text of an element as XML Schema spells its type. Returns undefined for a text of another type. */
export function parseValue(element: ValueElement, text: string): PlainValue | undefined {
  switch (element.kind) {
    case 'text':
      return text;
    case 'integer':
      return parseInteger(element.type, text);
    case 'boolean': {
      const token = collapse(text);
      return token === 'true' || token === '1' ? true : token === 'false' || token === '0' ? false : undefined;
    }
    case 'enumeration':
      return element.values.includes(text) ? text : undefined;
  }
}

/** Says why `parseValue` cannot read a text: "is not a whole number". The words follow the text in a message. */
export function explainText(element: ValueElement, text: string): string {
  if (element.kind === 'boolean') return 'is neither true nor false';
  if (element.kind === 'enumeration') return `is not one of ${element.values.join(', ')}`;
  return element.kind === 'integer' && isIntegerText(text) ? outOfRange(element.type) : 'is not a whole number';
}

/** Names what an element holds: "an xsd:int", "a list of xsd:long". */
export function describeValue(element: Element): string {
  return element.kind === 'list' ? `a list of ${describeItem(element.item)[1]}` : describeItem(element)[0];
}

/** Names one item, and several of them. */
function describeItem(item: ItemElement): readonly [one: string, several: string] {
  switch (item.kind) {
    case 'text':
      return ['a string', 'strings'];
    case 'boolean':
      return ['a boolean', 'booleans'];
    case 'integer':
      return [`an xsd:${item.type}`, `xsd:${item.type}`];
    case 'enumeration':
      return [`one of ${item.values.join(', ')}`, `values of ${item.values.join(', ')}`];
    case 'record':
      return [`a record ${item.record}`, `records ${item.record}`];
  }
}
