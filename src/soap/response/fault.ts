import type { Masker } from '../../internal/mask';
import { escapeAttribute, escapeText } from '../../xml/escape';

/** The service responded with a fault. The parts hold no API key. */
export class SoapFault extends Error {
  constructor(
    /** The code as the service wrote it, with its prefix. */
    readonly code: string,
    readonly reason: string,
    /** The XML inside the detail element. */
    readonly detail: string,
  ) {
    super(reason);
  }
}

/** An element of a fault. Faults are small and rare, so they are kept as a tree. */
export interface FaultElement {
  readonly name: string;
  readonly local: string;
  readonly attributes: readonly { readonly name: string; readonly value: string }[];
  readonly children: (FaultElement | string)[];
  /** True when the end of its text was cut off. */
  isCut?: true;
}

/**
 * Reads code, reason and detail of a fault in the form of SOAP 1.1 (faultcode, faultstring, detail) or of SOAP 1.2
 * (Code/Value, Reason/Text, Detail). It looks at local names only: services mix the two forms, and qualify the names of
 * 1.1 or do not.
 */
export function readFault(fault: FaultElement, { mask, maskTruncated }: Masker): SoapFault {
  // A text that was cut off may end in half a key, which the mask does not find.
  const masked = (text: string, element: FaultElement | undefined) => (element?.isCut ? maskTruncated : mask)(text);
  const code = find(fault, 'faultcode') ?? find(find(fault, 'Code'), 'Value');
  const reason = find(fault, 'faultstring') ?? findReason(find(fault, 'Reason'));
  const detail = find(fault, 'detail') ?? find(fault, 'Detail');
  return new SoapFault(
    masked(textOf(code), code).trim(),
    masked(textOf(reason), reason),
    masked(detail ? detail.children.map(write).join('') : '', detail),
  );
}

function find(parent: FaultElement | undefined, local: string): FaultElement | undefined {
  return parent && elements(parent).find((child) => child.local === local);
}

function elements(parent: FaultElement): FaultElement[] {
  return parent.children.filter((child) => typeof child !== 'string');
}

/** Finds the English reason when there are several, else the first one. */
function findReason(reason: FaultElement | undefined): FaultElement | undefined {
  const texts = reason ? elements(reason).filter((child) => child.local === 'Text') : [];
  const english = texts.find(({ attributes }) =>
    attributes.some(({ name, value }) => name === 'xml:lang' && /^en(?:-|$)/i.test(value)),
  );
  return english ?? texts[0];
}

function textOf(node: FaultElement | string | undefined): string {
  if (node === undefined || typeof node === 'string') return node ?? '';
  return node.children.map(textOf).join('');
}

function write(node: FaultElement | string): string {
  if (typeof node === 'string') return escapeText(node);
  const attributes = node.attributes.map(({ name, value }) => ` ${name}="${escapeAttribute(value)}"`).join('');
  const content = node.children.map(write).join('');
  // The text must end where it was cut off, because the mask looks at its end.
  if (node.isCut) return `<${node.name}${attributes}>${content}`;
  return content ? `<${node.name}${attributes}>${content}</${node.name}>` : `<${node.name}${attributes} />`;
}
