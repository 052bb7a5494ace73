import type { Type } from '../model/model';
import { mayBeNull } from '../model/values';

/** How a type has changed. */
export interface TypeChange {
  readonly breaks: boolean;
  /** Whether TypeScript sees another type. */
  readonly retypes: boolean;
  readonly why: string;
}

/** What a changed type means to who sends its values; undefined when it has not changed. */
export function requestTypeChange(before: Type, after: Type): TypeChange | undefined {
  if (isSame(before, after)) return undefined;
  const breaks = !isWithin(before, after);
  const why = breaks ? 'the service refuses values that calls of today may give' : 'each value of today is taken';
  return { breaks, retypes: breaks, why };
}

/** What a changed type means to who reads its values; undefined when it has not changed. */
export function answerTypeChange(before: Type, after: Type): TypeChange | undefined {
  if (isSame(before, after)) return undefined;
  const breaks = !isWithin(after, before);
  const retypes = breaks || isLong(before) !== isLong(after);
  const why = breaks
    ? 'the client refuses values that the service may answer'
    : `each value can be read today${retypes ? '; once generated, it has another type' : ''}`;
  return { breaks, retypes, why };
}

function isSame(a: Type, b: Type): boolean {
  return isWithin(a, b) && isWithin(b, a);
}

/** Whether each value of one type is one of the other. Fields of records are compared one by one elsewhere. */
function isWithin(inner: Type, outer: Type): boolean {
  if (inner.kind === 'simple' && outer.kind === 'simple') {
    const [narrow, wide] = [INTEGERS.indexOf(inner.name), INTEGERS.indexOf(outer.name)];
    return inner.name === outer.name || (narrow >= 0 && narrow < wide);
  }
  if (inner.kind === 'enumeration' && outer.kind === 'enumeration') {
    const values = new Set(outer.values);
    return inner.values.every((value) => values.has(value));
  }
  if (inner.kind === 'list' && outer.kind === 'list') {
    const nulls = !mayBeNull(inner.item) || mayBeNull(outer.item);
    return inner.item.name === outer.item.name && nulls && isWithin(inner.item.type, outer.item.type);
  }
  if (inner.kind === 'foreign' && outer.kind === 'foreign') return inner.name === outer.name;
  if (inner.kind === 'record' && outer.kind === 'record') return true;
  return inner.kind === 'enumeration' && outer.kind === 'simple' && outer.name === 'string';
}

const INTEGERS = ['short', 'int', 'long'];

function isLong(type: Type): boolean {
  return type.kind === 'simple' && type.name === 'long';
}
