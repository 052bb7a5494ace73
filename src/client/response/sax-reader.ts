import type { SaxesTagNS } from 'saxes';
import type { Masker } from '../../internal/mask';
import { abbreviate, detach } from '../../internal/text';
import type { Element, ListElement, ResponseElement, ResponseObject } from '../../soap/element';
import { fieldsOf } from '../../soap/record-fields';
import { describeValue, parseValue, type ValueElement } from '../../soap/values';
import { envelopeNamespaces } from '../../soap/versions';
import { collapse } from '../../xml/integers';
import { XSI_NAMESPACE } from '../../xml/namespaces';
import { resolveReference, toWellFormed } from '../../xml/references';
import { Saxes } from '../../xml/saxes';
import { FaultReader } from './fault';
import { quote, ReadError } from './reading-words';

/** No envelope is deeper, and no start tag has more attributes. A larger number is an attack or a mistake. */
const MAX_DEPTH = 100;
const MAX_ATTRIBUTES = 1000;
/** The namespace of the attribute by which SOAP 1.2 refers to content elsewhere (part 2, section 3.1.5). */
const ENCODING_NAMESPACE = 'http://www.w3.org/2003/05/soap-encoding';

/** An open element that is not ignored, with the content that has been read. */
type Frame = { readonly name: string } & (
  | { readonly kind: 'document' | 'envelope' | 'body' | 'nil' | 'fault' }
  | { readonly kind: 'value'; readonly element: ValueElement; text: string }
  | { readonly kind: 'list'; readonly element: ListElement; readonly items: unknown[]; count: number }
  | { readonly kind: 'record'; readonly elements: readonly Element[]; readonly values: Map<string, unknown> }
);

class Parser extends Saxes {
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
 * Reads every legal serialization of an envelope: prefixes, CDATA, references, comments, attributes, any order of
 * elements. Texts arrive in pieces.
 */
export class SaxReader {
  readonly #parser = new Parser({ xmlns: true, position: false, defaultXMLVersion: '1.0', forceXMLVersion: true });
  readonly #stack: Frame[] = [{ kind: 'document', name: '' }];
  readonly #expected: ResponseElement;
  readonly #items: unknown[];
  readonly #count: number;
  readonly #masker: Masker;
  readonly #onUnreadable: ((message: string) => void) | undefined;
  /** The depth inside an ignored element; 0 outside one. */
  #skipped = 0;
  #seenBody = false;
  #response: ResponseObject | undefined;
  #fault: FaultReader | undefined;

  /**
   * @param items receives the items of the result, so that they can be taken while bytes still arrive
   * @param count the number of items that came before
   * @param onUnreadable takes the problem of an item that cannot be read. Without it, no response has such an item
   */
  constructor(
    expected: ResponseElement,
    masker: Masker,
    items: unknown[],
    count: number,
    onUnreadable?: (message: string) => void,
  ) {
    this.#expected = expected;
    this.#masker = masker;
    this.#items = items;
    this.#count = count;
    this.#onUnreadable = onUnreadable;
    const parser = this.#parser;
    // Set the same handlers in the same order each time; otherwise V8 makes the parser a slow dictionary.
    parser.on('error', ({ message }) =>
      this.#fail(`not well-formed XML: ${abbreviate(this.#masker.mask(message), 100)}`),
    );
    parser.on('doctype', (type) =>
      this.#fail(
        /^\s*html/i.test(type) ? 'an HTML page, not a SOAP envelope' : 'a document type declaration is not allowed',
      ),
    );
    parser.on('opentag', (tag) => {
      this.#read(() => this.#open(tag), 1);
      if (this.#skipped + this.#stack.length > MAX_DEPTH) this.#fail(`elements are nested more than ${MAX_DEPTH} deep`);
    });
    parser.on('text', (text) => this.#read(() => this.#text(text)));
    parser.on('cdata', (text) => this.#read(() => this.#text(text)));
    parser.on('closetag', (tag) => this.#read(() => this.#close(tag), 0, 1));
  }

  /** @throws {ReadError} */
  write(text: string): void {
    this.#parser.write(text);
  }

  /** @throws {ReadError | SoapFault} */
  end(): ResponseObject {
    this.#parser.close();
    if (this.#fault) throw this.#fault.end(this.#masker, this.#response);
    if (!this.#response) throw new ReadError(`the envelope contains no ${this.#expected.name}`);
    return this.#response;
  }

  #quote(text: string): string {
    return quote(text, this.#masker);
  }

  #nameOf(tag: SaxesTagNS): string {
    return `${this.#quote(tag.local)} in namespace ${this.#quote(tag.uri)}`;
  }

  /** @param message contains texts of the response only in quotes, since these are masked */
  #fail(message: string): never {
    const path = this.#stack.slice(1).map((frame) => frame.name);
    const last = this.#stack.at(-1);
    if (last?.kind === 'list' && last.count > 0) path.push(`after ${last.element.item.name}[${last.count - 1}]`);
    const place = path.length ? ` (in ${path.join('/')})` : '';
    throw new ReadError(message + place);
  }

  /**
   * Reads a part of the response. A problem inside an item of the list makes the item unreadable, if somebody takes its
   * error; the reader then skips this item. Any other problem makes the response unreadable.
   *
   * @param opened the number of elements that the part opens
   * @param closed the number of elements that the part closes
   */
  #read(part: () => void, opened = 0, closed = 0): void {
    try {
      part();
    } catch (error) {
      const start = this.#stack.findIndex(({ kind }) => kind === 'list') + 1;
      const depth = this.#stack.length + opened - start;
      if (!this.#onUnreadable || !(error instanceof ReadError) || start === 0 || depth === 0) throw error;
      const item = this.#stack[start];
      const [id] = item?.kind === 'record' ? item.values : [];
      this.#stack.length = start;
      this.#skipped = depth - closed;
      this.#onUnreadable(error.message + (id ? `; ${id[0]} is ${id[1]}` : ''));
    }
  }

  #open(tag: SaxesTagNS): void {
    const frame = this.#skipped > 0 ? undefined : this.#frameOf(tag, this.#stack.at(-1) as Frame);
    if (frame) this.#stack.push(frame);
    else this.#skipped++;
  }

  /** The frame of an element inside its parent; undefined for an element that is ignored. */
  #frameOf(tag: SaxesTagNS, parent: Frame): Frame | undefined {
    switch (parent.kind) {
      case 'document':
        if (tag.local !== 'Envelope' || !envelopeNamespaces.includes(tag.uri)) {
          this.#fail(`the root element is ${this.#nameOf(tag)}, not a SOAP envelope`);
        }
        return { kind: 'envelope', name: 'Envelope' };
      case 'envelope':
        if (tag.local !== 'Body' || !envelopeNamespaces.includes(tag.uri) || this.#seenBody) return undefined;
        this.#seenBody = true;
        return { kind: 'body', name: 'Body' };
      case 'body':
        return this.#payloadFrame(tag);
      case 'list': {
        const { item } = parent.element;
        // An item that is not recognized must not vanish.
        if (tag.local !== item.name || tag.uri !== this.#expected.namespace) {
          this.#fail(`the list contains ${this.#nameOf(tag)}, not ${item.name}`);
        }
        this.#refuseReference(tag);
        const name = `${item.name}[${parent.count++}]`;
        if (!isNil(tag)) return this.#valueFrame(item, name);
        // A nil record or text is left out.
        if (item.nillable) parent.items.push(null);
        else if (item.kind !== 'record' && item.kind !== 'text')
          this.#fail(`${name} is nil, not ${describeValue(item)}`);
        return { kind: 'nil', name };
      }
      case 'record': {
        const element = parent.elements.find(({ name }) => name === tag.local);
        if (!element) return undefined;
        if (tag.uri !== this.#expected.namespace) {
          this.#fail(
            `${tag.local} is in namespace ${this.#quote(tag.uri)}, not ${this.#quote(this.#expected.namespace)}`,
          );
        }
        // When an element is repeated, the first one counts.
        if (parent.values.has(tag.local)) return undefined;
        this.#refuseReference(tag);
        if (!isNil(tag)) return this.#valueFrame(element, tag.local);
        parent.values.set(tag.local, null);
        return { kind: 'nil', name: tag.local };
      }
      case 'fault':
        this.#fault?.open(tag);
        return parent;
      default:
        // Skipping the child would silently change the value around it.
        return this.#fail(`unexpected element ${this.#nameOf(tag)}`);
    }
  }

  /** Refuses an element whose content is elsewhere (SOAP 1.1, section 5.4.1), since the content would vanish. */
  #refuseReference({ local, attributes }: SaxesTagNS): void {
    for (const name in attributes) {
      const { uri, local: attribute } = attributes[name] as { uri: string; local: string };
      if (attribute === 'href' ? uri === '' : attribute === 'ref' && uri === ENCODING_NAMESPACE)
        this.#fail(`${local} refers to its content by ${attribute}, which is not supported`);
    }
  }

  #valueFrame(element: Element, name: string): Frame {
    switch (element.kind) {
      case 'list':
        return { kind: 'list', name, element, items: this.#items, count: this.#count };
      case 'record':
        return { kind: 'record', name, elements: fieldsOf(element), values: new Map() };
      default:
        return { kind: 'value', name, element, text: '' };
    }
  }

  #payloadFrame(tag: SaxesTagNS): Frame | undefined {
    const isExpected = tag.local === this.#expected.name && tag.uri === this.#expected.namespace;
    // After a fault, only the response matters: with both, the service contradicts itself.
    if (this.#fault && !isExpected) return undefined;
    // A fault counts wherever it is: the service has not done what the response before it says.
    if (tag.local === 'Fault' && envelopeNamespaces.includes(tag.uri)) {
      this.#fault = new FaultReader();
      this.#fault.open(tag);
      return { kind: 'fault', name: 'Fault' };
    }
    if (this.#response) this.#fail(`the body contains ${this.#nameOf(tag)} after the response`);
    if (!isExpected) {
      const { name, namespace } = this.#expected;
      this.#fail(`the body contains ${this.#nameOf(tag)}, not ${name} in namespace ${this.#quote(namespace)}`);
    }
    return { kind: 'record', name: tag.local, elements: this.#expected.children, values: new Map() };
  }

  #text(text: string): void {
    if (this.#skipped > 0) return;
    const frame = this.#stack.at(-1) as Frame;
    if (frame.kind === 'value') frame.text += text;
    else if (frame.kind === 'fault') this.#fault?.text(text);
    else if (this.#isEmpty(frame) && collapse(text) !== '') this.#fail(`unexpected text ${this.#quote(text)}`);
  }

  /** True for an element in which a text would be lost. */
  #isEmpty({ kind }: Frame): boolean {
    return kind === 'list' || kind === 'nil' || (kind === 'body' && this.#response !== undefined);
  }

  #close(tag: SaxesTagNS): void {
    if (this.#skipped > 0) {
      this.#skipped--;
      return;
    }
    const frame = this.#stack.at(-1) as Frame;
    if (frame.kind === 'fault') this.#fault?.close(tag);
    const value = this.#valueOf(frame);
    this.#stack.pop();
    if (value === undefined) return;
    const parent = this.#stack.at(-1) as Frame;
    if (parent.kind === 'list') parent.items.push(value);
    else if (parent.kind === 'record') parent.values.set(frame.name, value);
    else this.#response = value as ResponseObject;
  }

  #valueOf(frame: Frame): unknown {
    switch (frame.kind) {
      case 'value':
        return this.#parse(frame.element, frame.text);
      case 'list':
        return { [frame.element.item.name]: frame.items };
      case 'record':
        return this.#recordOf(frame.elements, frame.values);
      default:
        return undefined;
    }
  }

  #parse(element: ValueElement, text: string): unknown {
    if (element.kind === 'text') return detach(toWellFormed(text));
    return parseValue(element, text) ?? this.#fail(`${this.#quote(text)} is not ${describeValue(element)}`);
  }

  #recordOf(elements: readonly Element[], values: ReadonlyMap<string, unknown>): ResponseObject {
    const record: ResponseObject = {};
    for (const field of elements) {
      const value = values.get(field.name);
      // The null of a nil element is there so that no later element counts.
      if (value !== undefined && (value !== null || field.nillable)) record[field.name] = value;
      else if (!field.optional) this.#fail(`${field.name} is missing`);
    }
    return record;
  }
}

function isNil(tag: SaxesTagNS): boolean {
  for (const name in tag.attributes) {
    const { uri, local, value } = tag.attributes[name] as { uri: string; local: string; value: string };
    if (local === 'nil' && uri === XSI_NAMESPACE) return /^\s*(?:true|1)\s*$/.test(value);
  }
  return false;
}
