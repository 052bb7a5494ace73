import type { SaxesTagNS } from 'saxes';
import type { Masker } from '../../internal/mask';
import type { ResponseObject } from '../../soap/element';
import { escapeAttribute, escapeText } from '../../xml/escape';
import { toWellFormed } from '../../xml/references';

/** The code as the service wrote it with its prefix, the reason, and the XML inside the detail element. */
type Parts = { readonly code: string; readonly reason: string; readonly detail: string };
type Part = keyof Parts;

/** The service responded with a fault. The parts hold no API key. */
export class SoapFault extends Error {
  /** @param response the response that was read before the fault. Undefined as a rule */
  constructor(
    readonly parts: Parts,
    readonly response: ResponseObject | undefined,
  ) {
    super(parts.reason);
  }
}

/**
 * The parts of a fault by the local names of their elements, in the form of SOAP 1.1 and in that of SOAP 1.2. Services
 * mix the two forms, and qualify the names of 1.1 or do not.
 */
const PARTS: Readonly<Record<string, Part>> = {
  'Fault/faultcode': 'code',
  'Fault/Code/Value': 'code',
  'Fault/faultstring': 'reason',
  'Fault/Reason/Text': 'reason',
  'Fault/detail': 'detail',
  'Fault/Detail': 'detail',
};

/** The limit for a part, in characters. A larger part is cut off there. */
const MAX_PART = 1_000_000;

/** Reads the parts of a fault while its elements arrive. Of equal parts the first one counts, or the English reason. */
export class FaultReader {
  readonly #texts = new Map<Part, string>();
  /** The local names of the open elements, from the Fault. */
  readonly #path: string[] = [];
  /** The part that is open. */
  #part: Part | undefined;
  #hasEnglish = false;
  /** The end of a start tag in the detail. It is written with what follows, since an empty element has another end. */
  #tagEnd = '';

  open({ name, local, attributes }: SaxesTagNS): void {
    const all = Object.values(attributes);
    this.#path.push(local);
    if (this.#part === 'detail') {
      this.#add(`<${name}${all.map(({ name, value }) => ` ${name}="${escapeAttribute(value)}"`).join('')}`);
      this.#tagEnd = '>';
    } else if (!this.#part) {
      const part = PARTS[this.#path.join('/')];
      const isEnglish = all.some(({ name, value }) => name === 'xml:lang' && /^en(?:-|$)/i.test(value));
      if (!part || (this.#texts.has(part) && (this.#hasEnglish || !isEnglish))) return;
      this.#part = part;
      this.#texts.set(part, '');
      this.#hasEnglish ||= isEnglish;
    }
  }

  text(text: string): void {
    this.#add(this.#part === 'detail' ? escapeText(text) : text);
  }

  close({ name }: SaxesTagNS): void {
    const isEmpty = this.#tagEnd !== '';
    this.#tagEnd = '';
    if (PARTS[this.#path.join('/')]) this.#part = undefined;
    else if (this.#part === 'detail') this.#add(isEmpty ? ' />' : `</${name}>`);
    this.#path.pop();
  }

  end({ mask, maskTruncated }: Masker, response: ResponseObject | undefined): SoapFault {
    const textOf = (part: Part): string => {
      const text = toWellFormed(this.#texts.get(part) ?? '');
      // A text that was cut off may end in half a key, which the mask does not find.
      return text.length < MAX_PART ? mask(text) : maskTruncated(text);
    };
    const parts = { code: textOf('code').trim(), reason: textOf('reason'), detail: textOf('detail') };
    return new SoapFault(parts, response);
  }

  #add(text: string): void {
    const before = this.#part && this.#texts.get(this.#part);
    if (!this.#part || before === undefined || before.length === MAX_PART) return;
    this.#texts.set(this.#part, (before + this.#tagEnd + text).slice(0, MAX_PART));
    this.#tagEnd = '';
  }
}
