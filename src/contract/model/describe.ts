import { abbreviate } from '../../internal/text';
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
      return `one of ${listValues(type.values)}`;
    case 'record':
      return type.name ?? 'a record';
    case 'list':
      return `list of ${describeType(type.item.type)}`;
    case 'unsupported':
      return type.name;
  }
}

/** Lists values. An enumeration from the network may have any number of values, of any length. */
function listValues(values: readonly string[]): string {
  const shown = values.slice(0, 50).map((value) => abbreviate(value, 50));
  return shown.join(', ') + (shown.length < values.length ? ', …' : '');
}

/** Describes a field: "xsd:int, optional". */
export function describeField({ type, optional, nillable, choice }: ModelField): string {
  const item = type.kind === 'list' ? ` in elements ${type.item.name}${mayBeNull(type.item) ? ', nillable' : ''}` : '';
  const words = [optional && 'optional', nillable && 'nillable', choice && 'in a choice'];
  return [describeType(type) + item, ...words.filter(Boolean)].join(', ');
}
