import { operations } from '../../../generated/operations';
import type { ContentType } from '../../internal/content-type';
import type { Element, Operation } from '../../soap/element';
import { soapVersions } from '../../soap/versions';
import type { OperationName, SoapVersion, StubRequest } from '../../types';

/** The parts of an HTTP request that select the operation and carry its arguments. */
export interface SoapRequest {
  readonly contentType: ContentType;
  readonly soapAction: string | undefined;
  /** The decoded body. */
  readonly text: string;
}

const versions = Object.keys(soapVersions) as SoapVersion[];

export function versionOfMediaType(mediaType: string): SoapVersion | undefined {
  return versions.find((version) => soapVersions[version].contentType.startsWith(`${mediaType};`));
}

export function versionOfNamespace(namespace: string): SoapVersion | undefined {
  return versions.find((version) => soapVersions[version].namespace === namespace);
}

/** An argument of a service method: null for an absent string or list, 0 or false for an absent number or boolean. */
type Argument<T> = T extends string ? T | null : T extends object ? readonly Item<T[keyof T]>[] | null : T;
/** An item of a string list may be nil. */
type Item<L> = L extends readonly (infer I)[] ? (I extends string ? string | null : I) : never;

/** The arguments of an operation, by element name. */
export type Arguments<O extends OperationName> = {
  readonly [K in keyof StubRequest<O>]-?: Argument<Exclude<StubRequest<O>[K], undefined>>;
};

/** The arguments of a request without elements, by operation. */
export const absentArguments = Object.fromEntries(
  Object.entries<Operation>(operations).map(([name, { request }]) => [
    name,
    Object.fromEntries(request.map((element) => [element.name, absentValue(element)])),
  ]),
) as Readonly<Record<OperationName, Readonly<Record<string, unknown>>>>;

/** The value of an absent element: null, 0 or false. */
export function absentValue(element: Element): null | 0 | 0n | false {
  if (element.nillable) return null;
  if (element.kind === 'boolean') return false;
  if (element.kind !== 'integer') return null;
  return element.type === 'long' ? 0n : 0;
}

export function isOperationName(name: string): name is OperationName {
  return Object.hasOwn(operations, name);
}
