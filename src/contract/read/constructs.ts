import type { ContractProblems, ProblemKind } from '../model/problems';
import { keyOf, type QName, readName } from './wsdl-names';
import type { XmlElement } from './xml-tree';

/** Named constructs of one kind. Only a construct that something refers to can make the file unreadable. */
export class Constructs<T> {
  readonly #kind: string;
  readonly #problems: ContractProblems;
  readonly #byName = new Map<string, T>();
  readonly #repeated = new Map<string, XmlElement>();

  constructor(kind: string, problems: ContractProblems) {
    this.#kind = kind;
    this.#problems = problems;
  }

  add(uri: string, element: XmlElement, construct: T): void {
    const local = readName(element, this.#problems, 'refused');
    if (local === undefined) return;
    const name = { uri, local };
    if (this.#byName.has(keyOf(name))) {
      this.#repeated.set(keyOf(name), element);
      this.#reportRepetition('refused', name);
    } else {
      this.#byName.set(keyOf(name), construct);
    }
  }

  all(): T[] {
    return [...this.#byName.values()];
  }

  get(name: QName): T | undefined {
    this.#reportRepetition('broken', name);
    return this.#byName.get(keyOf(name));
  }

  /** Gets a construct, and reports a missing one at the place that refers to it. */
  find(name: QName, from: XmlElement, kind: ProblemKind = 'broken'): T | undefined {
    const found = this.get(name);
    if (found === undefined) {
      const where = name.uri === '' ? 'outside every namespace' : `in namespace ${name.uri}`;
      const text = `${this.#kind} ${name.local} is not defined ${where}: define it or correct the name`;
      this.#problems.add(kind, from, text);
    }
    return found;
  }

  #reportRepetition(kind: 'broken' | 'refused', name: QName): void {
    const element = this.#repeated.get(keyOf(name));
    if (element) this.#problems.add(kind, element, `${this.#kind} ${name.local} is defined twice: remove one of them`);
  }
}
