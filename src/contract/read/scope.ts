import { BOTH_SIDES, type Extension, type UnsupportedType, type WireSide } from '../model/model';
import { isTrue, WSDL_NAMESPACE } from './wsdl-names';
import type { XmlElement } from './xml-tree';

/** Collects the extensions of one part of a contract, and reports each of them as a problem. */
export class Scope {
  readonly extensions: Extension[] = [];

  /**
   * @param path the names of the elements, from the request or the response; empty for a part that is no element
   * @param container the fields of a record are plain values, and the items of a list are not lists
   */
  constructor(
    readonly path = '',
    readonly container: 'message' | 'list' | 'record' = 'message',
  ) {}

  /** Returns the scope of an element in this one. */
  child(name: string): Scope {
    return new Scope(`${this.path}/${name}`, this.container);
  }

  /** Returns the scope of the type of this element. */
  inside(container: 'list' | 'record'): Scope {
    return new Scope(this.path, container);
  }

  /** @param mayBreak the sides that it may break; none for what a client may ignore. Default both */
  add(place: XmlElement, name: string, advice: string, mayBreak: readonly WireSide[] = BOTH_SIDES): void {
    this.refuse(place, name, advice);
    this.extensions.push({ name, mayBreak });
  }

  /** Reports a construct that the client does not know. */
  refuse(place: XmlElement, name: string, advice: string): void {
    const label = this.path && `element ${this.path}: `;
    place.report('refused', `${label}${name} is not supported: ${advice}`, name);
  }

  /** Reports a type that the client cannot write or read. */
  refuseType(place: XmlElement, name: string, advice: string): UnsupportedType {
    this.refuse(place, name, advice);
    return { kind: 'unsupported', name };
  }

  /**
   * Adds the policies of a construct of WSDL, and its elements that are neither WSDL nor SOAP.
   *
   * @param soap the namespace of the SOAP extensions that the construct may have
   */
  addFrom(construct: XmlElement, soap?: string): void {
    for (const child of construct.children) {
      if (child.uri === WSDL_NAMESPACE || child.uri === soap) continue;
      const required = child.qualifiedAttributes.get(`{${WSDL_NAMESPACE}}required`);
      // WSDL's default is false, but a policy is to be followed unless the file says otherwise.
      const isPolicy = required === undefined && /^Policy(Reference)?$/.test(child.local);
      this.add(child, `${child.local} ({${child.uri}})`, REMOVE, isPolicy || isTrue(required) ? BOTH_SIDES : []);
    }
    for (const name of construct.qualifiedAttributes.keys()) {
      if (name.endsWith('}PolicyURIs')) this.add(construct, `attribute ${name}`, REMOVE);
    }
  }
}

const REMOVE = 'remove it if the service works without it';
