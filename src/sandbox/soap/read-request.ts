import { SaxesParser, type SaxesTagNS } from 'saxes';
import type { ContentType } from '../../internal/content-type';
import type { Element, ListElement } from '../../soap/element';
import type { ValueElement } from '../../soap/values';
import { soapVersions } from '../../soap/versions';
import type { OperationName, SoapVersion } from '../../types';
import { type Arguments, isOperationName, requestSchemas } from './arguments';
import { isNil, mustBeUnderstood } from './attributes';
import {
  badRequest,
  headerNotUnderstood,
  missingBody,
  unknownEnvelope,
  unknownOperation,
  unreadableArgument,
  unreadableEnvelope,
  unsupportedMediaType,
} from './rejection';
import { operationOf, routeByHeader, versionOfMediaType } from './route';
import { StrictRules } from './strict';
import { ArgumentError, readArgument } from './values';

/** The parts of an HTTP request that select the operation and carry its arguments. */
export interface SoapRequest {
  readonly contentType: ContentType;
  readonly soapAction: string | undefined;
  /** The decoded body. */
  readonly text: string;
}

/** A request that can be carried out. */
export interface OperationCall {
  readonly operation: OperationName;
  /** The version of the envelope, whatever the HTTP headers say. */
  readonly version: SoapVersion;
  readonly arguments: Arguments<OperationName>;
}

/**
 * Reads a request as leniently as an ASMX service does, or refuses every departure from the contract when `strict` is
 * true.
 *
 * It reads in one pass and keeps only arguments, so that time and memory are linear in the length of any request.
 * @throws {Rejection} when the request cannot be carried out
 */
export function readRequest(request: SoapRequest, namespace: string, strict: boolean): OperationCall {
  const { contentType, soapAction, text } = request;
  const mediaTypeVersion = versionOfMediaType(contentType.mediaType);
  if (mediaTypeVersion === undefined) throw unsupportedMediaType();
  const routed =
    mediaTypeVersion === '1.1'
      ? routeByHeader(soapAction, namespace)
      : operationOf(contentType.parameters.get('action') ?? '', namespace);
  const rules = strict ? new StrictRules(namespace, soapAction, contentType, mediaTypeVersion) : undefined;
  return new RequestReader(namespace, mediaTypeVersion, routed, rules).read(text);
}

const versionsByNamespace: ReadonlyMap<string, SoapVersion> = new Map(
  (['1.1', '1.2'] as const).map((version) => [soapVersions[version].namespace, version]),
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
  /** The depth of the element that is skipped with its content; 0 for none. */
  #skipped = 0;
  #part: 'Header' | 'Body' | undefined;
  #sawBody = false;
  #notUnderstood: string | undefined;
  /** The list that is being read, and its items. */
  #list: ListElement | undefined;
  #items: unknown[] = [];
  /** The element whose text is being read. */
  #value: ValueElement | undefined;
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
    if (!this.#sawBody) throw missingBody(version);
    if (this.#operation === undefined) throw unknownOperation(version);
    if (this.#notUnderstood !== undefined) throw headerNotUnderstood(version, this.#notUnderstood);
    this.#strict?.finish();
    return { operation: this.#operation, version, arguments: this.#arguments as Arguments<OperationName> };
  }

  #open(tag: SaxesTagNS): void {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw badRequest(this.#mediaTypeVersion);
    if (this.#skipped > 0) return;
    if (this.#value !== undefined) throw badRequest(this.#mediaTypeVersion);
    if (this.#depth === ENVELOPE) this.#openEnvelope(tag);
    else if (this.#depth === PART) this.#openPart(tag);
    else if (this.#depth === BLOCK) this.#openBlock(tag);
    else if (this.#depth === FIELD) this.#openField(tag);
    else if (this.#list !== undefined) this.#openItem(tag, this.#list);
  }

  #close(): void {
    const depth = this.#depth;
    this.#depth -= 1;
    if (this.#skipped > 0) {
      if (this.#skipped === depth) this.#skipped = 0;
    } else if (depth === ITEM) this.#items.push(this.#endText());
    else if (depth === FIELD) this.#closeField();
    else if (depth === BLOCK && this.#part === 'Body') this.#strict?.closeOperation();
    else if (depth === PART) this.#part = undefined;
  }

  #skip(): void {
    this.#skipped = this.#depth;
  }

  #openEnvelope(tag: SaxesTagNS): void {
    const version = tag.local === 'Envelope' ? versionsByNamespace.get(tag.uri) : undefined;
    if (version === undefined) throw unknownEnvelope(tag.uri);
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
    const version = this.#version as SoapVersion;
    if (this.#part === 'Header') {
      this.#strict?.refuseHeader(tag);
      if (mustBeUnderstood(tag, version)) this.#notUnderstood ??= tag.local;
      this.#skip();
      return;
    }
    if (this.#operation === undefined) {
      if (tag.uri !== this.#namespace || !isOperationName(tag.local)) throw unknownOperation(version);
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
    const { elements } = requestSchemas[this.#operation as OperationName];
    const element = tag.uri === this.#namespace ? elements.get(tag.local) : undefined;
    this.#strict?.openField(tag, element, isNil(tag));
    if (element === undefined || this.#filled.has(element.name)) {
      this.#skip();
      return;
    }
    this.#filled.add(element.name);
    if (isNil(tag) && (element.kind === 'list' || element.nillable)) {
      this.#skip();
    } else if (element.kind === 'list') {
      this.#list = element;
      this.#items = [];
      this.#arguments[element.name] = this.#items;
    } else {
      this.#startText(element);
    }
  }

  #closeField(): void {
    if (this.#value !== undefined) this.#arguments[this.#value.name] = this.#endText();
    this.#list = undefined;
  }

  #openItem(tag: SaxesTagNS, { item }: ListElement): void {
    this.#strict?.openItem(tag, this.#list as ListElement);
    if (tag.uri !== this.#namespace || tag.local !== item.name) {
      this.#skip();
      return;
    }
    this.#startText(item);
    this.#itemIsNil = isNil(tag) && (item.kind === 'text' || item.nillable === true);
  }

  #startText(element: Element): void {
    // The generator refuses records in requests.
    this.#value = element as ValueElement;
    this.#itemIsNil = false;
    this.#text = '';
  }

  #endText(): unknown {
    const element = this.#value as ValueElement;
    this.#value = undefined;
    if (this.#itemIsNil) return null;
    try {
      return readArgument(element, this.#text);
    } catch (error) {
      if (!(error instanceof ArgumentError)) throw error;
      // .NET reports the position that it has reached by then: the name of the tag that follows.
      const { line, column } = this.#parser;
      throw unreadableArgument(this.#version as SoapVersion, line, column + 2, error.message);
    }
  }

  #read(text: string): void {
    if (this.#value !== undefined) this.#text += text;
    else if (this.#skipped === 0) this.#strict?.refuseText(text, this.#list);
  }

  /** ASMX reads a value as one text node and refuses a comment in it. */
  #interrupt(): void {
    if (this.#value !== undefined) throw badRequest(this.#mediaTypeVersion);
  }

  #refuseSyntax(reason?: string): never {
    if (this.#version !== undefined || this.#routedByHeader) throw badRequest(this.#mediaTypeVersion);
    const where = `Line ${this.#parser.line}, position ${this.#parser.column}.`;
    throw unreadableEnvelope(reason ?? `Data at the root level is invalid. ${where}`);
  }
}
