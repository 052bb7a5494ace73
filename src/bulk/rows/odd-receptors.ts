import { readReceptor } from '../../messages/receptor';

const MAX_ODD = 10;

/** The number of receptors that look wrong for one reason, and the first ten. */
export interface OddReceptors {
  count: number;
  readonly first: { readonly row: number; readonly receptor: string }[];
}

function addOdd(odd: OddReceptors, row: number, receptor: string): void {
  odd.count += 1;
  if (odd.count <= MAX_ODD) odd.first.push({ row, receptor });
}

/** The part of the rows that have the usual number of digits where another number looks wrong. */
const NEARLY_ALL = 0.9;

/** Receptors with the same number of digits, with or without a zero at their beginning. */
interface Form extends OddReceptors {
  readonly digits: number;
  readonly hasZero: boolean;
}

/** Finds receptors that look wrong, and those that a spreadsheet program may have changed, by comparing them. */
export class ReceptorForms {
  /** The receptors that are not written as 3 to 15 ASCII digits with at most one leading plus sign. */
  readonly notPlain: OddReceptors = { count: 0, first: [] };
  readonly #forms = new Map<string, Form>();
  #count = 0;

  add(row: number, receptor: string): void {
    const reading = readReceptor(receptor);
    if (reading.kind !== 'one' || !reading.isPlain) addOdd(this.notPlain, row, receptor);
    const number = reading.kind === 'one' ? reading.number : receptor;
    const digits = number.length - (number.startsWith('+') ? 1 : 0);
    const hasZero = number.startsWith('0');
    const key = `${digits} ${hasZero}`;
    const form = this.#forms.get(key) ?? { digits, hasZero, count: 0, first: [] };
    this.#forms.set(key, form);
    addOdd(form, row, receptor);
    this.#count += 1;
  }

  /** Finds the receptors with another number of digits than nearly all, or without the zero that most begin with. */
  findOthers(): OddReceptors {
    const forms = [...this.#forms.values()].sort((one, other) => other.count - one.count);
    const [usual] = forms;
    if (usual === undefined) return { count: 0, first: [] };
    const sameDigits = forms.filter(({ digits }) => digits === usual.digits);
    const isNearlyAll = countOf(sameDigits) >= NEARLY_ALL * this.#count;
    const others = forms.filter(({ digits, hasZero }) => {
      const lacksZero = usual.hasZero && !hasZero && digits === usual.digits - 1;
      return digits !== usual.digits && (isNearlyAll || (lacksZero && usual.count > this.#count / 2));
    });
    const first = others.flatMap((form) => form.first).sort((one, other) => one.row - other.row);
    return { count: countOf(others), first: first.slice(0, MAX_ODD) };
  }
}

function countOf(forms: readonly OddReceptors[]): number {
  return forms.reduce((sum, { count }) => sum + count, 0);
}
