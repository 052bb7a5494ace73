import { isAscii, isUtf8, transcode } from 'node:buffer';
import { detach, isDetached } from '../../internal/strings';
import { escapeAttribute } from '../../xml/escape';
import { integerOf } from '../../xml/integers';
import { normalizeLineEnds, resolveReferences } from '../../xml/references';
import { envelopeNamespaces } from '../elements/envelope';
import type { ResponseObject } from './answer';
import type { FieldSchema, NumberSchema, RecordSchema, ResponseSchema, Schema, TextSchema } from './schema';

/** Text without markup and without the characters that XML forbids. References are resolved afterwards. */
const TEXT = '[^<>\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\ufffe\\uffff]*';
const INTEGER = '-?[0-9]{1,19}';
const NAME = '[A-Za-z_][A-Za-z0-9_.-]*';
/** Those of the prefixes xml and xmlns, which no declaration may bind (Namespaces in XML, section 3). */
const RESERVED_NAMESPACES = ['http://www.w3.org/XML/1998/namespace', 'http://www.w3.org/2000/xmlns/'];

/** The patterns of one operation's response, compiled once per client. */
export interface FastPatterns {
  readonly schema: ResponseSchema;
  /** Everything up to the response's start tag, with the list's when that follows. */
  readonly head: RegExp;
  readonly item: ItemPattern | undefined;
  /** Everything after the last item. */
  readonly tail: RegExp;
  /** The prologue of an earlier answer: a server writes the same each time, and comparing is faster than matching. */
  cachedPrologue: Head | undefined;
}

interface Head {
  readonly text: string;
  readonly prefix: string;
  /** Whether the list's start tag is part of it. */
  readonly open: boolean;
}

/** One item of a list. */
interface ItemPattern {
  readonly pattern: RegExp;
  readonly endTag: string;
  /** The value of a match that starts at `start`, or undefined when only the SAX reader can read it. */
  readonly readMatch: (match: RegExpExecArray, source: Source, start: number) => unknown;
}

/** The patterns of a response, or undefined for a result that only the SAX reader reads. */
export function fastPatterns(schema: ResponseSchema): FastPatterns | undefined {
  const [{ name, schema: result, nillable }] = schema.fields as readonly [FieldSchema];
  if (nillable || !isFast(result)) return undefined;
  const namespace = escapePattern(escapeAttribute(schema.namespace));
  const declaration = '(?:<\\?xml version="1\\.0"(?: encoding="(?:utf-8|UTF-8)")? ?\\?>(?:\\r?\\n)?)?';
  const envelope = `<(${NAME}):Envelope((?: xmlns(?::${NAME})?="[^"<&\\x00-\\x20\\x7f-\\uffff]+")+)><\\1:Body>`;
  const list = result.kind === 'list' ? result : undefined;
  const close = list ? `(</${name}>)|(<${name} ?/>)` : `((?!))|<${name}>(${INTEGER})</${name}>`;
  return {
    schema,
    head: new RegExp(
      `^\\ufeff?${declaration}${envelope}<${schema.name} xmlns="${namespace}">${list ? `(<${name}>)?` : ''}`,
    ),
    item: list && itemPattern(list.itemName, list.item as FastItem),
    tail: new RegExp(
      `(?:${close})?<status>(-?[0-9]{1,10})</status>` +
        `(?:<statusmessage>(${TEXT})</statusmessage>|(<statusmessage ?/>))?` +
        `</${schema.name}></(${NAME}):Body></\\6:Envelope>[ \\t\\r\\n]*$`,
      'y',
    ),
    cachedPrologue: undefined,
  };
}

/**
 * Reads the serialization that real servers write, which is a subset of XML. It never accepts what the SAX reader would refuse;
 * whatever it does not recognize it leaves, from there on, to the SAX reader.
 */
export class FastReader {
  readonly #patterns: FastPatterns;
  readonly #items: unknown[];
  #head: Head | undefined;
  /** The last bytes, how many of them are in the source, and up to where the source is read. */
  #bytes: Buffer = NOTHING;
  #end = 0;
  #source: Source = EMPTY;
  #position = 0;

  /** @param items where the items of the result go, so that they can be taken while bytes still arrive */
  constructor(patterns: FastPatterns, items: unknown[]) {
    this.#patterns = patterns;
    this.#items = items;
  }

  /** What has been read, without the items: with it before the bytes that are left, the SAX reader can go on. */
  get prologue(): string {
    return this.#head?.text ?? '';
  }

  /** The bytes that have not been read. */
  get left(): Buffer {
    if (this.#bytes.length === 0) return this.#bytes;
    return this.#bytes.subarray(this.#end - Buffer.byteLength(this.#source.text.slice(this.#position)));
  }

  /** Reads as far as it can; false when the SAX reader must read what is left, or it is too much to read twice. */
  write(chunk: Buffer): boolean {
    const { left } = this;
    const bytes = left.length > 0 ? Buffer.concat([left, chunk]) : chunk;
    // Up to the last ">" every character is complete, since that byte is never part of another character in UTF-8.
    const end = bytes[bytes.length - 1] === GREATER ? bytes.length : bytes.lastIndexOf(GREATER) + 1;
    const source = readSource(end === bytes.length ? bytes : bytes.subarray(0, end));
    this.#bytes = bytes;
    this.#end = source ? end : 0;
    this.#source = source ?? EMPTY;
    this.#position = 0;
    if (!source) return false;
    if (!this.#head && !this.#readHead()) return bytes.length < MAX_HEAD;
    if (this.#head?.open && !this.#readItems()) return false;
    return source.text.length - this.#position + (bytes.length - end) <= MAX_LEFT;
  }

  /** The response, or undefined when the SAX reader must read the rest of the envelope. */
  end(): ResponseObject | undefined {
    const { tail, schema } = this.#patterns;
    tail.lastIndex = this.#position;
    const head = this.#head;
    const match = head && tail.exec(this.#source.text);
    const [resultField, statusField] = schema.fields as readonly [FieldSchema, FieldSchema];
    if (!match || match[6] !== head.prefix || (match[1] !== undefined) !== head.open) return undefined;
    // A line break may follow the last ">".
    if (this.#end < this.#bytes.length && !/^[ \t\r\n]*$/.test(this.#bytes.toString('latin1', this.#end)))
      return undefined;
    const response: ResponseObject = {};
    const { schema: result, name } = resultField;
    if (result.kind === 'list' && (head.open || match[2] !== undefined)) {
      response[name] = { [result.itemName]: this.#items };
    } else if (result.kind === 'number' && match[2] !== undefined) {
      response[name] = integerOf(result.type, match[2]);
      if (response[name] === undefined) return undefined;
    }
    response.status = integerOf((statusField.schema as NumberSchema).type, match[3] as string);
    if (response.status === undefined) return undefined;
    if (match[4] !== undefined) {
      response.statusmessage = resolveText(match[4]);
      if (response.statusmessage === undefined) return undefined;
    } else if (match[5] !== undefined) {
      response.statusmessage = '';
    }
    return response;
  }

  /** False when the head is incomplete or not recognized. */
  #readHead(): boolean {
    const { cachedPrologue } = this.#patterns;
    const { text } = this.#source;
    const known = cachedPrologue !== undefined && text.slice(0, cachedPrologue.text.length) === cachedPrologue.text;
    const head = known ? cachedPrologue : this.#matchHead();
    // The list's start tag may not have arrived yet.
    if (!head || head.text.length === text.length) return false;
    // An answer with a list begins like one without, so only a head with the list's start tag is kept.
    if (head.open || !this.#patterns.item) this.#patterns.cachedPrologue = head;
    this.#head = head;
    this.#position = head.text.length;
    return true;
  }

  #matchHead(): Head | undefined {
    const match = this.#patterns.head.exec(this.#source.text);
    if (!match) return undefined;
    const [text, prefix = '', declarations = '', listStart] = match;
    // Copied: comparing with a part of another text is slow, and the part would keep the whole alive.
    return isEnvelope(prefix, declarations) ? { text: detach(text), prefix, open: listStart !== undefined } : undefined;
  }

  /** False when the SAX reader must read a complete item. */
  #readItems(): boolean {
    const { pattern, endTag, readMatch } = this.#patterns.item as ItemPattern;
    const { text } = this.#source;
    for (;;) {
      pattern.lastIndex = this.#position;
      const match = pattern.exec(text);
      // An end tag follows the last item.
      if (!match) return text.charCodeAt(this.#position + 1) === SLASH || !text.includes(endTag, this.#position);
      const value = readMatch(match, this.#source, this.#position);
      if (value === undefined) return false;
      this.#items.push(value);
      this.#position = pattern.lastIndex;
    }
  }
}

const GREATER = 0x3e;
const SLASH = 0x2f;
/** In bytes. No server writes a longer one. */
const MAX_HEAD = 4096;
/** In characters. A larger incomplete item goes to the SAX reader, which reads no byte twice. */
const MAX_LEFT = 16_384;

/** Text, with the bytes from which parts of it can be copied. */
interface Source {
  readonly text: string;
  readonly bytes: Buffer;
  readonly encoding: 'latin1' | 'utf16le';
  /** Bytes a character. */
  readonly width: 1 | 2;
}

const NOTHING = Buffer.alloc(0);
const EMPTY: Source = { text: '', bytes: NOTHING, encoding: 'latin1', width: 1 };

/**
 * The text of bytes in UTF-8, or undefined when they are invalid. Text that is not ASCII goes through UTF-16, from which V8 makes
 * strings by copying: decoding each text by itself would take a third of the time that reading a list takes.
 */
function readSource(bytes: Buffer): Source | undefined {
  if (isAscii(bytes)) return { text: bytes.toString('latin1'), bytes, encoding: 'latin1', width: 1 };
  if (!isUtf8(bytes)) return undefined;
  const utf16 = transcode(bytes, 'utf8', 'utf16le');
  return { text: utf16.toString('utf16le'), bytes: utf16, encoding: 'utf16le', width: 2 };
}

/** Whether the declarations are well-formed and bind the prefix to one of the envelope namespaces. */
function isEnvelope(prefix: string, declarations: string): boolean {
  const bindings = new Map<string, string>();
  for (const [, name = '', uri = ''] of declarations.matchAll(/ xmlns(?::([^=]+))?="([^"]*)"/g)) {
    if (bindings.has(name) || /^xml/i.test(name) || RESERVED_NAMESPACES.includes(uri)) return false;
    bindings.set(name, uri);
  }
  return envelopeNamespaces.includes(bindings.get(prefix) ?? '');
}

type FastItem = TextSchema | NumberSchema | RecordSchema;

/** A number, or a list of numbers, texts or records of both. Names with a dot would need escapes in each pattern. */
function isFast(result: Schema): boolean {
  if (result.kind === 'number') return true;
  if (result.kind !== 'list' || result.nillable || result.itemName.includes('.')) return false;
  const { item } = result;
  const isPlain = ({ kind }: Schema): boolean => kind === 'number' || kind === 'text';
  if (item.kind !== 'record') return isPlain(item);
  return item.fields.every(({ name, schema, nillable }) => isPlain(schema) && !nillable && !name.includes('.'));
}

function itemPattern(name: string, schema: FastItem): ItemPattern {
  const startTag = `<${name}>`;
  const endTag = `</${name}>`;
  switch (schema.kind) {
    case 'number':
      return {
        pattern: new RegExp(`${startTag}(${INTEGER})${endTag}`, 'y'),
        endTag,
        readMatch: (match) => integerOf(schema.type, match[1] as string),
      };
    case 'text':
      return {
        pattern: new RegExp(`${startTag}(${TEXT})${endTag}`, 'y'),
        endTag,
        readMatch: (match, source, start) => readText(match[1] as string, source, start + startTag.length),
      };
    case 'record':
      return {
        pattern: new RegExp(startTag + schema.fields.map(fieldPattern).join('') + endTag, 'y'),
        endTag,
        readMatch: (match, source, start) => readRecord(schema.fields, match, source, start, startTag.length),
      };
  }
}

/** The pattern of a field, with one group for its content. */
function fieldPattern({ name, schema, optional }: FieldSchema): string {
  if (schema.kind === 'text') return `(?:<${name}>(${TEXT})</${name}>|<${name} ?/>)${optional ? '?' : ''}`;
  return optional ? `(?:<${name}>(${INTEGER})</${name}>)?` : `<${name}>(${INTEGER})</${name}>`;
}

function readRecord(
  fields: readonly FieldSchema[],
  match: RegExpExecArray,
  source: Source,
  start: number,
  startTagLength: number,
): ResponseObject | undefined {
  const record: ResponseObject = {};
  const [text] = match;
  // Where the field's element begins in the match, which itself begins at `start` in the source.
  let position = startTagLength;
  for (let index = 0; index < fields.length; index++) {
    const { name, schema } = fields[index] as FieldSchema;
    const content = match[index + 1];
    if (content !== undefined) {
      const value =
        schema.kind === 'number'
          ? integerOf(schema.type, content)
          : readText(content, source, start + position + name.length + '<>'.length);
      if (value === undefined) return undefined;
      record[name] = value;
      position += content.length + 2 * name.length + '<></>'.length;
    } else if (text.startsWith(`<${name} />`, position) || text.startsWith(`<${name}/>`, position)) {
      record[name] = '';
      position = text.indexOf('>', position) + 1;
    }
  }
  return record;
}

/**
 * The text of a match that starts at `start`, or undefined when a reference in it is unknown. It is copied out of the bytes, since a
 * part of a large string keeps the whole alive.
 */
function readText(raw: string, { bytes, encoding, width }: Source, start: number): string | undefined {
  const copy = isDetached(raw) ? raw : bytes.toString(encoding, width * start, width * (start + raw.length));
  return resolveText(copy);
}

function resolveText(raw: string): string | undefined {
  const text = normalizeLineEnds(raw);
  return text.includes('&') ? resolveReferences(text) : text;
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
