import { SaxesParser, type SaxesTagNS } from 'saxes';
import { versions } from '../../soap/elements/envelope';
import type { Field } from '../../soap/elements/legacy-fields';
import { parseContentType } from '../../soap/http/content-type';
import type { OperationName, SoapVersion } from '../../types';
import { type Arguments, isOperationName, requestSchemas } from './arguments';
import { isNil, mustBeUnderstood } from './attributes';
import { decodeBody } from './charset';
import { soapAnswer } from './http-answer';
import { faultRejection, Rejection } from './rejection';
import { operationOf, routeByHeader, versionOfMediaType } from './route';
import { StrictRules } from './strict';
import { ArgumentError, readValue } from './values';

/** The parts of an HTTP request that select the operation and carry its arguments. */
export interface IncomingRequest {
  readonly contentType: string | undefined;
  readonly soapAction: string | undefined;
  readonly body: Buffer;
}

/** A request that can be carried out. */
export interface OperationCall {
  readonly operation: OperationName;
  /** The version of the envelope, whatever the HTTP headers say. */
  readonly version: SoapVersion;
  readonly arguments: Arguments<OperationName>;
}

/**
 * Reads a request as leniently as an ASMX service does, or refuses every departure from the contract when `strict`.
 *
 * It reads in one pass and keeps only arguments, so that time and memory are linear in the length of any request.
 * @throws {Rejection} when the request cannot be carried out
 */
export function readRequest(request: IncomingRequest, namespace: string, strict: boolean): OperationCall {
  const contentType = parseContentType(request.contentType);
  const mediaTypeVersion = versionOfMediaType(contentType.mediaType);
  if (mediaTypeVersion === undefined) throw unsupportedMediaType();
  const routed =
    mediaTypeVersion === '1.1'
      ? routeByHeader(request.soapAction, namespace)
      : operationOf(contentType.parameters.get('action') ?? '', namespace);
  const rules = strict ? new StrictRules(namespace, request.soapAction, contentType, mediaTypeVersion) : undefined;
  return new RequestReader(namespace, mediaTypeVersion, routed, rules).read(decodeBody(request.body, contentType));
}

const versionsByNamespace: ReadonlyMap<string, SoapVersion> = new Map(
  (['1.1', '1.2'] as const).map((version) => [versions[version].namespace, version]),
);

/** The parser searches all open elements for a prefix, so its time grows with the depth. */
const MAX_DEPTH = 128;

/** The depth of each part of a request. */
const ENVELOPE = 1;
const PART = 2;
const BLOCK = 3;
const FIELD = 4;
const ITEM = 5;

class RequestReader {
  readonly #namespace: string;
  readonly #mediaTypeVersion: SoapVersion;
  readonly #strict: StrictRules | undefined;
  readonly #parser = new SaxesParser({ xmlns: true });

  #version: SoapVersion | undefined;
  /** From the HTTP headers, else from the first element of the body. */
  #operation: OperationName | undefined;
  readonly #routedByHeader: boolean;
  #arguments: Record<string, unknown> = {};
  readonly #filled = new Set<string>();

  #depth = 0;
  /** Depth of the element that is being skipped with its content; 0 for none. */
  #skipped = 0;
  #part: 'Header' | 'Body' | undefined;
  #sawBody = false;
  #notUnderstood: string | undefined;
  /** The list or the field that is being read. */
  #field: Field | undefined;
  #list: unknown[] | undefined;
  #inText = false;
  #itemIsNil = false;
  #text = '';

  constructor(
    namespace: string,
    mediaTypeVersion: SoapVersion,
    operation: OperationName | undefined,
    strict?: StrictRules,
  ) {
    this.#namespace = namespace;
    this.#mediaTypeVersion = mediaTypeVersion;
    this.#operation = operation;
    this.#routedByHeader = operation !== undefined && mediaTypeVersion === '1.1';
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
      throw faultRejection(version, { code: version === '1.1' ? 'Client' : 'Server', reason });
    }
    if (this.#operation === undefined) throw this.#unrouted(version);
    if (this.#notUnderstood !== undefined) {
      const reason = `SOAP header ${this.#notUnderstood} was not understood.`;
      throw faultRejection(version, { code: 'MustUnderstand', reason, detail: null });
    }
    this.#strict?.finish();
    return { operation: this.#operation, version, arguments: this.#arguments as Arguments<OperationName> };
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
      throw faultRejection('1.1', { code: 'VersionMismatch', reason }, true);
    }
    if (version === '1.1' && this.#mediaTypeVersion === '1.2') throw unsupportedMediaType();
    this.#version = version;
    this.#strict?.openEnvelope(version);
  }

  #openPart(tag: SaxesTagNS): void {
    const isSoap = versionsByNamespace.get(tag.uri) === this.#version;
    if (isSoap && tag.local === 'Body' && !this.#sawBody) {
      this.#part = 'Body';
      this.#sawBody = true;
    } else if (isSoap && tag.local === 'Header' && !this.#sawBody) {
      this.#strict?.openHeader(tag);
      this.#part = 'Header';
    } else {
      this.#strict?.refusePart(tag);
      this.#skip();
    }
  }

  #openBlock(tag: SaxesTagNS): void {
    if (this.#part === 'Header') {
      this.#strict?.refuseHeader(tag);
      if (mustBeUnderstood(tag, this.#version as SoapVersion)) this.#notUnderstood ??= tag.local;
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
    // The last of several operation elements counts.
    this.#arguments = { ...requestSchemas[this.#operation].absent };
    this.#filled.clear();
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
    if (isNil(tag) && (field.item !== undefined || field.nillable)) {
      this.#skip();
    } else if (field.item === undefined) {
      this.#startText();
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
    this.#itemIsNil = field.type === 'string' && field.values === undefined && isNil(tag);
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
    try {
      return readValue(this.#field as Field, this.#text);
    } catch (error) {
      throw error instanceof ArgumentError ? this.#badValue(error.message) : error;
    }
  }

  #badValue(reason: string): Rejection {
    // .NET reports the position that it has reached by then: the name of the tag that follows.
    const position = `(${this.#parser.line}, ${this.#parser.column + 2})`;
    return faultRejection(this.#version as SoapVersion, {
      code: 'Client',
      reason: `Server was unable to read request. ---> There is an error in XML document ${position}. ---> ${reason}`,
    });
  }

  #read(text: string): void {
    if (this.#inText) this.#text += text;
    else if (this.#skipped === 0) this.#strict?.refuseText(text, this.#field?.name, this.#depth);
  }

  /** ASMX reads a value as one text node and refuses a comment in it. */
  #interrupt(): void {
    if (this.#inText) throw this.#badRequest();
  }

  #badRequest(): Rejection {
    return new Rejection(soapAnswer(400, this.#mediaTypeVersion, '', 'private'));
  }

  /** When ASMX must look into the envelope for the operation, it reports a syntax error as a fault of SOAP 1.2. */
  #refuseSyntax(reason?: string): never {
    if (this.#version !== undefined || this.#routedByHeader) throw this.#badRequest();
    const where = `Line ${this.#parser.line}, position ${this.#parser.column}.`;
    const why = reason ?? `Data at the root level is invalid. ${where}`;
    throw faultRejection('1.2', { code: 'Server', reason: `Server was unable to process request. ---> ${why}` });
  }

  #unrouted(version: SoapVersion): Rejection {
    const reason = 'Unable to handle request without a valid action parameter. Please supply a valid soap action.';
    return faultRejection(version, { code: 'Client', reason });
  }
}

function unsupportedMediaType(): Rejection {
  return new Rejection({ status: 415, headers: { 'Cache-Control': 'private' }, body: '' });
}
