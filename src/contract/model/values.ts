import type { ModelField, Type } from './model';

/** Whether an element may be null: a number, boolean or enumeration that is nillable. A nil string counts as absent. */
export function mayBeNull({ type, nillable }: ModelField): boolean {
  return nillable && isValue(type);
}

/** A number, boolean or enumeration: what cannot be absent by being empty. */
export function isValue(type: Type): boolean {
  return type.kind === 'enumeration' || (type.kind === 'simple' && type.name !== 'string');
}
