import { abbreviate } from '../../internal/strings';

/** What an envelope holds. */
export type EnvelopeContent = { readonly response: ResponseObject } | { readonly fault: Fault };

/** A response as the typed stubs describe it: result, status and statusmessage, lists wrapped as on the wire. */
export type ResponseObject = Record<string, unknown>;

export interface Fault {
  readonly code: string;
  readonly reason: string;
  /** The XML inside the detail element. */
  readonly detail: string;
  /** The part whose end was cut off, because the fault is too large. */
  readonly cut: 'code' | 'reason' | 'detail' | undefined;
}

/**
 * The bytes are not the promised envelope. The message says what is wrong, and in which element. What it quotes of the answer is
 * masked before it is truncated, because half an API key would pass the mask.
 */
export class ReadError extends Error {
  readonly #explain: Explain;

  constructor(explain: string | Explain) {
    const explanation = typeof explain === 'string' ? () => explain : explain;
    super(explanation(quote, shorten));
    this.#explain = explanation;
  }

  toMessage(mask: (text: string) => string): string {
    return this.#explain(
      (text) => quote(mask(text)),
      (text) => shorten(mask(text)),
    );
  }
}

/** Says what is wrong. What comes from the answer goes through one of the two functions. */
export type Explain = (quote: (text: string) => string, shorten: (text: string) => string) => string;

/** The name of an encoding when it looks like one. Anything else could be a part of a key, which the mask does not know. */
export function quoteLabel(label: string, quote: (text: string) => string): string {
  return /^[\w.-]{1,20}$/.test(label) ? quote(label) : 'that the answer declares';
}

/** At most 40 characters, in quotes. */
function quote(text: string): string {
  return JSON.stringify(abbreviate(text, 40));
}

function shorten(text: string): string {
  return abbreviate(text, 100);
}
