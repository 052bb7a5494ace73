import type { Type } from './model';

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
