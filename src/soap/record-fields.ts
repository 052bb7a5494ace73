import { type RecordName, records } from '../../generated/operations';
import type { Element, RecordElement } from './element';

/** Returns the elements of a record, in the contract's order. */
export function fieldsOf({ record }: RecordElement): readonly Element[] {
  // The generator writes each record that an element names.
  return records[record as RecordName];
}
