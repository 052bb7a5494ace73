import { SaxesParser, type SaxesTagNS } from 'saxes';
import { ContractError } from '../model/problems';

type Attributes = ReadonlyMap<string, string>;

/** An element of a WSDL or a schema, with its place. */
export class XmlElement {
  readonly children: XmlElement[] = [];
  #text = '';

  constructor(
    readonly uri: string,
    readonly local: string,
    readonly file: string,
    /** The line of the start tag's `<`. */
    readonly line: number,
    /** Attributes without a namespace, by name. */
    readonly attributes: Attributes,
    /** Attributes that have a namespace, by `{namespace}local`; without the declarations of prefixes. */
    readonly qualifiedAttributes: Attributes,
    /** Gives the namespace of a prefix at this place. */
    readonly namespaceOf: (prefix: string) => string | undefined,
  ) {}

  /** The text directly inside, with white space collapsed. */
  get text(): string {
    return this.#text.replace(/\s+/g, ' ').trim();
  }

  addText(text: string): void {
    this.#text += text;
  }
}

/** A WSDL from the network may be hostile. These limits refuse such a WSDL. Lengths are in characters. */
const LIMITS = { depth: 100, attributes: 100, valueLength: 4000 };

/** The number of elements that may still be read, over all documents of a WSDL. */
export interface ElementBudget {
  elements: number;
}

/** The memory of a tree grows with its elements. A WSDL of 300 operations has about 10,000. */
export const MAX_ELEMENTS = 40_000;

const TOO_MANY = `more than ${MAX_ELEMENTS} elements`;

const XMLNS_NAMESPACE = 'http://www.w3.org/2000/xmlns/';

/**
 * Reads XML into a tree.
 *
 * @param file the name or address for messages
 * @param budget is reduced by the elements that are read
 * @throws {ContractError} when it is not well-formed, has a document type declaration, or exceeds a limit
 */
export function parseXml(xml: string, file: string, budget: ElementBudget = { elements: MAX_ELEMENTS }): XmlElement {
  const parser = new SaxesParser({ xmlns: true });
  const fail = (text: string): never => {
    throw new ContractError([{ kind: 'broken', file, line: parser.line, text }]);
  };
  const open: XmlElement[] = [];
  let root: XmlElement | undefined;
  let attributes = 0;
  let line = 1;
  parser.on('error', (error) => fail(`not well-formed XML: ${error.message.replace(/^\d+:\d+: /, '')}`));
  parser.on('doctype', () => fail('a document type declaration (DOCTYPE) is not read: remove it'));
  parser.on('opentagstart', () => {
    attributes = 0;
    // The parser has read one character after the tag's name, which may be a line break.
    line = /[\r\n]/.test(xml.charAt(parser.position - 1)) ? parser.line - 1 : parser.line;
  });
  parser.on('attribute', ({ value }) => {
    if (value.length > LIMITS.valueLength) fail(`an attribute of more than ${LIMITS.valueLength} characters`);
    if (++attributes > LIMITS.attributes) fail(`an element with more than ${LIMITS.attributes} attributes`);
  });
  parser.on('opentag', (tag) => {
    if (--budget.elements < 0) fail(TOO_MANY);
    if (open.length >= LIMITS.depth) fail(`elements nested deeper than ${LIMITS.depth}`);
    const parent = open.at(-1);
    const element = createElement(tag, file, line, parent);
    parent?.children.push(element);
    root ??= element;
    open.push(element);
  });
  const addText = (text: string) => open.at(-1)?.addText(text);
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => void open.pop());
  parser.write(xml).close();
  return root ?? fail('the file is empty');
}

const NONE: Attributes = new Map();

function createElement(tag: SaxesTagNS, file: string, line: number, parent: XmlElement | undefined): XmlElement {
  const all = Object.values(tag.attributes);
  const attributes = new Map(all.flatMap(({ uri, local, value }) => (uri === '' ? [[local, value]] : [])));
  const qualified = all.filter(({ uri }) => uri !== '' && uri !== XMLNS_NAMESPACE);
  const names = qualified.map(({ uri, local, value }) => [`{${uri}}${local}`, value] as const);
  const prefixes = new Map(Object.entries(tag.ns));
  // The parser's own resolve() knows only the place that the parser has reached.
  const namespaceOf =
    prefixes.size === 0 && parent
      ? parent.namespaceOf
      : (prefix: string): string | undefined => prefixes.get(prefix) ?? parent?.namespaceOf(prefix);
  const qualifiedAttributes = names.length > 0 ? new Map(names) : NONE;
  return new XmlElement(tag.uri, tag.local, file, line, attributes, qualifiedAttributes, namespaceOf);
}

/**
 * Copies a schema without a target namespace for a schema that includes it. The definitions of the copy, and its references
 * without a prefix, are in the namespace of the including schema (XML Schema 1.0, part 1, 4.2.1).
 *
 * @param budget is reduced by the elements of the copy
 * @throws {ContractError} when there are too many elements
 */
export function inNamespace(schema: XmlElement, namespace: string, budget: ElementBudget): XmlElement {
  const copy = (source: XmlElement, attributes: Attributes): XmlElement => {
    const { uri, local, file, line } = source;
    if (--budget.elements < 0) throw new ContractError([{ kind: 'broken', file, line, text: TOO_MANY }]);
    const namespaceOf = (prefix: string): string | undefined =>
      source.namespaceOf(prefix) || (prefix === '' ? namespace : undefined);
    const element = new XmlElement(uri, local, file, line, attributes, source.qualifiedAttributes, namespaceOf);
    element.addText(source.text);
    element.children.push(...source.children.map((child) => copy(child, child.attributes)));
    return element;
  };
  return copy(schema, new Map([...schema.attributes, ['targetNamespace', namespace]]));
}
