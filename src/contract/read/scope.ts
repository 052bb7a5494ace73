import type { Extension, Place, UnsupportedType } from '../model/model';
import type { ContractProblems } from '../model/problems';
import { ExtensionCollector } from './extensions';

type Container = 'message' | 'list' | 'record';

/** The place of elements in a message, which collects their extensions. */
export class Scope extends ExtensionCollector {
  /**
   * @param container the fields of a record are plain values, and the items of a list are not lists
   * @param path the names of the elements, from the request or the response
   * @param namespace the namespace that the elements must have
   */
  constructor(
    problems: ContractProblems,
    readonly container: Container,
    readonly path: string,
    readonly namespace: string,
    extensions?: Extension[],
  ) {
    super(problems, `element ${path}`, extensions);
  }

  /** Gives the scope of an element, with the same extensions. */
  child(name: string): Scope {
    return new Scope(this.problems, this.container, `${this.path}/${name}`, this.namespace, this.extensions);
  }

  /** Gives the scope of a type, with extensions of its own. */
  own(container: Container): Scope {
    return new Scope(this.problems, container, this.path, this.namespace);
  }

  /** Reports a type that the client cannot write or read. */
  refuseType(place: Place, name: string, advice: string): UnsupportedType {
    this.problems.add('refused', place, `${this.label}: ${name} is not supported: ${advice}`, name);
    return { kind: 'unsupported', name };
  }
}
