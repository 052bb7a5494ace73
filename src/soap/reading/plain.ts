import { isUtf8 } from 'node:buffer';
import { versions } from '../versions';
import { escapeAttribute } from '../xml';
import { type IntegerType, integerRanges } from '../xsd';
import type { StubShaped } from './answer';
import type { FieldShape, NumberShape, RecordShape, ResponseShape, TextShape } from './shape';
import { normalizeLineEnds, resolveReferences } from './xml-text';

/** Text without markup and without the control characters that XML forbids. References are resolved afterwards. */
const TEXT = '[^<>\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f]*';
const INTEGER = '-?[0-9]{1,19}';
const NAME = '[A-Za-z_][A-Za-z0-9_.-]*';
/** U+FFFE and U+FFFF, which XML forbids, as UTF-8. */
const FORBIDDEN_IN_UTF8 = /\xef\xbf[\xbe\xbf]/;
const ENVELOPE_NAMESPACES: readonly string[] = Object.values(versions).map(({ namespace }) => namespace);

/** The patterns of one operation's response, compiled once per client. They match bytes read as latin-1. */
export interface PlainPatterns {
  /** Everything before the first item, or before the result when it is no list with items. */
  readonly head: RegExp;
  readonly item: ItemPattern | undefined;
  /** Everything after the last item. */
  readonly tail: RegExp;
  readonly shape: ResponseShape;
}

/** One item of a list. */
interface ItemPattern {
  readonly pattern: RegExp;
  readonly endTag: string;
  /** The value of a match that starts at byte `start`, or undefined when it is not plain after all. */
  readonly readMatch: (match: RegExpExecArray, bytes: Buffer, start: number) => unknown;
}

/** The patterns of a response, or undefined for a result that has no plain spelling. */
export function plainPatterns(shape: ResponseShape): PlainPatterns | undefined {
  const [{ name, shape: result }] = shape.fields as readonly [FieldShape];
  if (result.kind === 'record' || result.kind === 'text') return undefined;
  const namespace = escapePattern(escapeAttribute(shape.namespace));
  const declaration = '(?:<\\?xml version="1\\.0"(?: encoding="(?:utf-8|UTF-8)")? ?\\?>(?:\\r?\\n)?)?';
  const envelope = `<(?<prefix>${NAME}):Envelope(?<xmlns>(?: xmlns(?::${NAME})?="[^"<&\\x00-\\x20\\x7f-\\xff]+")+)>`;
  const open = result.kind === 'list' ? `(?<open><${name}>(?=<${result.itemName}>))?` : '(?<open>x{0}y)?';
  const whole =
    result.kind === 'list'
      ? `<${name} ?/>|<${name}></${name}>(?<number>x{0}y)?`
      : `<${name}>(?<number>${INTEGER})</${name}>`;
  return {
    shape,
    head: new RegExp(
      `^(?:\\xef\\xbb\\xbf)?${declaration}${envelope}<\\k<prefix>:Body><${shape.name} xmlns="${namespace}">${open}`,
    ),
    item: result.kind === 'list' ? itemPattern(result.itemName, result.item) : undefined,
    tail: new RegExp(
      `(?<result>(?<close></${name}>)|${whole})?<status>(?<status>-?[0-9]{1,10})</status>` +
        `(?:<statusmessage>(?<statusmessage>${TEXT})</statusmessage>|<statusmessage ?/>)?` +
        `</${shape.name}></(?<prefix>${NAME}):Body></\\k<prefix>:Envelope>[ \\t\\r\\n]*$`,
      'y',
    ),
  };
}

/**
 * Reads the plain spelling: what real servers write, which is a subset of what XML allows. It never accepts what the full
 * reader would not; what it does not know it leaves, from there on, to the full reader.
 */
export class PlainReader {
  readonly #patterns: PlainPatterns;
  readonly #items: unknown[];
  /** The start of the envelope as it was matched; the full reader needs it before what is left. */
  #head = '';
  /** Whether the start tag of the list is part of the head. */
  #open = false;

  /** @param items where the items of the result go, so that they can be taken while bytes still arrive */
  constructor(patterns: PlainPatterns, items: unknown[]) {
    this.#patterns = patterns;
    this.#items = items;
  }

  get head(): string {
    return this.#head;
  }

  /**
   * Reads the head and all complete items.
   *
   * @returns the number of bytes read, and whether the rest may still prove plain
   */
  read(bytes: Buffer): { readonly consumed: number; readonly plain: boolean } {
    // Up to the last ">" no character is cut, since that byte is never part of another character in UTF-8.
    const complete = bytes.subarray(0, bytes.lastIndexOf(0x3e) + 1);
    const text = toText(complete);
    if (text === undefined) return { consumed: 0, plain: false };
    let consumed = 0;
    if (this.#head === '') {
      const length = this.#readHead(text);
      if (length <= 0) return { consumed: 0, plain: length === 0 };
      consumed = length;
    }
    const { item } = this.#patterns;
    if (!this.#open || !item) return { consumed, plain: true };
    const { pattern, endTag, readMatch } = item;
    for (;;) {
      pattern.lastIndex = consumed;
      const match = pattern.exec(text);
      if (!match) break;
      const value = readMatch(match, complete, consumed);
      if (value === undefined) return { consumed, plain: false };
      this.#items.push(value);
      consumed = pattern.lastIndex;
    }
    // A complete item that did not match is spelled otherwise.
    return { consumed, plain: !text.includes(endTag, consumed) };
  }

  /** The response when the rest of the envelope is plain, else undefined. */
  end(bytes: Buffer): StubShaped | undefined {
    const text = toText(bytes);
    if (text === undefined || this.#head === '') return undefined;
    const { tail, shape } = this.#patterns;
    tail.lastIndex = 0;
    const { result, close, number, status, statusmessage, prefix } = tail.exec(text)?.groups ?? {};
    const [resultField, statusField] = shape.fields as readonly [FieldShape, FieldShape];
    if (status === undefined || prefix !== prefixOf(this.#head) || (close !== undefined) !== this.#open)
      return undefined;
    const response: StubShaped = {};
    const resultShape = resultField.shape;
    if (resultShape.kind === 'list' && (this.#open || result !== undefined)) {
      response[resultField.name] = { [resultShape.itemName]: this.#items };
    } else if (resultShape.kind === 'number' && number !== undefined) {
      const value = readInteger(resultShape.type, number);
      if (value === undefined) return undefined;
      response[resultField.name] = value;
    }
    const statusValue = readInteger((statusField.shape as NumberShape).type, status);
    if (statusValue === undefined) return undefined;
    response.status = statusValue;
    if (statusmessage !== undefined) {
      const start = text.lastIndexOf('<statusmessage>') + '<statusmessage>'.length;
      const value = readText(statusmessage, bytes, start);
      if (value === undefined) return undefined;
      response.statusmessage = value;
    } else if (text.includes('<statusmessage')) {
      response.statusmessage = '';
    }
    return response;
  }

  /** The length of the head, 0 when it is not complete, -1 when it is not plain. */
  #readHead(text: string): number {
    const match = this.#patterns.head.exec(text);
    if (!match) return text.length < MAX_HEAD ? 0 : -1;
    const { prefix = '', xmlns = '', open } = match.groups as Record<string, string | undefined>;
    if (!isEnvelope(prefix, xmlns)) return -1;
    this.#head = match[0];
    this.#open = open !== undefined;
    return match[0].length;
  }
}

/** No server writes a longer one; one that is not recognised by then is not plain. */
const MAX_HEAD = 4096;

/** The bytes as latin-1, one character a byte; undefined if they are not XML in UTF-8. */
function toText(bytes: Buffer): string | undefined {
  if (!isUtf8(bytes)) return undefined;
  const text = bytes.toString('latin1');
  return FORBIDDEN_IN_UTF8.test(text) ? undefined : text;
}

/** Whether the declarations are well-formed and bind the prefix to one of the envelope namespaces. */
function isEnvelope(prefix: string, xmlns: string): boolean {
  const bindings = new Map<string, string>();
  for (const [, name = '', uri = ''] of xmlns.matchAll(/ xmlns(?::([^=]+))?="([^"]*)"/g)) {
    if (bindings.has(name) || /^xml/i.test(name)) return false;
    bindings.set(name, uri);
  }
  return ENVELOPE_NAMESPACES.includes(bindings.get(prefix) ?? '');
}

function prefixOf(head: string): string | undefined {
  return /<([^:<>]+):Envelope/.exec(head)?.[1];
}

function itemPattern(name: string, shape: TextShape | NumberShape | RecordShape): ItemPattern {
  const startTag = `<${name}>`;
  const endTag = `</${name}>`;
  switch (shape.kind) {
    case 'number':
      return {
        pattern: new RegExp(`${startTag}(${INTEGER})${endTag}`, 'y'),
        endTag,
        readMatch: (match) => readInteger(shape.type, match[1] as string),
      };
    case 'text':
      return {
        pattern: new RegExp(`${startTag}(${TEXT})${endTag}`, 'y'),
        endTag,
        readMatch: (match, bytes, start) => readText(match[1] as string, bytes, start + startTag.length),
      };
    case 'record':
      return {
        pattern: new RegExp(startTag + shape.fields.map(fieldPattern).join('') + endTag, 'y'),
        endTag,
        readMatch: (match, bytes, start) => readRecord(shape.fields, match, bytes, start + startTag.length),
      };
  }
}

/** Two groups a field: its content, and its empty-element tag. */
function fieldPattern({ name, shape, optional }: FieldShape): string {
  const content = shape.kind === 'text' ? TEXT : INTEGER;
  const empty = shape.kind === 'text' ? `<${name} ?/>` : 'x{0}y';
  return `(?:<${name}>(${content})</${name}>|(${empty}))${optional ? '?' : ''}`;
}

function readRecord(
  fields: readonly FieldShape[],
  match: RegExpExecArray,
  bytes: Buffer,
  start: number,
): StubShaped | undefined {
  const record: StubShaped = {};
  let position = start;
  for (let index = 0; index < fields.length; index++) {
    const { name, shape } = fields[index] as FieldShape;
    const content = match[2 * index + 1];
    const empty = match[2 * index + 2];
    if (content !== undefined) {
      const value =
        shape.kind === 'number'
          ? readInteger(shape.type, content)
          : readText(content, bytes, position + name.length + '<>'.length);
      if (value === undefined) return undefined;
      record[name] = value;
      position += content.length + 2 * name.length + '<></>'.length;
    } else if (empty !== undefined) {
      record[name] = '';
      position += empty.length;
    }
  }
  return record;
}

/** Digits that the patterns let through; undefined when out of range. */
function readInteger(type: IntegerType, digits: string): bigint | number | undefined {
  if (type === 'long') {
    const value = BigInt(digits);
    // 18 digits are always in range.
    return digits.length < 19 || isInRange(type, value) ? value : undefined;
  }
  // Adding 0 makes -0 a 0.
  const value = Number(digits) + 0;
  return digits.length < 5 || isInRange(type, value) ? value : undefined;
}

function isInRange(type: IntegerType, value: bigint | number): boolean {
  const { min, max } = integerRanges[type];
  return value >= min && value <= max;
}

/**
 * The text whose bytes, as latin-1, are `raw`. It is copied from the bytes, since a slice of a large string keeps all of it
 * alive. Undefined when a reference in it is none.
 */
function readText(raw: string, bytes: Buffer, start: number): string | undefined {
  if (raw === '') return '';
  const text = normalizeLineEnds(bytes.toString('utf8', start, start + raw.length));
  return raw.includes('&') ? resolveReferences(text) : text;
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
