/**
 * What a WSDL says about the wire, whatever words it uses: prefixes, the names of list types, inline or named types and the
 * split into schemas leave no trace here. The generator writes its files from this, and two of them can be compared.
 */
export interface Contract {
  /** The namespace of the elements on the wire. */
  readonly namespace: string;
  readonly service: string;
  readonly servicePlace: Place;
  readonly portType: string;
  readonly portTypePlace: Place;
  readonly bindings: { readonly [V in BindingVersion]?: Binding };
  readonly operations: readonly ModelOperation[];
}

export type BindingVersion = '1.1' | '1.2';

export interface Binding {
  readonly name: string;
  /** Empty when no service has a port for the binding. */
  readonly port: string;
  /** Empty when the port does not say where it is. */
  readonly address: string;
  /** What it says of all its operations. */
  readonly features: readonly Feature[];
  readonly place: Place;
}

/** Where a construct stands, for messages. */
export interface Place {
  readonly file: string;
  readonly line: number;
}

export interface ModelOperation {
  readonly name: string;
  readonly documentation: string;
  readonly request: Message;
  readonly response: Message;
  /** By the binding's SOAP version; none where the operation is not bound. */
  readonly soapActions: { readonly [V in BindingVersion]?: string };
  readonly features: readonly Feature[];
  readonly place: Place;
}

/** The element that a request or an answer is, and what it holds. */
export interface Message {
  readonly element: string;
  readonly namespace: string;
  readonly fields: readonly ModelField[];
  readonly features: readonly Feature[];
  readonly place: Place;
}

export interface ModelField {
  readonly name: string;
  readonly type: Type;
  /** True where the element may be absent. */
  readonly optional: boolean;
  /** True where the element may be there with xsi:nil. */
  readonly nillable: boolean;
  /** Empty when there is none. */
  readonly documentation: string;
  readonly place: Place;
}

export type Type = SimpleType | EnumerationType | RecordType | ListType | ForeignType;

export const simpleTypeNames = ['string', 'boolean', 'short', 'int', 'long'] as const;
export type SimpleTypeName = (typeof simpleTypeNames)[number];

export interface SimpleType {
  readonly kind: 'simple';
  readonly name: SimpleTypeName;
}

/** One of these strings. */
export interface EnumerationType {
  readonly kind: 'enumeration';
  readonly values: readonly string[];
}

/** Elements side by side. */
export interface RecordType {
  readonly kind: 'record';
  /** Undefined for an inline type. */
  readonly name: string | undefined;
  readonly fields: readonly ModelField[];
  readonly features: readonly Feature[];
  readonly place: Place;
}

/** A parent element that holds nothing but repeated children, such as ArrayOfLong. */
export interface ListType {
  readonly kind: 'list';
  /** Undefined for an inline type. */
  readonly name: string | undefined;
  readonly item: ModelField;
}

/** A type that the client does not know. */
export interface ForeignType {
  readonly kind: 'foreign';
  /** In words: equal names mean the same type. */
  readonly name: string;
}

/** Something beyond elements that a message carries or an operation asks for, such as a SOAP header. */
export interface Feature {
  readonly name: string;
  /** Whether a client that does not follow it has its requests refused, or misreads the answers. */
  readonly requests: boolean;
  readonly answers: boolean;
}
