import { type BenchRecord, idAt, NAMESPACE, RECORD_FIELDS, recordAt, statusAt } from './data';

/** Legal serializations of one and the same list. `fast` is what ASP.NET services write, and what the fast reader reads. */
export const SERIALIZATIONS = ['fast', 'prefixes', 'indentation', 'cdata', 'nil', 'comments', 'references'] as const;
export type Serialization = (typeof SERIALIZATIONS)[number];
export type SoapVersion = '1.1' | '1.2';

const ENVELOPES: Readonly<Record<SoapVersion, string>> = {
  '1.1': 'http://schemas.xmlsoap.org/soap/envelope/',
  '1.2': 'http://www.w3.org/2003/05/soap-envelope',
};

/** A list of this many records is made once, and the bodies of all sizes are cut from it. A longer list repeats it. */
export const LIST_BLOCK = 200_000;

/** The bytes of an answer's body, in pieces that several answers share. */
export function listBody(version: SoapVersion, serialization: Serialization, size: number): Buffer[] {
  const { bytes, ends } = listBlock(serialization);
  const { head, tail } = around(version, serialization, 'SelectlatestByApikey');
  const pieces = Array.from({ length: Math.floor(size / LIST_BLOCK) }, () => bytes);
  const rest = size % LIST_BLOCK;
  if (rest > 0) pieces.push(bytes.subarray(0, ends[rest - 1]));
  return [Buffer.from(head), ...pieces, Buffer.from(tail)];
}

export function idsBody(version: SoapVersion, operation: string, size: number): Buffer[] {
  return numbersBody(version, operation, 'long', size, idAt);
}

export function statusesBody(version: SoapVersion, operation: string, size: number): Buffer[] {
  return numbersBody(version, operation, 'int', size, statusAt);
}

export function creditBody(version: SoapVersion, operation: string): Buffer[] {
  const { head, tail } = around(version, 'fast', operation);
  return [Buffer.from(`${head}${idAt(0)}${tail}`)];
}

function numbersBody(
  version: SoapVersion,
  operation: string,
  item: string,
  size: number,
  at: (index: number) => bigint | number,
): Buffer[] {
  const { head, tail } = around(version, 'fast', operation);
  const items = Array.from({ length: size }, (_, index) => `<${item}>${at(index)}</${item}>`);
  return [Buffer.from(head + items.join('') + tail)];
}

function around(version: SoapVersion, serialization: Serialization, operation: string): { head: string; tail: string } {
  const qualified = serialization === 'prefixes';
  const [soap, own, xmlns] = qualified ? ['SOAP-ENV', 'm:', 'xmlns:m'] : ['soap', '', 'xmlns'];
  const end = serialization === 'indentation' ? '\n  ' : '';
  return {
    head:
      `<?xml version="1.0" encoding="utf-8"?>${end}<${soap}:Envelope xmlns:${soap}="${ENVELOPES[version]}"` +
      ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema">' +
      `${end}<${soap}:Body>${end}<${own}${operation}Response ${xmlns}="${NAMESPACE}">${end}<${own}${operation}Result>`,
    tail:
      `${end}</${own}${operation}Result>${end}<${own}status>200</${own}status>${end}` +
      `<${own}statusmessage>ok</${own}statusmessage>${end}</${own}${operation}Response>${end}</${soap}:Body>${end}` +
      `</${soap}:Envelope>`,
  };
}

const blocks = new Map<Serialization, { readonly bytes: Buffer; readonly ends: readonly number[] }>();

function listBlock(serialization: Serialization): { readonly bytes: Buffer; readonly ends: readonly number[] } {
  let block = blocks.get(serialization);
  if (!block) {
    const ends: number[] = [];
    let end = 0;
    const records = Array.from({ length: LIST_BLOCK }, (_, index) => {
      const bytes = Buffer.from(writeRecord(recordAt(index), serialization, index));
      end += bytes.length;
      ends.push(end);
      return bytes;
    });
    block = { bytes: Buffer.concat(records), ends };
    blocks.set(serialization, block);
  }
  return block;
}

function writeRecord(record: BenchRecord, serialization: Serialization, index: number): string {
  const own = serialization === 'prefixes' ? 'm:' : '';
  const fields = RECORD_FIELDS.map((name) => writeField(name, record[name], serialization, own));
  const end = serialization === 'indentation' ? '\n    ' : '';
  const comment = serialization === 'comments' ? `<!-- ${index} -->` : '';
  return `${comment}${end}<${own}ApiSelect>${fields.map((field) => field && end + field).join('')}${end}</${own}ApiSelect>`;
}

function writeField(
  name: string,
  value: bigint | number | string | undefined,
  serialization: Serialization,
  own: string,
): string {
  if (value === undefined) return serialization === 'nil' ? `<${own}${name} xsi:nil="true" />` : '';
  if (value === '') return `<${own}${name} />`;
  const content = typeof value === 'string' ? writeText(value, serialization) : String(value);
  return `<${own}${name}>${content}</${own}${name}>`;
}

function writeText(text: string, serialization: Serialization): string {
  if (serialization === 'references') {
    return Array.from(text, (character) => `&#x${(character.codePointAt(0) as number).toString(16)};`).join('');
  }
  // ASP.NET services write a CR as it is, and XML says that a line end with one reads as LF.
  const lines = text.replaceAll('\n', '\r\n');
  if (serialization === 'cdata') return `<![CDATA[${lines}]]>`;
  return lines.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
