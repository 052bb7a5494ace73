import { SaxesParser, type SaxesTagNS } from 'saxes';
import { detach } from '../../internal/strings';
import { collapse } from '../../xml/integers';
import { XSI_NAMESPACE } from '../../xml/namespaces';
import { resolveReference } from '../../xml/references';
import { envelopeNamespaces } from '../elements/envelope';
import { type EnvelopeContent, type Explain, ReadError, type ResponseObject } from './answer';
import { type FaultElement, readFault } from './fault';
import type { FieldSchema, ListSchema, RecordSchema, ResponseSchema, Schema, TextSchema, ValueSchema } from './schema';
import { describeValue, parseValue } from './values';

/** No envelope is deeper, and no start tag has more attributes: more is an attack or a mistake. */
const MAX_DEPTH = 100;
const MAX_ATTRIBUTES = 1000;
/** How much of a fault is kept, in characters, elements counted in. */
const MAX_FAULT = 1_000_000;

/** An open element that is not ignored, with what has been read of it. */
type Frame =
  | { readonly kind: 'document' | 'envelope' | 'body'; readonly name: string }
  | { readonly kind: 'text'; readonly name: string; readonly schema: TextSchema; text: string }
  | { readonly kind: 'value'; readonly name: string; readonly schema: ValueSchema; text: string }
  | { readonly kind: 'nil'; readonly name: string }
  | {
      readonly kind: 'list';
      readonly name: string;
      readonly schema: ListSchema;
      readonly items: unknown[];
      count: number;
    }
  | { readonly kind: 'record'; readonly name: string; readonly schema: RecordSchema; readonly values: unknown[] }
  | { readonly kind: 'fault'; readonly name: string; readonly element: FaultElement };

/** What is used of saxes, with three members that its types hide and a subclass overrides or reads. */
interface Saxes extends Pick<SaxesParser<{ xmlns: true }>, 'on' | 'write' | 'close' | 'fail'> {
  readonly attribList: readonly unknown[];
  parseEntity(name: string): string;
  pushAttribNS(name: string, value: string): void;
}

class Parser extends (SaxesParser as unknown as new (options: object) => Saxes) {
  /** saxes rejects the references that ASP.NET services write for forbidden characters (xml/references.ts). */
  override parseEntity(name: string): string {
    const character = resolveReference(name);
    // The handler of errors throws.
    if (character === undefined) this.fail(`&${name}; is not a known reference`);
    return character ?? '';
  }

  override pushAttribNS(name: string, value: string): void {
    if (this.attribList.length === MAX_ATTRIBUTES) {
      throw new ReadError(`an element has more than ${MAX_ATTRIBUTES} attributes`);
    }
    super.pushAttribNS(name, value);
  }
}

/**
 * Reads every legal serialization of an envelope: prefixes, CDATA, references, comments, attributes, any order of elements.
 * Texts arrive in pieces.
 */
export class SaxReader {
  readonly #parser = new Parser({ xmlns: true, position: false, defaultXMLVersion: '1.0', forceXMLVersion: true });
  readonly #stack: Frame[] = [{ kind: 'document', name: '' }];
  readonly #schema: ResponseSchema;
  readonly #items: unknown[];
  readonly #count: number;
  /** How many elements are open inside an ignored one, that one included. */
  #skipped = 0;
  #seenBody = false;
  #answer: EnvelopeContent | undefined;
  #fault: FaultElement | undefined;
  #faultSize = 0;

  /**
   * @param items where the items of the result go, so that they can be taken while bytes still arrive
   * @param count how many items came before
   */
  constructor(schema: ResponseSchema, items: unknown[], count: number) {
    this.#schema = schema;
    this.#items = items;
    this.#count = count;
    const parser = this.#parser;
    // One fixed set of handlers in one order: V8 turns the parser into a slow dictionary object for more or other sets.
    parser.on('error', (error) => this.#fail((_quote, shorten) => `not well-formed XML: ${shorten(error.message)}`));
    parser.on('doctype', () => this.#fail('a document type declaration is not allowed'));
    parser.on('opentag', (tag) => this.#open(tag));
    parser.on('text', (text) => this.#text(text));
    parser.on('cdata', (text) => this.#text(text));
    parser.on('closetag', () => this.#close());
  }

  /** @throws {ReadError} */
  write(text: string): void {
    this.#parser.write(text);
  }

  /** @throws {ReadError} */
  end(): EnvelopeContent {
    this.#parser.close();
    if (this.#fault) return { fault: readFault(this.#fault) };
    if (!this.#answer) throw new ReadError(`the envelope holds no ${this.#schema.name}`);
    return this.#answer;
  }

  /** What comes from the answer is quoted, so that it is masked first. */
  #fail(explain: string | Explain): never {
    const path = this.#stack.slice(1).map((frame) => frame.name);
    const last = this.#stack.at(-1);
    if (last?.kind === 'list' && last.count > 0) path.push(`after ${last.schema.itemName}[${last.count - 1}]`);
    const place = path.length ? ` (in ${path.join('/')})` : '';
    throw new ReadError((quote, shorten) => (typeof explain === 'string' ? explain : explain(quote, shorten)) + place);
  }

  #open(tag: SaxesTagNS): void {
    if (this.#skipped > 0) {
      this.#skipped++;
      if (this.#skipped + this.#stack.length > MAX_DEPTH) this.#fail(`elements are nested more than ${MAX_DEPTH} deep`);
      return;
    }
    const frame = this.#frameOf(tag, this.#stack.at(-1) as Frame);
    if (frame) this.#stack.push(frame);
    else this.#skipped = 1;
    if (this.#stack.length > MAX_DEPTH) this.#fail(`elements are nested more than ${MAX_DEPTH} deep`);
  }

  /** The frame of an element that matters, by its parent; undefined for one that is ignored. */
  #frameOf(tag: SaxesTagNS, parent: Frame): Frame | undefined {
    switch (parent.kind) {
      case 'document':
        if (tag.local !== 'Envelope' || !envelopeNamespaces.includes(tag.uri)) {
          this.#fail((quote) => `the root element is ${nameOf(tag, quote)}, not a SOAP envelope`);
        }
        return { kind: 'envelope', name: 'Envelope' };
      case 'envelope':
        if (tag.local !== 'Body' || !envelopeNamespaces.includes(tag.uri) || this.#seenBody) return undefined;
        this.#seenBody = true;
        return { kind: 'body', name: 'Body' };
      case 'body':
        return this.#payloadFrame(tag);
      case 'list': {
        const { item, itemName, nillable } = parent.schema;
        // An item that is passed over would be data that vanishes.
        if (tag.local !== itemName || tag.uri !== this.#schema.namespace) {
          this.#fail((quote) => `the list holds ${nameOf(tag, quote)}, not ${itemName}`);
        }
        this.#refuseHref(tag);
        const name = `${itemName}[${parent.count++}]`;
        if (!isNil(tag)) return this.#valueFrame(item, name);
        // A nil record or text is left out.
        if (nillable) parent.items.push(null);
        else if (item.kind !== 'record' && item.kind !== 'text')
          this.#fail(`${name} is nil, not ${describeValue(item)}`);
        return { kind: 'nil', name };
      }
      case 'record': {
        const index = fieldIndex(parent.schema.fields, tag.local);
        if (index < 0) return undefined;
        if (tag.uri !== this.#schema.namespace) {
          this.#fail((quote) => `${tag.local} is in namespace ${quote(tag.uri)}, not ${quote(this.#schema.namespace)}`);
        }
        // Of a repeated element the first counts.
        if (parent.values[index] !== undefined) return undefined;
        this.#refuseHref(tag);
        if (!isNil(tag)) return this.#valueFrame((parent.schema.fields[index] as FieldSchema).schema, tag.local);
        parent.values[index] = null;
        return { kind: 'nil', name: tag.local };
      }
      case 'fault': {
        if (this.#faultSize > MAX_FAULT) return undefined;
        const element = faultElement(tag);
        this.#faultSize +=
          100 +
          tag.name.length +
          element.attributes.reduce((sum, { name, value }) => sum + name.length + value.length, 0);
        parent.element.children.push(element);
        return { kind: 'fault', name: 'Fault', element };
      }
      default:
        // Without it, what is around it would be another value.
        return this.#fail((quote) => `an element, ${nameOf(tag, quote)}, stands where only text can`);
    }
  }

  /** Data that stands elsewhere, as SOAP's encoding allows (SOAP 1.1, section 5.4.1), would vanish. */
  #refuseHref({ local, attributes }: SaxesTagNS): void {
    if (attributes.href) this.#fail(`${local} only refers to its content, by href`);
  }

  #valueFrame(schema: Schema, name: string): Frame {
    switch (schema.kind) {
      case 'text':
        return { kind: 'text', name, schema, text: '' };
      case 'list':
        return { kind: 'list', name, schema, items: this.#items, count: this.#count };
      case 'record':
        return { kind: 'record', name, schema, values: [] };
      default:
        return { kind: 'value', name, schema, text: '' };
    }
  }

  #payloadFrame(tag: SaxesTagNS): Frame | undefined {
    if (this.#answer || this.#fault) return undefined;
    if (tag.local === 'Fault' && envelopeNamespaces.includes(tag.uri)) {
      this.#fault = faultElement(tag);
      return { kind: 'fault', name: 'Fault', element: this.#fault };
    }
    if (tag.local !== this.#schema.name || tag.uri !== this.#schema.namespace) {
      const { name, namespace } = this.#schema;
      this.#fail((quote) => `the body holds ${nameOf(tag, quote)}, not ${name} in namespace ${quote(namespace)}`);
    }
    return { kind: 'record', name: tag.local, schema: this.#schema, values: [] };
  }

  #text(text: string): void {
    if (this.#skipped > 0) return;
    const frame = this.#stack.at(-1) as Frame;
    if (frame.kind === 'text' || frame.kind === 'value') frame.text += text;
    else if (frame.kind === 'fault') this.#faultText(text, frame.element);
    else if ((frame.kind === 'list' || frame.kind === 'nil') && collapse(text) !== '') {
      this.#fail((quote) => `the text ${quote(text)} stands where none can`);
    }
  }

  #faultText(text: string, element: FaultElement): void {
    if (this.#faultSize > MAX_FAULT) return;
    this.#faultSize += text.length;
    element.children.push(text.slice(0, MAX_FAULT));
    if (this.#faultSize <= MAX_FAULT) return;
    for (const frame of this.#stack) if (frame.kind === 'fault') frame.element.cut = true;
  }

  #close(): void {
    if (this.#skipped > 0) {
      this.#skipped--;
      return;
    }
    const frame = this.#stack.at(-1) as Frame;
    const value = this.#valueOf(frame);
    this.#stack.pop();
    if (value === undefined) return;
    const parent = this.#stack.at(-1) as Frame;
    if (parent.kind === 'list') parent.items.push(value);
    else if (parent.kind === 'record') parent.values[fieldIndex(parent.schema.fields, frame.name)] = value;
    else this.#answer = { response: value as ResponseObject };
  }

  #valueOf(frame: Frame): unknown {
    switch (frame.kind) {
      case 'text':
        return detach(frame.text);
      case 'value':
        return (
          parseValue(frame.schema, frame.text) ??
          this.#fail((quote) => `${quote(frame.text)} is not ${describeValue(frame.schema)}`)
        );
      case 'list':
        return { [frame.schema.itemName]: frame.items };
      case 'record':
        return this.#recordOf(frame.schema.fields, frame.values);
      default:
        return undefined;
    }
  }

  #recordOf(fields: readonly FieldSchema[], values: readonly unknown[]): ResponseObject {
    const record: ResponseObject = {};
    for (const [index, field] of fields.entries()) {
      const value = values[index];
      // A nil element has been seen, so that no later one counts.
      if (value !== undefined && (value !== null || field.nillable)) record[field.name] = value;
      else if (!field.optional) this.#fail(`${field.name} is missing`);
    }
    return record;
  }
}

function fieldIndex(fields: readonly FieldSchema[], name: string): number {
  for (let index = 0; index < fields.length; index++) if (fields[index]?.name === name) return index;
  return -1;
}

function isNil(tag: SaxesTagNS): boolean {
  for (const name in tag.attributes) {
    const { uri, local, value } = tag.attributes[name] as { uri: string; local: string; value: string };
    if (local === 'nil' && uri === XSI_NAMESPACE) return /^\s*(?:true|1)\s*$/.test(value);
  }
  return false;
}

function faultElement(tag: SaxesTagNS): FaultElement {
  const attributes = Object.values(tag.attributes).map(({ name, value }) => ({ name, value }));
  return { name: tag.name, local: tag.local, attributes, children: [] };
}

function nameOf(tag: SaxesTagNS, quote: (text: string) => string): string {
  return `${quote(tag.local)} in namespace ${quote(tag.uri)}`;
}
