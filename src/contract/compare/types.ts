import { mayBeNull, type Type } from '../model/model';
import { isSpaceWithin, type ValueSpace } from '../model/value-spaces';

/** A change of a type. */
export interface TypeChange {
  readonly breaks: boolean;
  /** True when the generated TypeScript type changes. */
  readonly retypes: boolean;
  readonly why: string;
}

/** Judges the changed type of an element that the client sends. Undefined when the values are the same. */
export function requestTypeChange(before: Type, after: Type): TypeChange | undefined {
  if (isSame(before, after)) return undefined;
  const breaks = !isWithin(before, after);
  const isNarrower = isWithin(after, before);
  const why = !breaks
    ? 'the service takes every value that existing calls may send'
    : isNarrower
      ? 'the service refuses values that existing calls may send'
      : 'the service expects values of another type';
  return { breaks, retypes: breaks, why };
}

/** Judges the changed type of an element that the client reads. Undefined when the values are the same. */
export function responseTypeChange(before: Type, after: Type): TypeChange | undefined {
  if (isSame(before, after)) return undefined;
  const breaks = !isWithin(after, before);
  // The generator refuses an unsupported type, so such a type changes no TypeScript.
  const retypes = breaks || (after.kind !== 'unsupported' && isLong(before) !== isLong(after));
  const isWider = isWithin(before, after);
  const why = !breaks
    ? `the client reads every value that the service may send${retypes ? '; once generated, it has another type' : ''}`
    : isWider
      ? 'the client refuses values that the service may send'
      : 'the client expects values of another type';
  return { breaks, retypes, why };
}

function isSame(a: Type, b: Type): boolean {
  return isWithin(a, b) && isWithin(b, a);
}

/** True when each value of one type is a value of the other type. The fields of records are compared one by one elsewhere. */
function isWithin(inner: Type, outer: Type): boolean {
  if (inner.kind === 'list' && outer.kind === 'list') {
    const nulls = !mayBeNull(inner.item) || mayBeNull(outer.item);
    return inner.item.name === outer.item.name && nulls && isWithin(inner.item.type, outer.item.type);
  }
  if (inner.kind === 'record' && outer.kind === 'record') return true;
  const [narrow, wide] = [spaceOf(inner), spaceOf(outer)];
  if (wide?.builtIn === 'anyType') return true;
  if (narrow && wide) return isSpaceWithin(narrow, wide);
  return inner.kind === 'unsupported' && outer.kind === 'unsupported' && inner.name === outer.name && narrow === wide;
}

/** Gives the values of a simple type; undefined for any other type. */
function spaceOf(type: Type): ValueSpace | undefined {
  switch (type.kind) {
    case 'text':
      return { builtIn: 'string', facets: [] };
    case 'boolean':
      return { builtIn: 'boolean', facets: [] };
    case 'integer':
      return { builtIn: type.type, facets: [] };
    case 'enumeration':
      return { builtIn: 'string', facets: [{ name: 'enumeration', values: type.values }] };
    case 'unsupported':
      return type.space;
    default:
      return undefined;
  }
}

/** True for a type that is a bigint, or a list of them, in TypeScript. */
function isLong(type: Type): boolean {
  return type.kind === 'list' ? isLong(type.item.type) : type.kind === 'integer' && type.type === 'long';
}
