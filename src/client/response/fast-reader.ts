import { isAscii, isUtf8, transcode } from 'node:buffer';
import { detach } from '../../internal/text';
import type {
  Element,
  IntegerElement,
  ListElement,
  RecordElement,
  ResponseElement,
  ResponseObject,
  TextElement,
} from '../../soap/element';
import { fieldsOf } from '../../soap/record-fields';
import { envelopeNamespaces } from '../../soap/versions';
import { escapeAttribute } from '../../xml/escape';
import { integerOf } from '../../xml/integers';
import { normalizeLineEnds, resolveReferences } from '../../xml/references';

/** Text without markup and without the characters that XML forbids. References are resolved afterwards. */
const TEXT = '[^<>\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\ufffe\\uffff]*';
const INTEGER = '-?[0-9]{1,19}';
const NAME = '[A-Za-z_][A-Za-z0-9_.-]*';
/** The namespaces of the prefixes xml and xmlns, which no declaration may bind (Namespaces in XML, section 3). */
const RESERVED_NAMESPACES = ['http://www.w3.org/XML/1998/namespace', 'http://www.w3.org/2000/xmlns/'];

/** The patterns of one operation's response. They are compiled once per client. */
export interface FastPatterns {
  readonly expected: ResponseElement;
  /** Matches everything up to the response's start tag, with the list's start tag when it follows. */
  readonly prologue: RegExp;
  readonly item: ItemPattern | undefined;
  /** Matches everything after the last item. */
  readonly epilogue: RegExp;
  /** The prologue of an earlier response. Servers repeat their prologue, and comparing is faster than matching. */
  cachedPrologue: Prologue | undefined;
}

interface Prologue {
  readonly text: string;
  readonly prefix: string;
  /** True when the list's start tag is a part of the text. */
  readonly opensList: boolean;
}

interface ItemPattern {
  readonly pattern: RegExp;
  readonly endTag: string;
  /** Returns the value of a match, or undefined when only the SAX reader can read it. */
  readonly readMatch: (match: RegExpExecArray) => unknown;
}

/** Compiles the patterns of a response, or returns undefined for a result that only the SAX reader reads. */
export function fastPatterns(expected: ResponseElement): FastPatterns | undefined {
  const [result] = expected.children;
  if (!isFast(result)) return undefined;
  const { name } = result;
  const namespace = escapePattern(escapeAttribute(expected.namespace));
  const declaration = '(?:<\\?xml version="1\\.0"(?: encoding="(?:utf-8|UTF-8)")? ?\\?>(?:\\r?\\n)?)?';
  const envelope = `<(${NAME}):Envelope((?: xmlns(?::${NAME})?="[^"<&\\x00-\\x20\\x7f-\\uffff]+")+)><\\1:Body>`;
  const list = result.kind === 'list' ? result : undefined;
  const close = list ? `(</${name}>)|(<${name} ?/>)` : `((?!))|<${name}>(${INTEGER})</${name}>`;
  return {
    expected,
    prologue: new RegExp(
      `^\\ufeff?${declaration}${envelope}<${expected.name} xmlns="${namespace}">${list ? `(<${name}>)?` : ''}`,
    ),
    item: list && itemPattern(list.item),
    epilogue: new RegExp(
      `(?:${close})?<status>(-?[0-9]{1,10})</status>` +
        `(?:<statusmessage>(${TEXT})</statusmessage>|(<statusmessage ?/>))?` +
        `</${expected.name}></(${NAME}):Body></\\6:Envelope>[ \\t\\r\\n]*$`,
      'y',
    ),
    cachedPrologue: undefined,
  };
}

/**
 * Reads the serialization that real servers write, which is a subset of XML. It never accepts a response that the SAX
 * reader would refuse. It leaves a text that it does not recognize, and everything after this text, to the SAX reader.
 */
export class FastReader {
  readonly #patterns: FastPatterns;
  readonly #items: unknown[];
  #prologue: Prologue | undefined;
  /** The last bytes. The first `#end` of them are in the text, which is read up to `#position`. */
  #bytes: Buffer = NOTHING;
  #end = 0;
  #text = '';
  #position = 0;

  /** @param items receives the items of the result, so that they can be taken while bytes still arrive */
  constructor(patterns: FastPatterns, items: unknown[]) {
    this.#patterns = patterns;
    this.#items = items;
  }

  /** The text that was read before the items. The SAX reader goes on with this text and the unread bytes. */
  get prologue(): string {
    return this.#prologue?.text ?? '';
  }

  get unread(): Buffer {
    if (this.#bytes.length === 0) return this.#bytes;
    return this.#bytes.subarray(this.#end - Buffer.byteLength(this.#text.slice(this.#position)));
  }

  /** Reads as far as it can. False when the SAX reader has to take over the unread bytes. */
  tryRead(chunk: Buffer): boolean {
    const { unread } = this;
    const bytes = unread.length > 0 ? Buffer.concat([unread, chunk]) : chunk;
    // Up to the last ">" every character is complete, since this byte is never a part of another character in UTF-8.
    const end = bytes[bytes.length - 1] === GREATER ? bytes.length : bytes.lastIndexOf(GREATER) + 1;
    const text = decode(end === bytes.length ? bytes : bytes.subarray(0, end));
    this.#bytes = bytes;
    this.#end = text === undefined ? 0 : end;
    this.#text = text ?? '';
    this.#position = 0;
    if (text === undefined) return false;
    if (!this.#prologue) this.#readPrologue();
    if (this.#prologue?.opensList && !this.#readItems()) return false;
    return text.length - this.#position + (bytes.length - end) <= MAX_UNREAD;
  }

  /** Returns the response, or undefined when the SAX reader must read the rest of the envelope. */
  end(): ResponseObject | undefined {
    const { epilogue, expected } = this.#patterns;
    const prologue = this.#prologue;
    epilogue.lastIndex = this.#position;
    const match = prologue && epilogue.exec(this.#text);
    if (!match || match[6] !== prologue.prefix || (match[1] !== undefined) !== prologue.opensList) return undefined;
    // A line break may follow the last ">".
    if (this.#end < this.#bytes.length && !/^[ \t\r\n]*$/.test(this.#bytes.toString('latin1', this.#end)))
      return undefined;
    const response: ResponseObject = {};
    const [result, status] = expected.children as readonly [FastResult, IntegerElement];
    if (result.kind === 'list' && (prologue.opensList || match[2] !== undefined)) {
      response[result.name] = { [result.item.name]: this.#items };
    } else if (result.kind === 'integer' && match[2] !== undefined) {
      response[result.name] = integerOf(result.type, match[2]);
      if (response[result.name] === undefined) return undefined;
    }
    response.status = integerOf(status.type, match[3] as string);
    if (response.status === undefined) return undefined;
    if (match[4] !== undefined) {
      response.statusmessage = resolveText(match[4]);
      if (response.statusmessage === undefined) return undefined;
    } else if (match[5] !== undefined) {
      response.statusmessage = '';
    }
    return response;
  }

  /** Reads the prologue, unless it is incomplete or not recognized. */
  #readPrologue(): void {
    const { cachedPrologue } = this.#patterns;
    const text = this.#text;
    const isCached = cachedPrologue !== undefined && text.slice(0, cachedPrologue.text.length) === cachedPrologue.text;
    const prologue = isCached ? cachedPrologue : this.#matchPrologue();
    // The list's start tag may not have arrived yet.
    if (!prologue || prologue.text.length === text.length) return;
    // A response with a list begins like a response without one, so only a prologue with the list's start tag is kept.
    if (prologue.opensList || !this.#patterns.item) this.#patterns.cachedPrologue = prologue;
    this.#prologue = prologue;
    this.#position = prologue.text.length;
  }

  #matchPrologue(): Prologue | undefined {
    const match = this.#patterns.prologue.exec(this.#text);
    if (!match) return undefined;
    const [text, prefix = '', declarations = '', listStart] = match;
    if (!isEnvelope(prefix, declarations)) return undefined;
    // Copied: comparing with a part of another text is slow, and the part would keep the whole text alive.
    return { text: detach(text), prefix, opensList: listStart !== undefined };
  }

  /** False when the SAX reader must read a complete item. */
  #readItems(): boolean {
    const { pattern, endTag, readMatch } = this.#patterns.item as ItemPattern;
    const text = this.#text;
    for (;;) {
      pattern.lastIndex = this.#position;
      const match = pattern.exec(text);
      // An end tag follows the last item.
      if (!match) return text.charCodeAt(this.#position + 1) === SLASH || !text.includes(endTag, this.#position);
      const value = readMatch(match);
      if (value === undefined) return false;
      this.#items.push(value);
      this.#position = pattern.lastIndex;
    }
  }
}

const GREATER = 0x3e;
const SLASH = 0x2f;
/** The limit for the unread text, in characters. The SAX reader, which reads no byte twice, gets a larger one. */
const MAX_UNREAD = 16_384;

const NOTHING = Buffer.alloc(0);

/** Decodes bytes in UTF-8, or returns undefined when they are invalid. Through UTF-16 is five times as fast. */
function decode(bytes: Buffer): string | undefined {
  if (isAscii(bytes)) return bytes.toString('latin1');
  return isUtf8(bytes) ? transcode(bytes, 'utf8', 'utf16le').toString('utf16le') : undefined;
}

/** True when the declarations are well-formed and bind the prefix to one of the envelope namespaces. */
function isEnvelope(prefix: string, declarations: string): boolean {
  const bindings = new Map<string, string>();
  for (const [, name = '', uri = ''] of declarations.matchAll(/ xmlns(?::([^=]+))?="([^"]*)"/g)) {
    if (bindings.has(name) || /^xml/i.test(name) || RESERVED_NAMESPACES.includes(uri)) return false;
    bindings.set(name, uri);
  }
  return envelopeNamespaces.includes(bindings.get(prefix) ?? '');
}

/** The results that the fast reader reads: an integer, or a list of integers or of records of integers and texts. */
type FastResult = IntegerElement | (ListElement & { readonly item: FastItem });
type FastItem = IntegerElement | RecordElement;
type FastValue = IntegerElement | TextElement;

function isFast(result: Element | undefined): result is FastResult {
  if (result?.kind !== 'list') return result?.kind === 'integer' && isPlain(result);
  const { item } = result;
  return isPlain(item) && (item.kind === 'record' ? fieldsOf(item).every(isFastValue) : item.kind === 'integer');
}

function isFastValue(element: Element): element is FastValue {
  return (element.kind === 'integer' || element.kind === 'text') && isPlain(element);
}

/** False for a name with a dot, which each pattern would have to escape, and for an element that may be nil. */
function isPlain({ name, nillable }: Element): boolean {
  return !nillable && !name.includes('.');
}

function itemPattern(item: FastItem): ItemPattern {
  const startTag = `<${item.name}>`;
  const endTag = `</${item.name}>`;
  if (item.kind === 'integer') {
    const readMatch = (match: RegExpExecArray) => integerOf(item.type, match[1] as string);
    return { pattern: new RegExp(fieldPattern(item), 'y'), endTag, readMatch };
  }
  const fields = fieldsOf(item) as readonly FastValue[];
  return {
    pattern: new RegExp(startTag + fields.map(fieldPattern).join('') + endTag, 'y'),
    endTag,
    readMatch: (match) => readRecord(fields, match),
  };
}

/** Writes the pattern of a field: a group for its content, and for a text another one for an empty element. */
function fieldPattern({ name, kind, optional }: FastValue): string {
  const content = kind === 'text' ? `<${name}>(${TEXT})</${name}>|(<${name} ?/>)` : `<${name}>(${INTEGER})</${name}>`;
  return `(?:${content})${optional ? '?' : ''}`;
}

function readRecord(fields: readonly FastValue[], match: RegExpExecArray): ResponseObject | undefined {
  const record: ResponseObject = {};
  let group = 1;
  for (let index = 0; index < fields.length; index++) {
    const field = fields[index] as FastValue;
    const content = match[group++];
    const isEmpty = field.kind === 'text' && match[group++] !== undefined;
    if (content !== undefined) {
      const value = field.kind === 'integer' ? integerOf(field.type, content) : resolveText(detach(content));
      if (value === undefined) return undefined;
      record[field.name] = value;
    } else if (isEmpty) {
      record[field.name] = '';
    }
  }
  return record;
}

function resolveText(raw: string): string | undefined {
  const text = normalizeLineEnds(raw);
  return text.includes('&') ? resolveReferences(text) : text;
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
