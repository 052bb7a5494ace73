import type { Field } from '../../../generated/operations';
import { operations } from '../../../generated/operations';
import type { OperationName, StubRequest } from '../../types';

/** An argument of a service method: null for an absent string or list, 0 for an absent number. */
type Argument<T> = T extends string ? string | null : T extends object ? readonly Item<T[keyof T]>[] | null : T;
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

function absentValue({ type, item }: Field): unknown {
  if (item !== undefined || type === 'string') return null;
  return type === 'long' ? 0n : 0;
}

export function isOperationName(name: string): name is OperationName {
  return Object.hasOwn(operations, name);
}
