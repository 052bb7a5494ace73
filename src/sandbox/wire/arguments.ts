import type { Field } from '../../soap/elements/legacy-fields';
import { operations } from '../../soap/elements/legacy-fields';
import type { OperationName, StubRequest } from '../../types';

/** An argument of a service method: null for an absent string or list, 0 or false for an absent number or boolean. */
type Argument<T> = T extends string ? T | null : T extends object ? readonly Item<T[keyof T]>[] | null : T;
/** An item of a string list may be nil. */
type Item<L> = L extends readonly (infer I)[] ? (I extends string ? string | null : I) : never;

/** The arguments of an operation, by element name. */
export type Arguments<O extends OperationName> = {
  readonly [K in keyof StubRequest<O>]-?: Argument<Exclude<StubRequest<O>[K], undefined>>;
};

/** What the reader of an operation's request needs. */
export interface RequestSchema {
  readonly fields: ReadonlyMap<string, Field>;
  /** The arguments of an empty request. */
  readonly absent: Readonly<Record<string, unknown>>;
}

export const requestSchemas = Object.fromEntries<RequestSchema>(
  Object.entries(operations).map(([operation, { request }]) => [
    operation,
    {
      fields: new Map<string, Field>(request.map((field) => [field.name, field])),
      absent: Object.fromEntries(request.map((field) => [field.name, absentValue(field)])),
    },
  ]),
) as Record<OperationName, RequestSchema>;

/** What an element is that is not there: null, 0 or false. */
export function absentValue({ type, item, nillable }: Field): unknown {
  if (item !== undefined || nillable) return null;
  if (type === 'boolean') return false;
  if (type === 'long') return 0n;
  return type === 'int' || type === 'short' ? 0 : null;
}

export function isOperationName(name: string): name is OperationName {
  return Object.hasOwn(operations, name);
}
