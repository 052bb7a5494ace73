import type { PlainType } from '../../soap/element';
import type { SoapVersion } from '../../types';

/**
 * A contract as it is on the wire. It does not contain prefixes or the split into schemas. The generator writes its
 * files from a contract, and `contract diff` compares two contracts.
 */
export interface Contract {
  /** The namespace of the elements on the wire. */
  readonly namespace: string;
  readonly service: string;
  readonly servicePlace: Place;
  readonly portType: string;
  readonly portTypePlace: Place;
  readonly bindings: { readonly [V in SoapVersion]?: Binding };
  readonly operations: readonly ModelOperation[];
}

export const VERSIONS: readonly SoapVersion[] = ['1.1', '1.2'];

/** The place of a construct, for messages. */
export interface Place {
  readonly file: string;
  readonly line: number;
}

export interface Binding {
  /** Empty when no service has a port for the binding. */
  readonly port: string;
  /** Empty when the port has no address. */
  readonly address: string;
  /** The extensions of all its operations. */
  readonly extensions: readonly Extension[];
  readonly place: Place;
}

export interface ModelOperation {
  readonly name: string;
  readonly documentation: string;
  readonly request: Message;
  readonly response: Message;
  /** The soapActions by SOAP version. A version is absent when its binding does not bind the operation. */
  readonly soapActions: { readonly [V in SoapVersion]?: SoapAction };
  readonly extensions: readonly Extension[];
  readonly place: Place;
}

export interface SoapAction {
  readonly text: string;
  readonly place: Place;
}

/** Elements side by side. */
export interface Elements {
  readonly fields: readonly ModelField[];
  readonly extensions: readonly Extension[];
  readonly place: Place;
}

/** The element of a request or a response, and its fields. */
export interface Message extends Elements {
  readonly element: string;
}

export interface ModelField {
  readonly name: string;
  readonly type: Type;
  /** True when the element may be absent. */
  readonly optional: boolean;
  /** True when the element may have xsi:nil. */
  readonly nillable: boolean;
  /** True when its xsd:appinfo is `optional`: callers may then leave it out of a request without a word. */
  readonly omittable: boolean;
  /** The names of the elements of which a message has one, this element included. Undefined outside an xsd:choice. */
  readonly choice?: readonly string[];
  /** The extensions of the element. An item has those of its list too. Those of a record are in its type. */
  readonly extensions: readonly Extension[];
  /** Empty for an undocumented element. */
  readonly documentation: string;
  readonly place: Place;
  /** The place of the type and of nillable. It differs for an element that is referred to. */
  readonly definition: Place;
}

/** The type of an element. */
export type Type = ValueType | RecordType | ListType;

/** A type of plain text. */
export type ValueType = PlainType | UnsupportedType;

export interface RecordType extends Elements {
  readonly kind: 'record';
  /** Undefined for an inline type. */
  readonly name: string | undefined;
}

/** A parent element that holds only repeated children, such as ArrayOfLong. */
interface ListType {
  readonly kind: 'list';
  /** Undefined for an inline type. */
  readonly name: string | undefined;
  readonly item: ModelField;
}

/** A type that the client cannot write or read. */
export interface UnsupportedType {
  readonly kind: 'unsupported';
  /** The type in words. */
  readonly name: string;
  /** Undefined for a type whose values may contain elements. */
  readonly simple?: SimpleType;
  /** The type of an element that may occur once or more often, beside other elements. Undefined for any other type. */
  readonly repeated?: Type;
}

/** The values of a simple type, as far as a comparison has to know them. */
export interface SimpleType {
  /** The local name of the type of XML Schema that it restricts, such as `int`. */
  readonly base: string;
  /** True when facets take values away. */
  readonly isRestricted: boolean;
}

/** A side of the wire that a difference or an extension can break. */
export type WireSide = 'requests' | 'responses';

/** A part of a contract that the client does not know, such as a SOAP header, a policy or an attribute. */
export interface Extension {
  readonly name: string;
  /** The sides on which a client that does not know it may send or read something wrong. */
  readonly mayBreak: readonly WireSide[];
}

export const BOTH_SIDES: readonly WireSide[] = ['requests', 'responses'];

/** True for a nillable number, boolean or enumeration, which may be null. A nil text, record or list is absent. */
export function mayBeNull({ type, nillable }: ModelField): boolean {
  return nillable && hasValue(type);
}

/** True for a number, a boolean or an enumeration: no empty element is a value of these types. */
export function hasValue({ kind }: Type): boolean {
  return kind === 'integer' || kind === 'boolean' || kind === 'enumeration';
}

/** Splits an absolute http or https URL into its origin and its path with the query. Undefined for any other text. */
export function splitAddress(address: string): { readonly origin: string; readonly path: string } | undefined {
  const [, origin, path] = /^(https?:\/\/[^/?#]+)(.*)$/is.exec(address) ?? [];
  return origin === undefined || path === undefined || !URL.canParse(address) ? undefined : { origin, path };
}
