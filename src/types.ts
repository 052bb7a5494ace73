import type { ClientElement, OmittableElements, OperationName } from '../generated/operations';
import type { v1Soap } from '../generated/v1/ports/v1Soap';

export type { OperationName } from '../generated/operations';

/** `1.1` posts text/xml with a SOAPAction header. `1.2` posts application/soap+xml without this header. */
export type SoapVersion = '1.1' | '1.2';

// The types come from the generated port and not from the generated client, which imports node-soap's types.

/** The request of the typed stub: every element, with lists wrapped as on the wire. */
export type StubRequest<O extends OperationName> = Parameters<v1Soap[O]>[0];
/** The response of the typed stub: result, status and statusmessage. */
export type StubResponse<O extends OperationName> = Parameters<Parameters<v1Soap[O]>[1]>[1];

// An editor shows what a helper type is computed to and not its name, because each helper is a conditional type. It
// shows the documentation of each element, because fields are mapped over the keys of the stub's type.

/** The items of a list of the stub, which is an object that holds nothing but an array; never for any other type. */
type ItemOf<T> = T extends object ? (T[keyof T] extends readonly (infer Item)[] ? Item : never) : never;

/** A value as a caller gives it: a plain array for a list, and a safe integer in place of a bigint. */
type Given<T> = [ItemOf<T>] extends [never] ? (T extends bigint ? bigint | number : T) : readonly Given<ItemOf<T>>[];

/** A field as a caller gives it. Null leaves the element out, where the WSDL allows this, or writes xsi:nil. */
type FieldValue<T> = undefined extends T ? Given<Exclude<T, undefined>> | null : Given<T>;

/** The names of the fields of a request. */
type FieldName<O extends OperationName = OperationName> = O extends OperationName
  ? Exclude<keyof StubRequest<O>, ClientElement> & string
  : never;

/** The fields of a request, each with its type. */
type Fields<O extends OperationName> = {
  readonly [K in keyof StubRequest<O> as Extract<K, FieldName<O>>]-?: FieldValue<StubRequest<O>[K]>;
};

/** The status and statusmessage of a request. The contract does not define what they mean in a request. */
interface StatusElements {
  /** xsd:int. Default 0. */
  readonly status?: number;
  /** xsd:string. Default empty. */
  readonly statusmessage?: string | null;
}

type FieldDefaults = {
  readonly [K in FieldName]?: { [O in OperationName]: K extends keyof Fields<O> ? Fields<O>[K] : never }[OperationName];
};

/**
 * Values for elements that a request leaves out, by element name. A default serves each operation whose element has its
 * type.
 *
 * @example
 * const defaults: RequestDefaults = { unixdate: 0n, msgmode: 1 };
 */
export interface RequestDefaults extends FieldDefaults, StatusElements {}

/** The fields of which the type of `defaults` promises a value. A type without names, such as a record, has none. */
type Defaulted<O extends OperationName, D> = {
  [K in keyof Fields<O>]: string extends keyof D
    ? never
    : K extends keyof D
      ? undefined extends D[K]
        ? never
        : [D[K]] extends [Fields<O>[K]]
          ? K
          : never
      : never;
}[keyof Fields<O>];

/** The fields that a call may leave out: those of `defaults`, and those that the WSDL marks so. */
type Omittable<O extends OperationName, D> = Extract<
  Defaulted<O, D> | OmittableElements[keyof OmittableElements & O],
  keyof Fields<O>
>;

type Optional<T> = { [K in keyof T]?: T[K] | undefined };

/** One object type in place of an intersection. */
type Flat<T> = T extends infer Whole ? { [K in keyof Whole]: Whole[K] } : never;

/**
 * The request of an operation: each field of the contract. A field is optional where the client's `defaults`, of type
 * `D`, have it, and where the WSDL marks it so. Of several operations, it is the request of one of them.
 *
 * @example
 * const request: MessagingRequest<'SelectlatestByApikey'> = { pagesize: 10 };
 */
export type MessagingRequest<O extends OperationName, D = unknown> = O extends OperationName
  ? Flat<Omit<Fields<O>, Omittable<O, D>> & Optional<Pick<Fields<O>, Omittable<O, D>>> & StatusElements>
  : unknown;

/** A request that is right for each of the operations. For one operation it is its request. */
export type RequestOfAll<O extends OperationName, D> = (
  O extends OperationName
    ? (request: MessagingRequest<O, D>) => void
    : never
) extends (request: infer Request) => void
  ? Request
  : never;

type StubResult<O extends OperationName> = StubResponse<O>[keyof StubResponse<O> & `${O}Result`];

/**
 * The plain result of an operation: an array for a list, a bigint for a single long; undefined where the WSDL allows
 * the service to send no result.
 *
 * @example
 * let credit: MessagingResult<'RemainCreditByApiKey'>;  // bigint
 */
export type MessagingResult<O extends OperationName> = [ItemOf<Exclude<StubResult<O>, undefined>>] extends [never]
  ? StubResult<O>
  : ItemOf<Exclude<StubResult<O>, undefined>>[];

/** The operations whose result is a list of records. */
export type RecordOperation = {
  [O in OperationName]: MessagingResult<O> extends (infer Item)[] ? (Item extends object ? O : never) : never;
}[OperationName];

/** The record that an operation lists: ApiSelect or ApiReceive. */
export type MessagingRecord<O extends RecordOperation> = MessagingResult<O> extends (infer Item)[] ? Item : never;

/**
 * The response of an operation, as `call` resolves with it.
 *
 * @example
 * const { result, status, statusmessage } = await client.call('RemainCreditByApiKey', {});
 */
export interface MessagingResponse<O extends OperationName> {
  /** The plain result. A list is never absent; a single long is undefined when the service refused and sent none. */
  readonly result: MessagingResult<O> | (MessagingResult<O> extends readonly unknown[] ? never : undefined);
  /** The status. The contract does not define the values. */
  readonly status: number;
  /** The statusmessage; empty when the service sent none. */
  readonly statusmessage: string;
}
