import { hasValue, type SimpleType, type Type, type WireSide } from '../model/model';
import { isTypeWithin } from '../model/simple-types';
import type { Side } from './differences';

/** A change of a type. */
interface TypeChange {
  readonly breaks: readonly Side[];
  readonly why: string;
}

/** Judges the changed type of an element. Undefined when the values are the same. */
export function typeChange(before: Type, after: Type, side: WireSide): TypeChange | undefined {
  const isRequest = side === 'requests';
  if (!(isRequest ? isWithin(before, after) : isWithin(after, before, true))) {
    const why = isRequest
      ? 'the service may refuse values that existing calls send'
      : 'the client refuses values that the service may send';
    return { breaks: [side, 'callers'], why };
  }
  if (isWithin(before, after) && isWithin(after, before)) return undefined;
  if (isRequest) return { breaks: [], why: 'the service takes every value that existing calls may send' };
  const why = 'the client reads every value that the service may send';
  // The generator refuses an unsupported type, so such a type changes no TypeScript.
  const retypes = after.kind !== 'unsupported' && typeScriptOf(before) !== typeScriptOf(after);
  return retypes ? { breaks: ['callers'], why: `${why}; once generated, it has another type` } : { breaks: [], why };
}

/**
 * True when each value of one type is certain to be a value of the other type. The fields of records are compared one
 * by one elsewhere.
 *
 * @param isClient true when the client has the outer type: it reads any simple type as a text
 */
function isWithin(inner: Type, outer: Type, isClient = false): boolean {
  if (inner.kind === 'list' && outer.kind === 'list') {
    const [item, other] = [inner.item, outer.item];
    const hasNull = item.nillable && (hasValue(item.type) || hasValue(other.type));
    return item.name === other.name && (!hasNull || other.nillable) && isWithin(item.type, other.type, isClient);
  }
  if (inner.kind === 'record' && outer.kind === 'record') return true;
  if (inner.kind === 'enumeration' && outer.kind === 'enumeration') {
    const values = new Set(outer.values);
    return inner.values.every((value) => values.has(value));
  }
  if (outer.kind === 'unsupported' && outer.repeated) return isWithin(inner, outer.repeated);
  const [narrow, wide] = [simpleTypeOf(inner), simpleTypeOf(outer)];
  if (!narrow || !wide || wide.isRestricted) return false;
  return (isClient && outer.kind === 'text') || isTypeWithin(narrow.base, wide.base);
}

/** Returns the values of a simple type; undefined for any other type. */
function simpleTypeOf(type: Type): SimpleType | undefined {
  switch (type.kind) {
    case 'text':
      return { base: 'string', isRestricted: false };
    case 'boolean':
      return { base: 'boolean', isRestricted: false };
    case 'integer':
      return { base: type.type, isRestricted: false };
    case 'enumeration':
      return { base: 'string', isRestricted: true };
    case 'unsupported':
      return type.simple;
    default:
      return undefined;
  }
}

/** Names the type in TypeScript of a value, or of the items of a list. */
function typeScriptOf(type: Type): string {
  switch (type.kind) {
    case 'list':
      return typeScriptOf(type.item.type);
    case 'integer':
      return type.type === 'long' ? 'bigint' : 'number';
    case 'text':
    case 'enumeration':
      return 'string';
    default:
      return type.kind;
  }
}
