/**
 * The baseline: what the same exchanges cost on Node with nothing around them. undici's dispatch with its barest handler, a
 * string template, one regular expression, and no checks at all: not of the request, the HTTP status, the envelope, or the
 * service's status. It reads this server's serialization and nothing else. What it gives is right, since the comparison says so.
 */
import { Pool } from 'undici';
import { API_KEY, idAt, NAMESPACE, receptorAt, SMALL_MESSAGE, textAt } from '../data';
import { serveBench } from './harness';

serveBench(({ url, version }) => {
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, { connections: 16, pipelining: 1 });
  const contentType = version === '1.2' ? 'application/soap+xml; charset=utf-8' : 'text/xml; charset=utf-8';
  const envelope =
    version === '1.2' ? 'http://www.w3.org/2003/05/soap-envelope' : 'http://schemas.xmlsoap.org/soap/envelope/';

  const post = (operation: string, fields: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      const body = `<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="${envelope}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema"><soap:Body><${operation} xmlns="${NAMESPACE}"><apikey>${API_KEY}</apikey>${fields}<statusmessage></statusmessage></${operation}></soap:Body></soap:Envelope>`;
      const soapAction = version === '1.2' ? [] : ['SOAPAction', `"${NAMESPACE}${operation}"`];
      const headers = ['Content-Type', contentType, ...soapAction];
      // The handler that undici uses inside; its newer one is an adapter around it.
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

  const all = (length: number) => Array.from({ length }, (_, index) => index);
  return {
    sendSimple: (status) => async () => {
      const answer = await post(
        'SendSimpleByApikey',
        `<sender>3000</sender><message>${escapeText(SMALL_MESSAGE)}</message><receptor><string>${receptorAt(0)}</string></receptor><unixdate>0</unixdate><msgmode>1</msgmode><status>${status}</status>`,
      );
      return readLongs(answer);
    },
    sendArray: (status) => {
      const sender = all(status).map(() => '3000');
      const message = all(status).map(textAt);
      const receptor = all(status).map(receptorAt);
      const msgmode = all(status).map(() => 1);
      return async () => {
        const answer = await post(
          'SendArrayByApikey',
          `<sender>${writeStrings(sender)}</sender><message>${writeStrings(message)}</message><receptor>${writeStrings(receptor)}</receptor><unixdate>0</unixdate><msgmode><int>${msgmode.join('</int><int>')}</int></msgmode><status>${status}</status>`,
        );
        return readLongs(answer);
      };
    },
    latest: (status) => async () =>
      readRecords(await post('SelectlatestByApikey', `<pagesize>${status}</pagesize><status>${status}</status>`)),
    getStatus: (status) => {
      const messageid = all(status).map(idAt);
      return async () => {
        const ids = `<messageid><long>${messageid.join('</long><long>')}</long></messageid>`;
        return readInts(await post('GetStatusByApikey', `${ids}<status>${status}</status>`));
      };
    },
    itemsOf: (result) => result as unknown[],
  };
});

function writeStrings(texts: readonly string[]): string {
  return `<string>${texts.map(escapeText).join('</string><string>')}</string>`;
}

function escapeText(text: string): string {
  return /[&<]/.test(text) ? text.replaceAll('&', '&amp;').replaceAll('<', '&lt;') : text;
}

function readLongs(answer: string): bigint[] {
  const longs: bigint[] = [];
  const pattern = /<long>([^<]*)<\/long>/g;
  for (let match = pattern.exec(answer); match; match = pattern.exec(answer)) longs.push(BigInt(match[1] as string));
  return longs;
}

function readInts(answer: string): number[] {
  const ints: number[] = [];
  const pattern = /<int>([^<]*)<\/int>/g;
  for (let match = pattern.exec(answer); match; match = pattern.exec(answer)) ints.push(Number(match[1]));
  return ints;
}

function readRecords(answer: string): unknown[] {
  const records: unknown[] = [];
  const pattern =
    /<ApiSelect><messageid>([^<]*)<\/messageid>(?:<message>([^<]*)<\/message>|<message \/>)?<status>([^<]*)<\/status><statustext>([^<]*)<\/statustext><sender>([^<]*)<\/sender><receptor>([^<]*)<\/receptor><date>([^<]*)<\/date><cost>([^<]*)<\/cost><\/ApiSelect>/g;
  for (let match = pattern.exec(answer); match; match = pattern.exec(answer)) {
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
