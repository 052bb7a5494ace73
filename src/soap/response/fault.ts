import { escapeAttribute, escapeText } from '../../xml/escape';
import type { Fault } from './answer';

/** An element of a fault. Faults are small and rare, so they are kept as a tree. */
export interface FaultElement {
  readonly name: string;
  readonly local: string;
  readonly attributes: readonly { readonly name: string; readonly value: string }[];
  readonly children: (FaultElement | string)[];
  /** Whether the end of its text was cut off. */
  cut?: true;
}

/**
 * Code, reason and detail of a fault in 1.1 form (faultcode, faultstring, detail) or in 1.2 form (Code/Value, Reason/Text,
 * Detail). Only local names are looked at: services mix the two, and qualify the 1.1 names or not.
 */
export function readFault(fault: FaultElement): Fault {
  const code = find(fault, 'faultcode') ?? find(find(fault, 'Code'), 'Value');
  const reason = find(fault, 'faultstring') ?? findReason(find(fault, 'Reason'));
  const detail = find(fault, 'detail') ?? find(fault, 'Detail');
  const parts = { code, reason, detail };
  return {
    code: text(code).trim(),
    reason: text(reason),
    detail: detail ? detail.children.map(write).join('') : '',
    cut: (['code', 'reason', 'detail'] as const).find((part) => parts[part]?.cut),
  };
}

function find(parent: FaultElement | undefined, local: string): FaultElement | undefined {
  return parent && elements(parent).find((child) => child.local === local);
}

function elements(parent: FaultElement): FaultElement[] {
  return parent.children.filter((child) => typeof child !== 'string');
}

/** The English reason when there are several, else the first. */
function findReason(reason: FaultElement | undefined): FaultElement | undefined {
  const texts = reason ? elements(reason).filter((child) => child.local === 'Text') : [];
  const english = texts.find(({ attributes }) =>
    attributes.some(({ name, value }) => name === 'xml:lang' && /^en(?:-|$)/i.test(value)),
  );
  return english ?? texts[0];
}

function text(element: FaultElement | string | undefined): string {
  if (element === undefined || typeof element === 'string') return element ?? '';
  return element.children.map(text).join('');
}

function write(node: FaultElement | string): string {
  if (typeof node === 'string') return escapeText(node);
  const attributes = node.attributes.map(({ name, value }) => ` ${name}="${escapeAttribute(value)}"`).join('');
  const content = node.children.map(write).join('');
  // The text must end where it was cut off, for the mask to know.
  if (node.cut) return `<${node.name}${attributes}>${content}`;
  return content ? `<${node.name}${attributes}>${content}</${node.name}>` : `<${node.name}${attributes} />`;
}
