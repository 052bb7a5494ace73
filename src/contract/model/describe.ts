import { abbreviate } from '../../internal/strings';
import { type ModelField, mayBeNull, type Type } from './model';

/** Names a type: "xsd:long", "list of ApiSelect", "one of A, B". */
export function describeType(type: Type): string {
  switch (type.kind) {
    case 'text':
      return 'xsd:string';
    case 'boolean':
      return 'xsd:boolean';
    case 'integer':
      return `xsd:${type.type}`;
    case 'enumeration':
      return `one of ${joinValues(type.values)}`;
    case 'record':
      return type.name ?? 'a record';
    case 'list':
      return `list of ${describeType(type.item.type)}`;
    case 'unsupported':
      return type.name;
  }
}

/** Joins values with commas, up to a length. An enumeration from the network may have any number of values. */
function joinValues(values: readonly string[]): string {
  let text = '';
  for (const value of values) {
    text += text === '' ? value : `, ${value}`;
    if (text.length > MAX_LENGTH) return abbreviate(text, MAX_LENGTH);
  }
  return text;
}

/** The greatest length of joined values, in characters. */
const MAX_LENGTH = 1000;

/** Describes a field: "xsd:int, optional". */
export function describeField({ type, optional, nillable, choice }: ModelField): string {
  const item = type.kind === 'list' ? ` in elements ${type.item.name}${mayBeNull(type.item) ? ', nillable' : ''}` : '';
  const words = [optional && 'optional', nillable && 'nillable', choice && 'in a choice'];
  return [describeType(type) + item, ...words.filter(Boolean)].join(', ');
}
