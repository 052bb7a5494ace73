import { hasValue, type Type, type WireSide } from '../model/model';
import { isSpaceWithin, type ValueSpace } from '../model/value-spaces';
import type { Side } from './differences';

/** A change of a type. */
export interface TypeChange {
  /** True when the receiver refuses values that the sender may send. */
  readonly isBreaking: boolean;
  readonly breaks: readonly Side[];
  readonly why: string;
}

/** Judges the changed type of an element. Undefined when the values are the same. */
export function typeChange(before: Type, after: Type, side: WireSide): TypeChange | undefined {
  const isRequest = side === 'requests';
  const [sent, taken] = isRequest ? [before, after] : [after, before];
  const isTaken = isWithin(sent, taken);
  const isNarrower = isWithin(taken, sent);
  if (isTaken && isNarrower) return undefined;
  const [sender, receiver] = isRequest ? ['existing calls', 'the service'] : ['the service', 'the client'];
  if (isTaken) {
    // The generator refuses an unsupported type, so such a type changes no TypeScript.
    const retypes = !isRequest && after.kind !== 'unsupported' && isLong(before) !== isLong(after);
    const why = `${receiver} ${isRequest ? 'takes' : 'reads'} every value that ${sender} may send`;
    if (!retypes) return { isBreaking: false, breaks: [], why };
    return { isBreaking: false, breaks: ['callers'], why: `${why}; once generated, it has another type` };
  }
  const verb = isNarrower ? `refuses values that ${sender} may send` : 'expects values of another type';
  return { isBreaking: true, breaks: [side, 'callers'], why: `${receiver} ${verb}` };
}

/** True when each value of one type is a value of the other type. The fields of records are compared one by one elsewhere. */
function isWithin(inner: Type, outer: Type): boolean {
  if (inner.kind === 'list' && outer.kind === 'list') {
    const [item, other] = [inner.item, outer.item];
    const hasNull = item.nillable && (hasValue(item.type) || hasValue(other.type));
    return item.name === other.name && (!hasNull || other.nillable) && isWithin(item.type, other.type);
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
