import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from 'saxes';
import type { Field } from '../../../generated/operations';
import { versions } from '../../soap/versions';
import type { OperationName, SoapVersion } from '../../types';
import { type ContentType, parseContentType } from '../../xml/content-type';
import { collapse, integerRanges, parseInteger } from '../../xml/integers';
import { XSI_NAMESPACE } from '../../xml/namespaces';
import { type Arguments, isOperationName, requestSchemas } from './arguments';
import { decodeBody } from './charset';
import { faultRejection, Rejection } from './rejection';
import { StrictRules } from './strict';

/** What of an HTTP request says which operation is asked for, and how. */
export interface IncomingRequest {
  readonly contentType: string | undefined;
  readonly soapAction: string | undefined;
  readonly body: Buffer;
}

/** A request that can be carried out. */
export interface OperationCall {
  readonly operation: OperationName;
  /** Of the envelope, whatever the HTTP headers say. */
  readonly version: SoapVersion;
  readonly arguments: Arguments<OperationName>;
}

/**
 * Reads a request as leniently as an ASMX service does, or to the letter of the contract when `strict`.
 *
 * It reads in one pass and keeps nothing but arguments, so that no request, however odd, costs more than its own length.
 * @throws {Rejection} when the request cannot be carried out
 */
export function readRequest(request: IncomingRequest, namespace: string, strict: boolean): OperationCall {
  const contentType = parseContentType(request.contentType);
  const variant = variants.get(contentType.mediaType);
  if (variant === undefined) throw new Rejection({ status: 415 });
  const routed =
    variant === '1.1' ? routeByHeader(request.soapAction, namespace) : routeByParameter(contentType, namespace);
  const rules = strict ? new StrictRules(namespace, request.soapAction, contentType, variant) : undefined;
  return new RequestReader(namespace, variant, routed, rules).read(decodeBody(request.body, contentType));
}

/** The SOAP version that a media type stands for. */
const variants: ReadonlyMap<string, SoapVersion> = new Map(
  (['1.1', '1.2'] as const).map((version) => [parseContentType(versions[version].contentType).mediaType, version]),
);
const versionsByNamespace: ReadonlyMap<string, SoapVersion> = new Map(
  (['1.1', '1.2'] as const).map((version) => [versions[version].namespace, version]),
);

function routeByHeader(soapAction: string | undefined, namespace: string): OperationName | undefined {
  if (soapAction === undefined) return undefined;
  const action = soapAction.replace(/^"(.*)"$/, '$1');
  const operation = operationOf(action, namespace);
  if (operation !== undefined) return operation;
  throw faultRejection('1.1', 'Client', `Server did not recognize the value of HTTP Header SOAPAction: ${action}.`);
}

function routeByParameter({ parameters }: ContentType, namespace: string): OperationName | undefined {
  return operationOf(parameters.get('action') ?? '', namespace);
}

function operationOf(action: string, namespace: string): OperationName | undefined {
  if (!action.startsWith(namespace)) return undefined;
  const name = action.slice(namespace.length);
  return isOperationName(name) ? name : undefined;
}

/** The parser looks up a prefix from the innermost element outwards, so that depth multiplies the time that it takes. */
const MAX_DEPTH = 128;

/** Levels of a request: what stands at which depth. */
const ENVELOPE = 1;
const PART = 2;
const BLOCK = 3;
const FIELD = 4;
const ITEM = 5;

class RequestReader {
  readonly #namespace: string;
  readonly #variant: SoapVersion;
  readonly #strict: StrictRules | undefined;
  readonly #parser = new SaxesParser({ xmlns: true });

  #version: SoapVersion | undefined;
  /** From the HTTP headers, else from the first element of the body. */
  #operation: OperationName | undefined;
  readonly #routedByHeader: boolean;
  #arguments: Record<string, unknown> = {};
  readonly #filled = new Set<string>();

  #depth = 0;
  /** Depth of the element that is being skipped with all that is in it; 0 for none. */
  #skipped = 0;
  #part: 'Header' | 'Body' | undefined;
  #sawBody = false;
  #notUnderstood: string | undefined;
  /** The list whose items are being read, or the field whose text is. */
  #field: Field | undefined;
  #list: unknown[] | undefined;
  #inText = false;
  #itemIsNil = false;
  #text = '';

  constructor(namespace: string, variant: SoapVersion, operation: OperationName | undefined, strict?: StrictRules) {
    this.#namespace = namespace;
    this.#variant = variant;
    this.#operation = operation;
    this.#routedByHeader = operation !== undefined && variant === '1.1';
    this.#strict = strict;
    if (operation !== undefined) this.#arguments = { ...requestSchemas[operation].absent };
  }

  read(text: string): OperationCall {
    const parser = this.#parser;
    parser.on('error', () => this.#refuseSyntax(text.trim() === '' ? 'Root element is missing.' : undefined));
    parser.on('xmldecl', ({ version }) => {
      if (version !== '1.0') this.#refuseSyntax(`Version number '${version}' is invalid.`);
    });
    parser.on('doctype', () => this.#refuseSyntax('For security reasons DTD is prohibited in this XML document.'));
    parser.on('opentag', (tag) => this.#open(tag));
    parser.on('closetag', () => this.#close());
    parser.on('text', (part) => this.#read(part));
    parser.on('cdata', (part) => this.#read(part));
    parser.on('comment', () => this.#interrupt());
    parser.on('processinginstruction', () => this.#interrupt());
    parser.write(text).close();
    return this.#finish();
  }

  #finish(): OperationCall {
    const version = this.#version as SoapVersion;
    if (!this.#sawBody) {
      const what = version === '1.1' ? 'read' : 'process';
      const reason = `Server was unable to ${what} request. ---> Request format is invalid: Missing required soap:Body element.`;
      throw faultRejection(version, version === '1.1' ? 'Client' : 'Server', reason);
    }
    if (this.#operation === undefined) throw this.#unrouted(version);
    if (this.#notUnderstood !== undefined) {
      throw faultRejection(version, 'MustUnderstand', `SOAP header ${this.#notUnderstood} was not understood.`, null);
    }
    this.#strict?.finish();
    return { operation: this.#operation, version, arguments: this.#arguments as unknown as Arguments<OperationName> };
  }

  #open(tag: SaxesTagNS): void {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw this.#badRequest();
    if (this.#skipped > 0) return;
    if (this.#inText) throw this.#badRequest();
    if (this.#depth === ENVELOPE) this.#openEnvelope(tag);
    else if (this.#depth === PART) this.#openPart(tag);
    else if (this.#depth === BLOCK) this.#openBlock(tag);
    else if (this.#depth === FIELD) this.#openField(tag);
    else this.#openItem(tag);
  }

  #close(): void {
    const depth = this.#depth;
    this.#depth -= 1;
    if (this.#skipped > 0) {
      if (this.#skipped === depth) this.#skipped = 0;
    } else if (depth === ITEM) this.#closeItem();
    else if (depth === FIELD) this.#closeField();
    else if (depth === BLOCK && this.#part === 'Body') this.#strict?.closeOperation();
    else if (depth === PART) this.#part = undefined;
  }

  #skip(): void {
    this.#skipped = this.#depth;
  }

  #openEnvelope(tag: SaxesTagNS): void {
    const version = tag.local === 'Envelope' ? versionsByNamespace.get(tag.uri) : undefined;
    if (version === undefined) {
      const reason = `Possible SOAP version mismatch: Envelope namespace ${tag.uri} was unexpected. Expecting ${versions['1.1'].namespace}.`;
      throw new Rejection({ version: '1.1', fault: { code: 'VersionMismatch', reason }, upgrade: true });
    }
    if (version === '1.1' && this.#variant === '1.2') throw new Rejection({ status: 415 });
    this.#version = version;
    this.#strict?.openEnvelope(version);
  }

  #openPart(tag: SaxesTagNS): void {
    const isSoap = versionsByNamespace.get(tag.uri) === this.#version;
    if (isSoap && tag.local === 'Body' && !this.#sawBody) {
      this.#part = 'Body';
      this.#sawBody = true;
    } else if (isSoap && tag.local === 'Header' && !this.#sawBody) {
      this.#part = 'Header';
    } else {
      this.#strict?.refusePart(tag);
      this.#skip();
    }
  }

  #openBlock(tag: SaxesTagNS): void {
    if (this.#part === 'Header') {
      this.#strict?.refuseHeader(tag);
      if (this.#mustBeUnderstood(tag)) this.#notUnderstood ??= tag.local;
      this.#skip();
      return;
    }
    if (this.#operation === undefined) {
      if (tag.uri !== this.#namespace || !isOperationName(tag.local))
        throw this.#unrouted(this.#version as SoapVersion);
      this.#operation = tag.local;
    }
    this.#strict?.openOperation(tag, this.#operation);
    if (tag.local !== this.#operation || tag.uri !== this.#namespace) {
      this.#skip();
      return;
    }
    // Of two operation elements the last counts.
    this.#arguments = { ...requestSchemas[this.#operation].absent };
    this.#filled.clear();
  }

  /** Whether the header is for this service, which knows none, and may not be ignored. */
  #mustBeUnderstood(tag: SaxesTagNS): boolean {
    const version = this.#version as SoapVersion;
    const { namespace } = versions[version];
    if (!isTrue(attribute(tag, namespace, 'mustUnderstand'))) return false;
    const role = attribute(tag, namespace, version === '1.1' ? 'actor' : 'role')?.trim();
    return !role || ownRoles[version].has(role);
  }

  #openField(tag: SaxesTagNS): void {
    const operation = this.#operation as OperationName;
    const field = tag.uri === this.#namespace ? requestSchemas[operation].fields.get(tag.local) : undefined;
    this.#strict?.openField(tag, field, isNil(tag));
    if (field === undefined || this.#filled.has(field.name)) {
      this.#skip();
      return;
    }
    this.#filled.add(field.name);
    this.#field = field;
    if (field.item === undefined) {
      this.#startText();
    } else if (isNil(tag)) {
      this.#skip();
    } else {
      this.#list = [];
      this.#arguments[field.name] = this.#list;
    }
  }

  #closeField(): void {
    const { name, item } = this.#field as Field;
    if (item === undefined) this.#arguments[name] = this.#endText();
    this.#list = undefined;
  }

  #openItem(tag: SaxesTagNS): void {
    const field = this.#field as Field;
    this.#strict?.openItem(tag, field);
    if (tag.uri !== this.#namespace || tag.local !== field.item) {
      this.#skip();
      return;
    }
    this.#itemIsNil = field.type === 'string' && isNil(tag);
    this.#startText();
  }

  #closeItem(): void {
    const value = this.#endText();
    (this.#list as unknown[]).push(this.#itemIsNil ? null : value);
  }

  #startText(): void {
    this.#inText = true;
    this.#text = '';
  }

  #endText(): unknown {
    this.#inText = false;
    const { type } = this.#field as Field;
    const text = this.#text;
    if (!isIntegerType(type)) return detach(text);
    const value = parseInteger(type, text);
    if (value !== undefined) return value;
    // The stack reports where it stands by then: at the name of the tag that follows.
    const position = `(${this.#parser.line}, ${this.#parser.column + 2})`;
    const token = collapse(text);
    // In two steps, since V8's matcher runs out of stack on megabytes of digits that it may have to give back.
    const reason =
      /^[+-]?[0-9]/.test(token) && !/[^0-9]/.test(token.slice(1))
        ? `Value was either too large or too small for an ${systemTypes[type]}.`
        : 'Input string was not in a correct format.';
    throw faultRejection(
      this.#version as SoapVersion,
      'Client',
      `Server was unable to read request. ---> There is an error in XML document ${position}. ---> ${reason}`,
    );
  }

  #read(text: string): void {
    if (this.#inText) this.#text += text;
    else if (this.#skipped === 0) this.#strict?.refuseText(text, this.#field?.name, this.#depth);
  }

  /** The stack reads a value as one run of text, and stumbles over a comment in it. */
  #interrupt(): void {
    if (this.#inText) throw this.#badRequest();
  }

  #badRequest(): Rejection {
    return new Rejection({ status: 400, version: this.#variant });
  }

  /** The stack that must look into the envelope for the operation reports what it finds there by a fault of SOAP 1.2. */
  #refuseSyntax(reason?: string): never {
    if (this.#version !== undefined || this.#routedByHeader) throw this.#badRequest();
    const where = `Line ${this.#parser.line}, position ${this.#parser.column}.`;
    const why = reason ?? `Data at the root level is invalid. ${where}`;
    throw faultRejection('1.2', 'Server', `Server was unable to process request. ---> ${why}`);
  }

  #unrouted(version: SoapVersion): Rejection {
    const reason = 'Unable to handle request without a valid action parameter. Please supply a valid soap action.';
    return faultRejection(version, 'Client', reason);
  }
}

/** An absent role, the next one and the ultimate receiver are the service itself. */
const ownRoles: Readonly<Record<SoapVersion, ReadonlySet<string>>> = {
  '1.1': new Set(['http://schemas.xmlsoap.org/soap/actor/next']),
  '1.2': new Set(['next', 'ultimateReceiver'].map((role) => `${versions['1.2'].namespace}/role/${role}`)),
};

/** The names that the stack has for the integer types. */
const systemTypes = { short: 'Int16', int: 'Int32', long: 'Int64' } as const;

/**
 * The engine lets a part of a text hold on to the whole: without a copy, each message that is kept would keep its request.
 * Up to this length it copies by itself.
 */
function detach(text: string): string {
  return text.length < 13 ? text : Buffer.from(text).toString();
}

function isIntegerType(type: string): type is keyof typeof integerRanges {
  return Object.hasOwn(integerRanges, type);
}

function isNil(tag: SaxesTagNS): boolean {
  return isTrue(attribute(tag, XSI_NAMESPACE, 'nil'));
}

function isTrue(value: string | undefined): boolean {
  const text = value?.trim();
  return text === 'true' || text === '1';
}

function attribute(tag: SaxesTagNS, namespace: string, name: string): string | undefined {
  const attributes: Record<string, SaxesAttributeNS> = tag.attributes;
  for (const key in attributes) {
    const found = attributes[key];
    if (found?.local === name && found.uri === namespace) return found.value;
  }
  return undefined;
}
