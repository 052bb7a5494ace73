/**
 * The least that the same calls cost on Node: undici's dispatch with a minimal handler, a string template and a regular expression. It
 * checks nothing and reads only this server's serialization. Its results are right, because every run compares them.
 */
import { Pool } from 'undici';
import { API_KEY, arrayRequest, ENVELOPES, NAMESPACE, receptorAt, SMALL_MESSAGE } from '../data';
import { serveCommands } from './harness';

const { origin, pathname } = new URL(process.argv[2] as string);
const pool = new Pool(origin, { connections: 16, pipelining: 1 });

function post(operation: string, fields: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const body = `<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="${ENVELOPES['1.1']}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema"><soap:Body><${operation} xmlns="${NAMESPACE}"><apikey>${API_KEY}</apikey>${fields}<statusmessage></statusmessage></${operation}></soap:Body></soap:Envelope>`;
    const headers = ['Content-Type', 'text/xml; charset=utf-8', 'SOAPAction', `"${NAMESPACE}${operation}"`];
    // The handler interface that undici uses inside. Its newer interface is an adapter around this one.
    pool.dispatch(
      { path: pathname, method: 'POST', headers, body },
      {
        onConnect() {},
        onHeaders: () => true,
        onData: (chunk) => chunks.push(chunk) > 0,
        onComplete: () => resolve((chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)).toString()),
        onError: reject,
      },
    );
  });
}

serveCommands({
  sendSimple: (status) => async () => {
    const fields = `<sender>3000</sender><message>${escapeText(SMALL_MESSAGE)}</message><receptor><string>${receptorAt(0)}</string></receptor><unixdate>0</unixdate><msgmode>1</msgmode><status>${status}</status>`;
    return readLongs(await post('SendSimpleByApikey', fields));
  },
  sendArray: (status) => {
    const { sender, message, receptor, msgmode } = arrayRequest(status);
    return async () => {
      const fields = `<sender>${writeStrings(sender)}</sender><message>${writeStrings(message)}</message><receptor>${writeStrings(receptor)}</receptor><unixdate>0</unixdate><msgmode><int>${msgmode.join('</int><int>')}</int></msgmode><status>${status}</status>`;
      return readLongs(await post('SendArrayByApikey', fields));
    };
  },
  selectLatest: (status) => async () =>
    readRecords(await post('SelectlatestByApikey', `<pagesize>${status}</pagesize><status>${status}</status>`)),
  itemsOf: (result) => result as unknown[],
});

function writeStrings(texts: readonly string[]): string {
  return `<string>${texts.map(escapeText).join('</string><string>')}</string>`;
}

function escapeText(text: string): string {
  return /[&<]/.test(text) ? text.replaceAll('&', '&amp;').replaceAll('<', '&lt;') : text;
}

function readLongs(response: string): bigint[] {
  const longs: bigint[] = [];
  const pattern = /<long>([^<]*)<\/long>/g;
  for (let match = pattern.exec(response); match; match = pattern.exec(response))
    longs.push(BigInt(match[1] as string));
  return longs;
}

function readRecords(response: string): unknown[] {
  const records: unknown[] = [];
  const pattern =
    /<ApiSelect><messageid>([^<]*)<\/messageid>(?:<message>([^<]*)<\/message>|<message \/>)?<status>([^<]*)<\/status><statustext>([^<]*)<\/statustext><sender>([^<]*)<\/sender><receptor>([^<]*)<\/receptor><date>([^<]*)<\/date><cost>([^<]*)<\/cost><\/ApiSelect>/g;
  for (let match = pattern.exec(response); match; match = pattern.exec(response)) {
    const message = match[2];
    records.push({
      messageid: BigInt(match[1] as string),
      message: message && readText(message),
      status: Number(match[3]),
      statustext: match[4],
      sender: match[5],
      receptor: match[6],
      date: BigInt(match[7] as string),
      cost: Number(match[8]),
    });
  }
  return records;
}

const REFERENCES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '\r\n': '\n' };

function readText(text: string): string {
  return /[&\r]/.test(text) ? text.replace(/&amp;|&lt;|&gt;|\r\n/g, (found) => REFERENCES[found] as string) : text;
}
