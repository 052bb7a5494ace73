import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from 'saxes';
import { operations } from '../../../generated/operations';
import { detach } from '../../internal/text';
import type { Element, ListElement, Operation } from '../../soap/element';
import { parseValue, type ValueElement } from '../../soap/values';
import { soapVersions } from '../../soap/versions';
import type { OperationName, SoapVersion } from '../../types';
import { XSI_NAMESPACE } from '../../xml/namespaces';
import { badRequest, faultRejection, unknownOperation, unsupportedMediaType, valueProblem } from './fault';
import {
  type Arguments,
  absentArguments,
  isOperationName,
  type SoapRequest,
  versionOfMediaType,
  versionOfNamespace,
} from './request';
import { findAttributeProblem, findHeaderProblem, findOrderProblem } from './strict';

/** A request that can be carried out. */
export interface OperationCall {
  readonly operation: OperationName;
  /** The version of the envelope, whatever the HTTP headers say. */
  readonly version: SoapVersion;
  readonly arguments: Arguments<OperationName>;
}

/**
 * Reads a request as leniently as an ASMX service does, or refuses every departure from the contract when `isStrict` is
 * true. It reads in one pass and keeps only arguments, so that time and memory are linear in the length of any request.
 *
 * @throws {FaultRejection} when the request cannot be carried out
 */
export function readRequest(request: SoapRequest, namespace: string, isStrict: boolean): OperationCall {
  const version = versionOfMediaType(request.contentType.mediaType);
  if (version === undefined) throw unsupportedMediaType();
  return new RequestReader(request, version, namespace, isStrict).read();
}

/** The parser searches all open elements for a prefix, so its time grows with the depth. */
const MAX_DEPTH = 128;

class RequestReader {
  readonly #parser = new SaxesParser({ xmlns: true });
  /** The number of open elements. */
  #depth = 0;
  /** The depth of the open element that is skipped with its content; 0 without one. */
  #skipped = 0;
  #version: SoapVersion | undefined;
  #sawBody = false;
  #notUnderstood: string | undefined;
  /** From the HTTP headers, else from the first element of the body. */
  #operation: OperationName | undefined;
  /** The depths and names of the elements that were read, while the reader is strict. */
  readonly #places = new Set<string>();
  /** The arguments that were read. */
  #arguments: Record<string, unknown> = {};
  /** The open list. */
  #list: { readonly element: ListElement; readonly items: unknown[] } | undefined;
  /** The open element that holds text. */
  #value: { readonly element: ValueElement; readonly isNull: boolean; text: string } | undefined;

  constructor(
    private readonly request: SoapRequest,
    private readonly mediaTypeVersion: SoapVersion,
    private readonly namespace: string,
    private readonly isStrict: boolean,
  ) {}

  read(): OperationCall {
    const { contentType, soapAction, text } = this.request;
    const isOld = this.mediaTypeVersion === '1.1';
    const action = isOld ? soapAction?.replace(/^"(.*)"$/, '$1') : contentType.parameters.get('action');
    this.#operation = this.#operationOf(action);
    // The action of SOAP 1.2 may name no operation.
    if (isOld && action !== undefined && this.#operation === undefined) {
      const reason = `Server did not recognize the value of HTTP Header SOAPAction: ${action}.`;
      throw faultRejection('1.1', 'Client', reason);
    }
    const parser = this.#parser;
    parser.on('error', () => this.#refuseSyntax());
    parser.on('xmldecl', ({ version }) => {
      if (version !== '1.0') this.#refuseSyntax();
    });
    parser.on('doctype', () => this.#refuseSyntax('For security reasons DTD is prohibited in this XML document.'));
    parser.on('opentag', (tag) => this.#open(tag));
    parser.on('closetag', () => this.#close());
    for (const kind of ['text', 'cdata'] as const) {
      parser.on(kind, (part) => {
        if (this.#value !== undefined) this.#value.text += part;
        else if (this.isStrict && part.trim() !== '') {
          // The text may be an API key that has slipped out of its element, and the reason is shown and kept.
          this.#refuse(`text of ${part.trim().length} characters is between elements`);
        }
      });
    }
    // ASMX reads a value as one text node and refuses a comment in it.
    for (const kind of ['comment', 'processinginstruction'] as const) {
      parser.on(kind, () => {
        if (this.#value !== undefined) throw badRequest(this.mediaTypeVersion);
      });
    }
    parser.write(text).close();
    return this.#finish(this.#version as SoapVersion);
  }

  /** The operation that an action names exactly. */
  #operationOf(action = ''): OperationName | undefined {
    const name = action.slice(this.namespace.length);
    return action.startsWith(this.namespace) && isOperationName(name) ? name : undefined;
  }

  #finish(version: SoapVersion): OperationCall {
    if (!this.#sawBody) {
      const reason = 'Request format is invalid: Missing required soap:Body element.';
      const code = version === '1.1' ? 'Client' : 'Server';
      throw faultRejection(version, code, `Server was unable to read request. ---> ${reason}`);
    }
    const operation = this.#operation;
    if (operation === undefined) throw unknownOperation(version);
    if (this.#notUnderstood !== undefined) {
      const reason = `SOAP header ${this.#notUnderstood} was not understood.`;
      throw faultRejection(version, 'MustUnderstand', reason, { detail: null });
    }
    if (this.isStrict) {
      const action = `${this.namespace}${operation}`;
      this.#refuse(findHeaderProblem(this.request, version, action));
      this.#refuse(findOrderProblem(operation, Object.keys(this.#arguments)));
    }
    const values = { ...absentArguments[operation], ...this.#arguments };
    return { operation, version, arguments: values as Arguments<OperationName> };
  }

  #open(tag: SaxesTagNS): void {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH || this.#value !== undefined) throw badRequest(this.mediaTypeVersion);
    if (this.#skipped > 0) return;
    const isKnown = this.#enter(tag);
    if (!isKnown) this.#skipped = this.#depth;
    if (this.isStrict) this.#refuse(this.#findProblem(tag, isKnown));
  }

  #findProblem(tag: SaxesTagNS, isKnown: boolean): string | undefined {
    const name = `${tag.local} (${tag.uri === '' ? 'no namespace' : `namespace ${tag.uri}`})`;
    const place = `${this.#depth} ${name}`;
    // The contract has each element once, except the items of a list.
    if (this.#depth < 5 && this.#places.has(place)) return `${tag.local} occurs twice`;
    this.#places.add(place);
    if (!isKnown) return `the contract has no ${name} in this place`;
    return tag.uri === this.namespace ? findAttributeProblem(tag) : undefined;
  }

  /** @returns false for an element that ASMX ignores, with its content */
  #enter(tag: SaxesTagNS): boolean {
    switch (this.#depth) {
      case 1:
        return this.#enterEnvelope(tag);
      case 2:
        return this.#enterPart(tag);
      case 3:
        if (this.#sawBody) return this.#enterOperation(tag);
        if (isTrue(tag, soapVersions[this.#version as SoapVersion].namespace, 'mustUnderstand'))
          this.#notUnderstood ??= tag.local;
        return false;
      case 4:
        return this.#enterField(tag, this.#operation as OperationName);
      default:
        return this.#enterItem(tag);
    }
  }

  #close(): void {
    if (this.#value !== undefined) {
      const { element, isNull, text } = this.#value;
      const value = isNull ? null : this.#parse(element, text);
      if (this.#list === undefined) this.#arguments[element.name] = value;
      else this.#list.items.push(value);
      this.#value = undefined;
    } else if (this.#skipped === this.#depth) this.#skipped = 0;
    else if (this.#depth === 4) this.#list = undefined;
    this.#depth -= 1;
  }

  #enterEnvelope({ local, uri }: SaxesTagNS): boolean {
    const version = local === 'Envelope' ? versionOfNamespace(uri) : undefined;
    if (version === undefined) {
      const reason = `Possible SOAP version mismatch: Envelope namespace ${uri} was unexpected.`;
      const expected = `Expecting ${soapVersions['1.1'].namespace}.`;
      throw faultRejection('1.1', 'VersionMismatch', `${reason} ${expected}`, { upgrade: true });
    }
    if (version === '1.1' && this.mediaTypeVersion === '1.2') throw unsupportedMediaType();
    this.#version = version;
    return true;
  }

  #enterPart({ local, uri }: SaxesTagNS): boolean {
    if (this.#sawBody || uri !== soapVersions[this.#version as SoapVersion].namespace) return false;
    this.#sawBody = local === 'Body';
    return local === 'Header' || local === 'Body';
  }

  #enterOperation({ local, uri }: SaxesTagNS): boolean {
    if (this.#operation === undefined) {
      if (uri !== this.namespace || !isOperationName(local)) throw unknownOperation(this.#version as SoapVersion);
      this.#operation = local;
    }
    if (local !== this.#operation || uri !== this.namespace) return false;
    // The last of several operation elements counts.
    this.#arguments = {};
    return true;
  }

  #enterField(tag: SaxesTagNS, operation: OperationName): boolean {
    const element = requestOf(operation).find(({ name }) => name === tag.local);
    // The first of repeated elements counts.
    if (tag.uri !== this.namespace || element === undefined || Object.hasOwn(this.#arguments, element.name)) {
      return false;
    }
    const isNull = isNil(tag);
    if (isNull && this.isStrict && !element.nillable) {
      this.#refuse(`${element.name} is nil, which the WSDL does not allow`);
    }
    if (isNull && (element.kind === 'list' || element.nillable)) {
      this.#arguments[element.name] = null;
      this.#skipped = this.#depth;
    } else if (element.kind === 'list') {
      const items: unknown[] = [];
      this.#list = { element, items };
      this.#arguments[element.name] = items;
    } else {
      // The generator refuses records in requests.
      this.#value = { element: element as ValueElement, isNull: false, text: '' };
    }
    return true;
  }

  #enterItem(tag: SaxesTagNS): boolean {
    const item = this.#list?.element.item as ValueElement;
    if (tag.uri !== this.namespace || tag.local !== item.name) return false;
    this.#value = { element: item, isNull: isNil(tag) && (item.kind === 'text' || item.nillable === true), text: '' };
    return true;
  }

  #parse(element: ValueElement, text: string): unknown {
    const value = parseValue(element, text);
    if (value !== undefined) return typeof value === 'string' ? detach(value) : value;
    // .NET reports the position that it has reached by then: the name of the tag that follows.
    const { line, column } = this.#parser;
    const where = `There is an error in XML document (${line}, ${column + 2}).`;
    const reason = `Server was unable to read request. ---> ${where} ---> ${valueProblem(element, text)}`;
    throw faultRejection(this.#version as SoapVersion, 'Client', reason);
  }

  /** Refuses a departure from the contract. */
  #refuse(problem: string | undefined): void {
    if (problem === undefined) return;
    const operation = this.#operation === undefined ? '' : `${this.#operation}: `;
    throw faultRejection(this.#version ?? this.mediaTypeVersion, 'Client', `${operation}${problem}.`);
  }

  /**
   * ASMX must look into the envelope for the operation that no header names, and reports a syntax error there as a
   * fault of SOAP 1.2.
   */
  #refuseSyntax(reason?: string): never {
    const isRouted = this.mediaTypeVersion === '1.1' && this.request.soapAction !== undefined;
    if (this.#version !== undefined || isRouted) throw badRequest(this.mediaTypeVersion);
    const where = `Line ${this.#parser.line}, position ${this.#parser.column}.`;
    const why = reason ?? `Data at the root level is invalid. ${where}`;
    throw faultRejection('1.2', 'Server', `Server was unable to process request. ---> ${why}`);
  }
}

function requestOf(operation: OperationName): readonly Element[] {
  return (operations[operation] as Operation).request;
}

/** True for an element with `xsi:nil="true"`. */
function isNil(tag: SaxesTagNS): boolean {
  return isTrue(tag, XSI_NAMESPACE, 'nil');
}

function isTrue({ attributes }: SaxesTagNS, namespace: string, name: string): boolean {
  const isSame = ({ local, uri }: SaxesAttributeNS) => local === name && uri === namespace;
  return Object.values(attributes).some((one) => isSame(one) && ['true', '1'].includes(one.value.trim()));
}
