import { SaxesParser, type SaxesTagNS } from 'saxes';
import { detach } from '../../internal/strings';
import type { ListElement } from '../../soap/element';
import { parseValue, type ValueElement } from '../../soap/values';
import { soapVersions } from '../../soap/versions';
import type { OperationName, SoapVersion } from '../../types';
import { type Arguments, isOperationName, requestSchemas } from './arguments';
import { isNil, mustBeUnderstood } from './attributes';
import {
  badRequest,
  faultRejection,
  headerNotUnderstood,
  missingBody,
  unknownEnvelope,
  unknownOperation,
  unreadableArgument,
  unreadableEnvelope,
  unsupportedMediaType,
} from './rejection';
import { routeByHeaders, type SoapRequest, versionOfMediaType } from './route';
import {
  fieldProblem,
  headerProblem,
  headersProblem,
  itemProblem,
  operationProblem,
  orderProblem,
  partProblem,
  textProblem,
} from './strict';

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
  const mediaTypeVersion = versionOfMediaType(request.contentType.mediaType);
  if (mediaTypeVersion === undefined) throw unsupportedMediaType();
  return new RequestReader(request, mediaTypeVersion, namespace, strict).read();
}

const versionsByNamespace: ReadonlyMap<string, SoapVersion> = new Map(
  (['1.1', '1.2'] as const).map((version) => [soapVersions[version].namespace, version]),
);

/** The parser searches all open elements for a prefix, so its time grows with the depth. */
const MAX_DEPTH = 128;

/** An open element that holds elements. */
interface Level {
  /** Opens a child. Undefined skips the child with its content. */
  open(tag: SaxesTagNS): Level | Value | undefined;
  /** The name of a list. */
  readonly list?: string;
  close?(): void;
}

/** An open element that holds text. */
class Value {
  text = '';

  constructor(
    readonly element: ValueElement,
    readonly isNull: boolean,
    readonly put: (value: unknown) => void,
  ) {}
}

class RequestReader {
  readonly #request: SoapRequest;
  readonly #namespace: string;
  readonly #mediaTypeVersion: SoapVersion;
  readonly #isStrict: boolean;
  readonly #parser = new SaxesParser({ xmlns: true });
  /** The open elements, with the document around them. Undefined for an element that is skipped. */
  readonly #levels: (Level | Value | undefined)[] = [{ open: (tag) => this.#openEnvelope(tag) }];
  readonly #parts = new Set<'Header' | 'Body'>();
  #version: SoapVersion | undefined;
  /** From the HTTP headers, else from the first element of the body. */
  #operation: OperationName | undefined;
  readonly #routedByHeader: boolean;
  #sawOperation = false;
  #arguments: Record<string, unknown> = {};
  /** The names of the elements that were read. */
  readonly #filled = new Set<string>();
  #notUnderstood: string | undefined;

  constructor(request: SoapRequest, mediaTypeVersion: SoapVersion, namespace: string, isStrict: boolean) {
    this.#request = request;
    this.#namespace = namespace;
    this.#mediaTypeVersion = mediaTypeVersion;
    this.#isStrict = isStrict;
    const operation = routeByHeaders(request, mediaTypeVersion, namespace);
    this.#operation = operation;
    this.#routedByHeader = operation !== undefined && mediaTypeVersion === '1.1';
    if (operation !== undefined) this.#arguments = { ...requestSchemas[operation].absent };
  }

  read(): OperationCall {
    const parser = this.#parser;
    const { text } = this.#request;
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
    if (!this.#parts.has('Body')) throw missingBody(version);
    if (this.#operation === undefined) throw unknownOperation(version);
    if (this.#notUnderstood !== undefined) throw headerNotUnderstood(version, this.#notUnderstood);
    if (this.#isStrict && !this.#sawOperation) this.#refuse('the body holds no operation');
    return { operation: this.#operation, version, arguments: this.#arguments as Arguments<OperationName> };
  }

  #open(tag: SaxesTagNS): void {
    if (this.#levels.length > MAX_DEPTH) throw badRequest(this.#mediaTypeVersion);
    const parent = this.#levels.at(-1);
    if (parent instanceof Value) throw badRequest(this.#mediaTypeVersion);
    this.#levels.push(parent?.open(tag));
  }

  #close(): void {
    const level = this.#levels.pop();
    if (level instanceof Value) level.put(level.isNull ? null : this.#parse(level));
    else level?.close?.();
  }

  #openEnvelope(tag: SaxesTagNS): Level {
    const version = tag.local === 'Envelope' ? versionsByNamespace.get(tag.uri) : undefined;
    if (version === undefined) throw unknownEnvelope(tag.uri);
    if (version === '1.1' && this.#mediaTypeVersion === '1.2') throw unsupportedMediaType();
    this.#version = version;
    if (this.#isStrict) this.#refuse(headersProblem(this.#request, version));
    return { open: (part) => this.#openPart(part, version) };
  }

  #openPart(tag: SaxesTagNS, version: SoapVersion): Level | undefined {
    const { local } = tag;
    const isPart = (local === 'Header' || local === 'Body') && versionsByNamespace.get(tag.uri) === version;
    if (!isPart || this.#parts.has('Body') || (this.#isStrict && this.#parts.has(local))) {
      if (this.#isStrict) this.#refuse(partProblem(tag));
      return undefined;
    }
    this.#parts.add(local);
    return {
      open: (block) => (local === 'Body' ? this.#openOperation(block, version) : this.#skipHeader(block, version)),
    };
  }

  #skipHeader(tag: SaxesTagNS, version: SoapVersion): undefined {
    if (this.#isStrict) this.#refuse(headerProblem(tag));
    if (mustBeUnderstood(tag, version)) this.#notUnderstood ??= tag.local;
  }

  #openOperation(tag: SaxesTagNS, version: SoapVersion): Level | undefined {
    if (this.#operation === undefined) {
      if (tag.uri !== this.#namespace || !isOperationName(tag.local)) throw unknownOperation(version);
      this.#operation = tag.local;
    }
    const operation = this.#operation;
    if (this.#isStrict) {
      this.#refuse(operationProblem(tag, operation, this.#namespace, version, this.#request, this.#sawOperation));
    }
    if (tag.local !== operation || tag.uri !== this.#namespace) return undefined;
    this.#sawOperation = true;
    // The last of several operation elements counts.
    this.#arguments = { ...requestSchemas[operation].absent };
    this.#filled.clear();
    const open = (field: SaxesTagNS) => this.#openField(field, operation);
    return this.#isStrict ? { open, close: () => this.#refuse(orderProblem(operation, this.#filled)) } : { open };
  }

  #openField(tag: SaxesTagNS, operation: OperationName): Level | Value | undefined {
    const element = tag.uri === this.#namespace ? requestSchemas[operation].elements.get(tag.local) : undefined;
    if (this.#isStrict) this.#refuse(fieldProblem(tag, element, this.#filled));
    if (element === undefined || this.#filled.has(element.name)) return undefined;
    this.#filled.add(element.name);
    if (isNil(tag) && (element.kind === 'list' || element.nillable)) return undefined;
    const put = (value: unknown): void => {
      this.#arguments[element.name] = value;
    };
    // The generator refuses records in requests.
    if (element.kind !== 'list') return new Value(element as ValueElement, false, put);
    const items: unknown[] = [];
    put(items);
    return { open: (item) => this.#openItem(item, element, items), list: element.name };
  }

  #openItem(tag: SaxesTagNS, list: ListElement, items: unknown[]): Value | undefined {
    if (this.#isStrict) this.#refuse(itemProblem(tag, list, this.#namespace));
    const { item } = list;
    if (tag.uri !== this.#namespace || tag.local !== item.name) return undefined;
    const isNull = isNil(tag) && (item.kind === 'text' || item.nillable === true);
    return new Value(item as ValueElement, isNull, (value) => items.push(value));
  }

  #parse({ element, text }: Value): unknown {
    const value = parseValue(element, text);
    if (value !== undefined) return typeof value === 'string' ? detach(value) : value;
    // .NET reports the position that it has reached by then: the name of the tag that follows.
    const { line, column } = this.#parser;
    throw unreadableArgument(this.#version as SoapVersion, line, column + 2, element, text);
  }

  #read(text: string): void {
    const level = this.#levels.at(-1);
    if (level instanceof Value) level.text += text;
    else if (this.#isStrict && level !== undefined) this.#refuse(textProblem(text, level.list ?? 'the envelope'));
  }

  /** ASMX reads a value as one text node and refuses a comment in it. */
  #interrupt(): void {
    if (this.#levels.at(-1) instanceof Value) throw badRequest(this.#mediaTypeVersion);
  }

  /** Refuses a departure from the contract. */
  #refuse(problem: string | undefined): void {
    if (problem === undefined) return;
    const operation = this.#sawOperation ? `${this.#operation}: ` : '';
    throw faultRejection(this.#version ?? this.#mediaTypeVersion, {
      code: 'Client',
      reason: `${operation}${problem}.`,
    });
  }

  #refuseSyntax(reason?: string): never {
    if (this.#version !== undefined || this.#routedByHeader) throw badRequest(this.#mediaTypeVersion);
    const where = `Line ${this.#parser.line}, position ${this.#parser.column}.`;
    throw unreadableEnvelope(reason ?? `Data at the root level is invalid. ${where}`);
  }
}
