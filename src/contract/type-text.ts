import type { Field, Type } from './model';
import { mayBeNull } from './values';

/** A type in words: "xsd:long", "list of ApiSelect", "one of A, B". */
export function describeType(type: Type): string {
  switch (type.kind) {
    case 'simple':
      return `xsd:${type.name}`;
    case 'enumeration':
      return `one of ${type.values.join(', ')}`;
    case 'record':
      return type.name ?? 'a record';
    case 'list':
      return `list of ${describeType(type.item.type)}`;
    case 'foreign':
      return type.name;
  }
}

/** A field in words: "xsd:int, optional". */
export function describeField({ type, optional, nillable }: Field): string {
  const item = type.kind === 'list' ? ` in elements ${type.item.name}${mayBeNull(type.item) ? ', nillable' : ''}` : '';
  return [describeType(type) + item, ...(optional ? ['optional'] : []), ...(nillable ? ['nillable'] : [])].join(', ');
}
