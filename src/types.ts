import type { ClientElement } from '../generated/operations';
import type { MethodTypes } from '../generated/v1/methods';
import type { V1Soap } from '../generated/v1/ports/V1Soap';

/** The ten operations, by the contract's names (section 4, operation table). */
export type OperationName = keyof V1Soap;

/** `1.1` posts text/xml with a SOAPAction header, `1.2` posts application/soap+xml without one (section 4, rules 3 and 4). */
export type SoapVersion = '1.1' | '1.2';

/** The typed stub's request of an operation: every element, lists wrapped as on the wire. */
export type StubRequest<O extends OperationName> = MethodTypes[`${O}Async`]['request'];
/** The typed stub's response of an operation: result, status and statusmessage. */
export type StubResponse<O extends OperationName> = MethodTypes[`${O}Async`]['response'];

/** The elements of a request that its caller fills. */
export type FieldName<O extends OperationName = OperationName> = O extends OperationName
  ? Exclude<keyof StubRequest<O>, ClientElement> & string
  : never;

/** The items of one of the stubs' list types, which hold nothing but an array; never for any other type. */
type ItemOf<T> = T extends object ? (T[keyof T] extends readonly (infer Item)[] ? Item : never) : never;
/** What a caller gives for an element: a plain array for a list, a safe integer where a bigint may stand. */
type Given<T> = [ItemOf<T>] extends [never] ? (T extends bigint ? bigint | number : T) : readonly Given<ItemOf<T>>[];
/** Null leaves an element out, or is xsi:nil; the types allow it where the WSDL does. */
type FieldValue<T> = Given<Exclude<T, undefined>> | (undefined extends T ? null : never);
// From here on, fields are mapped over the keys of the type before, since an editor then shows the documentation of the element.
type Fields<O extends OperationName> = {
  [K in keyof StubRequest<O> as Extract<K, FieldName<O>>]-?: FieldValue<StubRequest<O>[K]>;
};

/** Values for elements that a request leaves out, by element name. A default serves each operation whose element has its type. */
export type RequestDefaults = {
  readonly [K in FieldName]?: { [O in OperationName]: K extends keyof Fields<O> ? Fields<O>[K] : never }[OperationName];
} & StatusElements;

/** The request's own status and statusmessage, whose meaning the contract does not show (section 4, rule 12). */
interface StatusElements {
  /** xsd:int; 0 when neither the request nor `defaults` has it. */
  readonly status?: number;
  /** xsd:string; empty when neither the request nor `defaults` has it. */
  readonly statusmessage?: string | null;
}

/** The fields for which `defaults` may hold a value of the field's type. */
type Defaulted<O extends OperationName, D> = {
  [K in keyof Fields<O>]: K extends keyof D ? ([Extract<D[K], Fields<O>[K]>] extends [never] ? never : K) : never;
}[keyof Fields<O>];
type Flat<T> = { [K in keyof T]: T[K] };

/** The request of an operation: each field of the contract, optional where the client's `defaults` (D) have it. */
export type MessagingRequest<O extends OperationName, D = unknown> = Flat<
  { readonly [K in keyof Fields<O> as Exclude<K, Defaulted<O, D>>]: Fields<O>[K] } & {
    readonly [K in keyof Fields<O> as Extract<K, Defaulted<O, D>>]?: Fields<O>[K] | undefined;
  } & StatusElements
>;

type StubResult<O extends OperationName> = StubResponse<O>[keyof StubResponse<O> & `${O}Result`];
/** The plain result of an operation: an array for a list, a bigint for a single long; undefined where the WSDL allows none. */
export type MessagingResult<O extends OperationName> = [ItemOf<Exclude<StubResult<O>, undefined>>] extends [never]
  ? StubResult<O>
  : ItemOf<Exclude<StubResult<O>, undefined>>[];

/** The operations whose result is a list of records. */
export type RecordOperation = {
  [O in OperationName]: MessagingResult<O> extends (infer Item)[] ? (Item extends object ? O : never) : never;
}[OperationName];
/** The record that an operation lists: ApiSelect or ApiReceive. */
export type MessagingRecord<O extends RecordOperation> = MessagingResult<O> extends (infer Item)[] ? Item : never;

/** The three parts of every response (section 4, rule 7). */
export interface MessagingResponse<O extends OperationName> {
  /** A list is never absent; a single long is undefined when the service refused and sent none. */
  readonly result: MessagingResult<O> | (MessagingResult<O> extends readonly unknown[] ? never : undefined);
  readonly status: number;
  /** Empty when the service sent none. */
  readonly statusmessage: string;
}
