import type { SaxesTagNS } from 'saxes';
import { collapse } from '../../xml/integers';
import { resolveReference, toWellFormed } from '../../xml/references';
import { Saxes } from '../../xml/saxes';
import { brokenFile, ContractProblems, type ProblemKind } from '../model/problems';

type Attributes = ReadonlyMap<string, string>;

/** The limits that are left for all documents of one WSDL, and their problems. */
export class ReadingLimits {
  /** The number of elements that may still be read. */
  elements = MAX_ELEMENTS;
  /** The number of bytes that may still be read. A WSDL of 300 operations has about 700,000. */
  bytes = 8 * 1024 * 1024;
  readonly problems = new ContractProblems();
}

/** The memory of a tree grows with its elements. A WSDL of 300 operations has about 10,000. */
const MAX_ELEMENTS = 40_000;

/** An element of a WSDL or a schema, with its place. */
export class XmlElement {
  readonly uri: string;
  readonly local: string;
  /** Attributes without a namespace, by name. Blanks around a value are removed, except around that of a facet. */
  readonly attributes: Attributes;
  /** Attributes that have a namespace, by `{namespace}local`; without the declarations of prefixes. */
  readonly qualifiedAttributes: Attributes;
  readonly children: XmlElement[] = [];
  /** The prefixes that are declared here. */
  readonly #prefixes: Attributes;
  #text = '';

  /** @param line the line of the start tag's `<` */
  constructor(
    tag: SaxesTagNS,
    readonly file: string,
    readonly line: number,
    readonly parent: XmlElement | undefined,
    readonly problems: ContractProblems,
  ) {
    const attributes = new Map<string, string>();
    const qualified = new Map<string, string>();
    for (const { uri, local, value } of Object.values(tag.attributes)) {
      // Names, references, numbers and addresses are collapsed (XML Schema, whiteSpace). The values of a text are not.
      if (uri === '') attributes.set(local, local === 'value' ? value : collapse(value));
      else if (uri !== XMLNS_NAMESPACE) qualified.set(`{${uri}}${local}`, value);
    }
    this.uri = tag.uri;
    this.local = tag.local;
    this.attributes = attributes;
    this.qualifiedAttributes = qualified;
    this.#prefixes = new Map(Object.entries(tag.ns));
  }

  /** Returns the namespace of a prefix at this place. */
  namespaceOf(prefix: string): string | undefined {
    // The parser's own resolve() knows only the place that the parser has reached.
    return this.#prefixes.get(prefix) ?? this.parent?.namespaceOf(prefix);
  }

  /** The text directly inside, with white space collapsed. */
  get text(): string {
    return toWellFormed(this.#text).replace(/\s+/g, ' ').trim();
  }

  addText(text: string): void {
    this.#text += text;
  }

  /** Reports a problem at this place. @param subject problems of one place and one subject are the same problem */
  report(kind: ProblemKind, text: string, subject = text): void {
    this.problems.add(kind, this, text, subject);
  }
}

class Parser extends Saxes {
  /** saxes refuses half a surrogate pair, which is how some services write an emoji. Two halves make a character. */
  override parseEntity(name: string): string {
    const character = resolveReference(name) ?? '';
    return /\p{Cs}/u.test(character) ? character : super.parseEntity(name);
  }
}

const XMLNS_NAMESPACE = 'http://www.w3.org/2000/xmlns/';
/** The beginning of an HTML page, after comments. */
const HTML = /^\s*(?:<!--[^>]*-->\s*)*<(?:!doctype\s+)?html[\s>]/i;

/** The elements of HTML that separate words. */
const SEPARATING: ReadonlySet<string> = new Set('br p div li ul ol table tr td th h1 h2 h3 h4 h5 h6'.split(' '));

/** The limits for a WSDL from the network, which may be hostile. Lengths are in characters. */
const LIMITS = { depth: 100, attributes: 100, valueLength: 4000 };

/**
 * Reads XML into a tree.
 *
 * @param file the name or address for messages
 * @throws {ContractError} when it is not well-formed, has a document type declaration, or exceeds a limit
 */
export function parseXml(xml: string, file: string, reading: ReadingLimits): XmlElement {
  const parser = new Parser({ xmlns: true });
  const fail = (text: string): never => {
    throw brokenFile({ file, line: parser.line }, text);
  };
  const open: XmlElement[] = [];
  /** Documentation may contain markup, whose text belongs to it. */
  const documentation = () => open.find(({ local }) => local === 'documentation');
  let root: XmlElement | undefined;
  let attributes = 0;
  let line = 1;
  // HTML is rarely well-formed XML.
  if (HTML.test(xml)) fail('an HTML page, not a WSDL');
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
    if (--reading.elements < 0) fail(`more than ${MAX_ELEMENTS} elements`);
    if (open.length >= LIMITS.depth) fail(`elements nested deeper than ${LIMITS.depth}`);
    const parent = open.at(-1);
    const element = new XmlElement(tag, file, line, parent, reading.problems);
    parent?.children.push(element);
    root ??= element;
    if (SEPARATING.has(tag.local)) documentation()?.addText(' ');
    open.push(element);
  });
  const addText = (text: string) => (documentation() ?? open.at(-1))?.addText(text);
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', ({ local }) => {
    open.pop();
    if (SEPARATING.has(local)) documentation()?.addText(' ');
  });
  parser.write(xml).close();
  return root ?? fail('the file is empty');
}
