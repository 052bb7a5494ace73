import type { XmlElement } from './xml-tree';

/** The range of the number of times that an element may occur. */
export interface Occurs {
  readonly min: number;
  readonly max: number;
}

/** Reads minOccurs and maxOccurs, which are 1 by default. Undefined when they are not a range of numbers. */
export function readOccurs({ attributes }: XmlElement): Occurs | undefined {
  const min = numberOf(attributes.get('minOccurs'));
  const max =
    attributes.get('maxOccurs')?.trim() === 'unbounded'
      ? Number.POSITIVE_INFINITY
      : numberOf(attributes.get('maxOccurs'));
  return min <= max ? { min, max } : undefined;
}

function numberOf(text = '1'): number {
  return /^\s*\+?\d+\s*$/.test(text) ? Number(text) : Number.NaN;
}
