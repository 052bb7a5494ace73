import type { ApiSelect } from '../../../generated/v1/definitions/ApiSelect';
import { ENVELOPES, idAt, NAMESPACE, RECORD_FIELDS, recordAt, type SoapVersion } from '../data';

/** The number of records that are made once. A longer list repeats them. */
export const LIST_BLOCK = 200_000;

let block: { readonly bytes: Buffer; readonly ends: readonly number[] } | undefined;

/** The pieces of a response's body, in the serialization of ASP.NET services. Several responses share the pieces. */
export function responseBody(version: SoapVersion, operation: string, size: number): Buffer[] {
  const head =
    `<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="${ENVELOPES[version]}"` +
    ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema"><soap:Body>' +
    `<${operation}Response xmlns="${NAMESPACE}"><${operation}Result>`;
  const tail =
    `</${operation}Result><status>200</status><statusmessage>ok</statusmessage></${operation}Response>` +
    '</soap:Body></soap:Envelope>';
  return [Buffer.from(head), ...resultPieces(operation, size), Buffer.from(tail)];
}

function resultPieces(operation: string, size: number): Buffer[] {
  switch (operation) {
    case 'SelectlatestByApikey':
      return listPieces(size);
    case 'RemainCreditByApiKey':
      return [Buffer.from(String(idAt(0)))];
    default:
      return [Buffer.from(Array.from({ length: size }, (_, index) => `<long>${idAt(index)}</long>`).join(''))];
  }
}

function listPieces(size: number): Buffer[] {
  block ??= makeBlock();
  const { bytes, ends } = block;
  const pieces = Array.from({ length: Math.floor(size / LIST_BLOCK) }, () => bytes);
  const rest = size % LIST_BLOCK;
  return rest > 0 ? [...pieces, bytes.subarray(0, ends[rest - 1])] : pieces;
}

function makeBlock(): { readonly bytes: Buffer; readonly ends: readonly number[] } {
  let end = 0;
  const ends: number[] = [];
  const records = Array.from({ length: LIST_BLOCK }, (_, index) => {
    const bytes = Buffer.from(writeRecord(recordAt(index)));
    end += bytes.length;
    ends.push(end);
    return bytes;
  });
  return { bytes: Buffer.concat(records), ends };
}

function writeRecord(record: ApiSelect): string {
  const fields = RECORD_FIELDS.map((name) => {
    const value = record[name];
    if (value === undefined) return '';
    return value === '' ? `<${name} />` : `<${name}>${writeText(String(value))}</${name}>`;
  });
  return `<ApiSelect>${fields.join('')}</ApiSelect>`;
}

/** ASP.NET services write a CR unescaped. By XML's rules, CRLF is read as LF. */
function writeText(text: string): string {
  return text.replaceAll('\n', '\r\n').replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
