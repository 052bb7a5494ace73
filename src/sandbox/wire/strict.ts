import type { SaxesTagNS } from 'saxes';
import { type Field, operations } from '../../../generated/operations';
import { versions } from '../../soap/versions';
import type { OperationName, SoapVersion } from '../../types';
import { type ContentType, parseContentType } from '../../xml/content-type';
import { faultRejection } from './rejection';

/**
 * What an ASMX service does not check and the contract asks for (section 4): headers that fit the envelope and the body,
 * one operation element, each of its elements once and in order, and nothing else. Prefixes and an `action` parameter
 * that names the operation are free: by the standards they change nothing.
 */
export class StrictRules {
  readonly #namespace: string;
  readonly #soapAction: string | undefined;
  readonly #contentType: ContentType;
  #version: SoapVersion;
  #operation: OperationName | undefined;
  readonly #seen = new Set<string>();

  constructor(namespace: string, soapAction: string | undefined, contentType: ContentType, variant: SoapVersion) {
    this.#namespace = namespace;
    this.#soapAction = soapAction;
    this.#contentType = contentType;
    this.#version = variant;
  }

  openEnvelope(version: SoapVersion): void {
    this.#version = version;
    const { mediaType, parameters } = this.#contentType;
    const wanted = parseContentType(versions[version].contentType);
    if (mediaType !== wanted.mediaType) {
      this.#refuse(`the envelope is SOAP ${version}, the Content-Type is ${mediaType} instead of ${wanted.mediaType}`);
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

  refusePart(tag: SaxesTagNS): void {
    this.#refuse(`the envelope holds ${describe(tag)} besides one Header and, after it, one Body`);
  }

  refuseHeader(tag: SaxesTagNS): void {
    this.#refuse(`the envelope has the header ${describe(tag)}, the contract has none`);
  }

  openOperation(tag: SaxesTagNS, routed: OperationName): void {
    if (this.#operation !== undefined) this.#refuse(`the body holds ${describe(tag)} besides ${this.#operation}`);
    if (tag.uri !== this.#namespace || !Object.hasOwn(operations, tag.local)) {
      this.#refuse(`the body holds ${describe(tag)}, which is no operation in namespace ${this.#namespace}`);
    }
    if (tag.local !== routed) {
      const where = this.#version === '1.1' ? 'the SOAPAction header' : 'the action parameter';
      this.#refuse(`${where} names ${routed}, the body holds ${tag.local}`);
    }
    const action = this.#version === '1.2' ? this.#contentType.parameters.get('action') : undefined;
    if (action !== undefined && action !== `${this.#namespace}${routed}`) {
      this.#refuse(`the action parameter ${action} is not ${this.#namespace}${routed}`);
    }
    this.#operation = routed;
  }

  openField(tag: SaxesTagNS, field: Field | undefined, isNil: boolean): void {
    if (field === undefined) this.#refuse(`${describe(tag)} is no element of the request`);
    if (this.#seen.has(field.name)) this.#refuse(`${field.name} stands twice`);
    if (isNil) this.#refuse(`${field.name} is nil, which the WSDL does not allow`);
    this.#seen.add(field.name);
  }

  openItem(tag: SaxesTagNS, field: Field): void {
    if (tag.uri !== this.#namespace || tag.local !== field.item) {
      this.#refuse(`${field.name} holds ${describe(tag)}, its items are ${field.item}`);
    }
  }

  /** Text between elements may only be blank. */
  refuseText(text: string, list: string | undefined, depth: number): void {
    if (text.trim() === '') return;
    const where = list !== undefined && depth === LIST_DEPTH ? list : 'the envelope';
    this.#refuse(`${where} holds the text ${JSON.stringify(text.trim().slice(0, 40))} between its elements`);
  }

  /** Each element once and, as none is repeated or unknown by now, in order. */
  closeOperation(): void {
    const names = operations[this.#operation as OperationName].request.map(({ name }) => name);
    const missing = names.find((name) => !this.#seen.has(name));
    if (missing !== undefined) this.#refuse(`${missing} is missing`);
    const seen = [...this.#seen];
    const wrong = seen.findIndex((name, index) => name !== names[index]);
    if (wrong >= 0) this.#refuse(`${seen[wrong]} stands where ${names[wrong]} belongs`);
  }

  finish(): void {
    if (this.#operation === undefined) this.#refuse('the body holds no operation');
  }

  #refuse(what: string): never {
    const operation = this.#operation === undefined ? '' : `${this.#operation}: `;
    throw faultRejection(this.#version, 'Client', `${operation}${what}.`);
  }
}

/** A list stands in the operation, that in the body, that in the envelope. */
const LIST_DEPTH = 4;

function describe({ local, uri }: SaxesTagNS): string {
  return uri === '' ? `${local} (no namespace)` : `${local} (namespace ${uri})`;
}
