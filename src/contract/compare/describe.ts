import { abbreviate } from '../../internal/strings';
import type { ModelField, Type } from '../model/model';
import { mayBeNull } from '../model/values';

/** A type in words: "xsd:long", "list of ApiSelect", "one of A, B". */
export function describeType(type: Type): string {
  switch (type.kind) {
    case 'simple':
      return `xsd:${type.name}`;
    case 'enumeration':
      return `one of ${listOf(type.values)}`;
    case 'record':
      return type.name ?? 'a record';
    case 'list':
      return `list of ${describeType(type.item.type)}`;
    case 'foreign':
      return type.name;
  }
}

/** Values separated by commas, cut off: an enumeration from the network may have any number, and each field of the type shows them. */
function listOf(values: readonly string[]): string {
  let text = '';
  for (const value of values) {
    text += text === '' ? value : `, ${value}`;
    if (text.length > MAX_LENGTH) return abbreviate(text, MAX_LENGTH);
  }
  return text;
}

/** In characters. */
const MAX_LENGTH = 1000;

/** A field in words: "xsd:int, optional". */
export function describeField({ type, optional, nillable }: ModelField): string {
  const item = type.kind === 'list' ? ` in elements ${type.item.name}${mayBeNull(type.item) ? ', nillable' : ''}` : '';
  return [describeType(type) + item, ...(optional ? ['optional'] : []), ...(nillable ? ['nillable'] : [])].join(', ');
}
