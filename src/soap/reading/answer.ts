/** What an envelope holds. */
export type Answer = { readonly response: StubShaped } | { readonly fault: Fault };

/** A response as the typed stubs describe it: result, status and statusmessage, lists wrapped as on the wire. */
export type StubShaped = Record<string, unknown>;

export interface Fault {
  readonly code: string;
  readonly reason: string;
  /** The XML inside the detail element. */
  readonly detail: string;
}

/** The bytes are not the promised envelope. The message says what is wrong, and in which element. */
export class ReadError extends Error {}

/** A value of a response for an error message: at most 40 characters. */
export function quoteValue(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
