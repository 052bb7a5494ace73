import type { IntegerType } from '../xml/integers';

/** An element of a request, a response or a record, or an item of a list. Its `kind` says what it contains. */
export type Element = ItemElement | ListElement;

/** An item of a list. */
export type ItemElement = ElementOf<PlainType> | RecordElement;

/** The content of an element that contains only text. The model of a contract has the same types. */
export type PlainType =
  | { readonly kind: 'text' }
  | { readonly kind: 'boolean' }
  /** A whole number. The `type` is a type of XML Schema, which defines the range. */
  | { readonly kind: 'integer'; readonly type: IntegerType }
  /** One of the listed strings. */
  | { readonly kind: 'enumeration'; readonly values: readonly string[] };

interface AnyElement {
  /** The local name, in the namespace of the service. */
  readonly name: string;
  /** True when the WSDL allows the element to be absent. Items have no `optional`, because a list may be empty. */
  readonly optional?: true;
  /** True when the element may be null, which is xsi:nil on the wire. Text, records and lists are absent instead. */
  readonly nillable?: true;
  /** True for an element of a request that the client fills in itself. */
  readonly filledByClient?: true;
  /** True for an element of a request that callers may leave out without a word. Any other needs a value, or null. */
  readonly omittable?: true;
}

type ElementOf<T> = T extends unknown ? AnyElement & T : never;

export type TextElement = ElementOf<Extract<PlainType, { kind: 'text' }>>;

export type IntegerElement = ElementOf<Extract<PlainType, { kind: 'integer' }>>;

/** An element that contains the elements of a record, side by side. */
export interface RecordElement extends AnyElement {
  readonly kind: 'record';
  /** The name of the record in the generated table of records. */
  readonly record: string;
}

/** A parent element that contains only repeated items. */
export interface ListElement extends AnyElement {
  readonly kind: 'list';
  readonly item: ItemElement;
}

/** The elements of an operation, in the contract's order. The first of the response is the result. */
export interface Operation {
  readonly request: readonly Element[];
  readonly response: readonly [result: Element, status: Element, statusmessage: Element];
}

/** The element of an operation's response, with result, status and statusmessage. */
export interface ResponseElement {
  readonly namespace: string;
  readonly name: string;
  readonly children: readonly Element[];
}

/** A response as the typed stub describes it: lists are wrapped as in the envelope. */
export type ResponseObject = Record<string, unknown>;

export function responseNameOf(operation: string): string {
  return `${operation}Response`;
}
