import type { SaxesTagNS } from 'saxes';
import { operations } from '../../../generated/operations';
import { type ContentType, parseContentType } from '../../internal/content-type';
import type { Element, ListElement } from '../../soap/element';
import { soapVersions } from '../../soap/versions';
import type { OperationName, SoapVersion } from '../../types';
import { XSI_NAMESPACE } from '../../xml/namespaces';
import { faultRejection } from './rejection';

/**
 * The rules of the contract that an ASMX service does not check: the headers match the envelope and the body, the body
 * holds one operation element, and this element holds each of its elements once and in order. Nothing else is allowed.
 * The rules do not look at prefixes, at an `action` parameter that names the operation, nor at unused declarations of
 * namespaces: none of them changes the meaning of a request, and the libraries of other languages write them in their
 * own way.
 */
export class StrictRules {
  readonly #namespace: string;
  readonly #soapAction: string | undefined;
  readonly #contentType: ContentType;
  #version: SoapVersion;
  #operation: OperationName | undefined;
  #sawHeader = false;
  readonly #seen = new Set<string>();

  constructor(
    namespace: string,
    soapAction: string | undefined,
    contentType: ContentType,
    mediaTypeVersion: SoapVersion,
  ) {
    this.#namespace = namespace;
    this.#soapAction = soapAction;
    this.#contentType = contentType;
    this.#version = mediaTypeVersion;
  }

  openEnvelope(version: SoapVersion): void {
    this.#version = version;
    const { mediaType, parameters } = this.#contentType;
    const wanted = parseContentType(soapVersions[version].contentType);
    if (mediaType !== wanted.mediaType) {
      this.#refuse(
        `the envelope is SOAP ${version}, but the Content-Type is ${mediaType} instead of ${wanted.mediaType}`,
      );
    }
    const charset = parameters.get('charset');
    if (charset?.toLowerCase() !== wanted.parameters.get('charset')) {
      this.#refuse(
        `the Content-Type says ${charset === undefined ? 'no charset' : `charset ${charset}`} instead of utf-8`,
      );
    }
    if (version === '1.1' && this.#soapAction === undefined) this.#refuse('the SOAPAction header is missing');
    if (version === '1.2' && this.#soapAction !== undefined) this.#refuse('SOAP 1.2 has no SOAPAction header');
    if (version === '1.1' && !/^".*"$/.test(this.#soapAction ?? '')) {
      this.#refuse(`the SOAPAction header ${this.#soapAction} is not a quoted string`);
    }
  }

  openHeader(tag: SaxesTagNS): void {
    if (this.#sawHeader) this.refusePart(tag);
    this.#sawHeader = true;
  }

  refusePart(tag: SaxesTagNS): void {
    this.#refuse(`the envelope holds ${nameOf(tag)} besides one Header and, after it, one Body`);
  }

  refuseHeader(tag: SaxesTagNS): void {
    this.#refuse(`the envelope has the header ${nameOf(tag)}, but the contract has no headers`);
  }

  openOperation(tag: SaxesTagNS, routed: OperationName): void {
    if (this.#operation !== undefined) this.#refuse(`the body holds ${nameOf(tag)} besides ${this.#operation}`);
    if (tag.uri !== this.#namespace || !Object.hasOwn(operations, tag.local)) {
      this.#refuse(`the body holds ${nameOf(tag)}, which is not an operation in namespace ${this.#namespace}`);
    }
    if (tag.local !== routed) {
      const where = this.#version === '1.1' ? 'the SOAPAction header' : 'the action parameter';
      this.#refuse(`${where} names ${routed}, but the body holds ${tag.local}`);
    }
    const action = this.#version === '1.2' ? this.#contentType.parameters.get('action') : undefined;
    if (action !== undefined && action !== `${this.#namespace}${routed}`) {
      this.#refuse(`the action parameter ${action} is not ${this.#namespace}${routed}`);
    }
    this.#operation = routed;
    this.#checkAttributes(tag);
  }

  openField(tag: SaxesTagNS, element: Element | undefined, isNil: boolean): void {
    if (element === undefined) this.#refuse(`${nameOf(tag)} is not an element of the request`);
    if (this.#seen.has(element.name)) this.#refuse(`${element.name} occurs twice`);
    if (isNil && !element.nillable) this.#refuse(`${element.name} is nil, which the WSDL does not allow`);
    this.#checkAttributes(tag);
    this.#seen.add(element.name);
  }

  openItem(tag: SaxesTagNS, { name, item }: ListElement): void {
    if (tag.uri !== this.#namespace || tag.local !== item.name) {
      this.#refuse(`${name} holds ${nameOf(tag)}, but its items are ${item.name}`);
    }
    this.#checkAttributes(tag);
  }

  /** Refuses text between elements. @param list the list that is being read, if any */
  refuseText(text: string, list: ListElement | undefined): void {
    if (text.trim() === '') return;
    const where = list?.name ?? 'the envelope';
    this.#refuse(`${where} holds the text ${JSON.stringify(text.trim().slice(0, 40))} between its elements`);
  }

  /** Requires every element, in order. Repeated and unknown elements were refused when they were opened. */
  closeOperation(): void {
    const names = operations[this.#operation as OperationName].request.map(({ name }) => name);
    const missing = names.find((name) => !this.#seen.has(name));
    if (missing !== undefined) this.#refuse(`${missing} is missing`);
    const seen = [...this.#seen];
    const wrong = seen.findIndex((name, index) => name !== names[index]);
    if (wrong >= 0) this.#refuse(`${seen[wrong]} is in the place of ${names[wrong]}`);
  }

  finish(): void {
    if (this.#operation === undefined) this.#refuse('the body holds no operation');
  }

  /** The contract has no attributes, but XML Schema allows its own on every element. */
  #checkAttributes({ local, attributes }: SaxesTagNS): void {
    for (const name in attributes) {
      const uri = attributes[name]?.uri;
      if (uri !== XSI_NAMESPACE && uri !== XMLNS_NAMESPACE) {
        this.#refuse(`${local} has the attribute ${name}, but the contract has no attributes`);
      }
    }
  }

  #refuse(what: string): never {
    const operation = this.#operation === undefined ? '' : `${this.#operation}: `;
    throw faultRejection(this.#version, { code: 'Client', reason: `${operation}${what}.` });
  }
}

/** The namespace of declarations of namespaces. */
const XMLNS_NAMESPACE = 'http://www.w3.org/2000/xmlns/';

function nameOf({ local, uri }: SaxesTagNS): string {
  return uri === '' ? `${local} (no namespace)` : `${local} (namespace ${uri})`;
}
