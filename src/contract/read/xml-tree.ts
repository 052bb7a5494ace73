import { SaxesParser, type SaxesTagNS } from 'saxes';
import { ContractError } from '../model/problems';

/** An element of a WSDL or a schema, with the place where it stands. */
export interface XmlElement {
  readonly uri: string;
  readonly local: string;
  readonly file: string;
  readonly line: number;
  /** Attributes without a namespace, by name. */
  readonly attributes: ReadonlyMap<string, string>;
  /** Names of the attributes that have a namespace, xmlns excepted: `{namespace}local`. */
  readonly foreignAttributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** The text directly inside, with white space collapsed. */
  readonly text: string;
  /** The namespace that a prefix stands for at this place. */
  namespaceOf(prefix: string): string | undefined;
}

/** A WSDL from the network may be hostile: beyond these it is refused. Lengths are in characters. */
const LIMITS = { depth: 100, attributes: 100, valueLength: 4000 };

/** How many elements may still be read, over all documents of a WSDL. */
export interface ElementBudget {
  elements: number;
}

/** Memory grows with the elements. A WSDL of 300 operations has about 10,000. */
export const MAX_ELEMENTS = 40_000;

const TOO_MANY = `more than ${MAX_ELEMENTS} elements`;

const XMLNS_NAMESPACE = 'http://www.w3.org/2000/xmlns/';

/**
 * Reads XML into a tree.
 *
 * @param file the name or address that errors give
 * @param budget is reduced by the elements that are read
 * @throws {ContractError} when it is not well-formed, has a document type declaration, or exceeds a limit
 */
export function parseXml(xml: string, file: string, budget: ElementBudget = { elements: MAX_ELEMENTS }): XmlElement {
  const parser = new SaxesParser({ xmlns: true });
  const fail = (text: string): never => {
    throw new ContractError([{ kind: 'broken', file, line: parser.line, text }]);
  };
  const open: MutableElement[] = [];
  let root: MutableElement | undefined;
  let attributes = 0;
  let line = 1;
  parser.on('error', (error) => fail(`not well-formed XML: ${error.message.replace(/^\d+:\d+: /, '')}`));
  parser.on('doctype', () => fail('a document type declaration (DOCTYPE) is not read: remove it'));
  parser.on('opentagstart', () => {
    attributes = 0;
    line = parser.line;
  });
  parser.on('attribute', ({ value }) => {
    if (value.length > LIMITS.valueLength) fail(`an attribute of more than ${LIMITS.valueLength} characters`);
    if (++attributes > LIMITS.attributes) fail(`an element with more than ${LIMITS.attributes} attributes`);
  });
  parser.on('opentag', (tag) => {
    if (--budget.elements < 0) fail(TOO_MANY);
    if (open.length >= LIMITS.depth) fail(`elements nested deeper than ${LIMITS.depth}`);
    const element = new MutableElement(tag, file, line, open.at(-1));
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

/**
 * A schema without a target namespace as a schema that includes it sees it: what it defines, and what it refers to without a
 * prefix, is in the other's namespace (XML Schema 1.0, part 1, 4.2.1).
 *
 * @param budget is reduced by the elements, which are copied
 * @throws {ContractError} when they are too many
 */
export function inNamespace(schema: XmlElement, namespace: string, budget: ElementBudget): XmlElement {
  const copy = (element: XmlElement): XmlElement => {
    const { uri, local, file, line, attributes, foreignAttributes, text } = element;
    if (--budget.elements < 0) throw new ContractError([{ kind: 'broken', file, line, text: TOO_MANY }]);
    return {
      ...{ uri, local, file, line, attributes, foreignAttributes, text },
      children: element.children.map(copy),
      namespaceOf: (prefix) => element.namespaceOf(prefix) || (prefix === '' ? namespace : undefined),
    };
  };
  const attributes = new Map([...schema.attributes, ['targetNamespace', namespace]]);
  return { ...copy(schema), attributes };
}

const NONE: ReadonlyMap<string, string> = new Map();

class MutableElement implements XmlElement {
  readonly uri: string;
  readonly local: string;
  readonly file: string;
  readonly line: number;
  readonly attributes: ReadonlyMap<string, string>;
  readonly foreignAttributes: ReadonlyMap<string, string>;
  readonly children: MutableElement[] = [];
  readonly #prefixes: { readonly [prefix: string]: string };
  readonly #parent: MutableElement | undefined;
  #text = '';

  constructor(tag: SaxesTagNS, file: string, line: number, parent: MutableElement | undefined) {
    this.uri = tag.uri;
    this.local = tag.local;
    this.file = file;
    this.line = line;
    this.#prefixes = tag.ns;
    this.#parent = parent;
    const all = Object.values(tag.attributes);
    this.attributes = new Map(all.filter(({ uri }) => uri === '').map(({ local, value }) => [local, value]));
    const foreign = all.filter(({ uri }) => uri !== '' && uri !== XMLNS_NAMESPACE);
    this.foreignAttributes = foreign.length
      ? new Map(foreign.map(({ uri, local, value }) => [`{${uri}}${local}`, value]))
      : NONE;
    parent?.children.push(this);
  }

  get text(): string {
    return this.#text.replace(/\s+/g, ' ').trim();
  }

  addText(text: string): void {
    this.#text += text;
  }

  // saxes' own resolve() knows only the place that it is at.
  namespaceOf(prefix: string): string | undefined {
    const own = Object.hasOwn(this.#prefixes, prefix) ? this.#prefixes[prefix] : undefined;
    return own ?? this.#parent?.namespaceOf(prefix);
  }
}
