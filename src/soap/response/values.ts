import { collapse, parseInteger } from '../../xml/integers';
import type { ValueSchema } from './schema';

/** The value of an element's text, or undefined if the text is not of the type. */
export function parseValue(schema: ValueSchema, text: string): bigint | number | boolean | string | undefined {
  switch (schema.kind) {
    case 'number':
      return parseInteger(schema.type, text);
    case 'boolean':
      // The four spellings of XML Schema part 2, section 3.2.2, with white space around.
      return booleans.get(collapse(text));
    case 'enumeration':
      return schema.values.includes(text) ? text : undefined;
  }
}

const booleans = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/** A type in words: "an xsd:int". */
export function describeValue(schema: ValueSchema): string {
  switch (schema.kind) {
    case 'number':
      return `an xsd:${schema.type}`;
    case 'boolean':
      return 'an xsd:boolean';
    case 'enumeration':
      return `one of ${schema.values.join(', ')}`;
  }
}
