/** Calls the sandbox with prepared requests, which take little CPU time, and prints the calls in a second. */
import { Pool } from 'undici';
import { API_KEY, ENVELOPES, NAMESPACE, SMALL_MESSAGE, type SoapVersion } from '../data';

const [baseUrl, milliseconds] = process.argv.slice(2) as [string, string];

const CONCURRENCY = 32;
/** The first ids of a sandbox. */
const IDS = [0n, 1n, 2n, 3n, 4n].map((index) => 9_007_199_254_740_993n + index);

const FIELDS: Readonly<Record<string, string>> = {
  SendSimpleByApikey: `<sender>3000</sender><message>${SMALL_MESSAGE}</message><receptor><string>09120000001</string><string>09120000002</string></receptor><unixdate>0</unixdate><msgmode>1</msgmode>`,
  SendArrayByApikey: `<sender><string>3000</string><string>3001</string></sender><message><string>one</string><string>${SMALL_MESSAGE}</string></message><receptor><string>09120000003</string><string>09120000004</string></receptor><unixdate>0</unixdate><msgmode><int>1</int><int>1</int></msgmode>`,
  SendAdvance: `<sender>3000</sender><message>${SMALL_MESSAGE}</message><encoding>0</encoding><receptor>09120000005</receptor><unixdate>0</unixdate><messagemode>1</messagemode><fallbackurl></fallbackurl><clientmessageid>1</clientmessageid>`,
  SelectoutboxByApikey: '<startUnixdate>0</startUnixdate><endUnixdate>1</endUnixdate>',
  SelectByApikey: `<messageid><long>${IDS.join('</long><long>')}</long></messageid>`,
  SelectlatestByApikey: '<pagesize>10</pagesize>',
  ReceiveByApikey: '<lineNumber>3000</lineNumber><isread>0</isread>',
  GetStatusByApikey: `<messageid><long>${IDS.join('</long><long>')}</long></messageid>`,
  CancelByApikey: `<messageid><long>${IDS.join('</long><long>')}</long></messageid>`,
  RemainCreditByApiKey: '',
};

interface Prepared {
  readonly headers: string[];
  readonly body: Buffer;
}

function prepare(operation: string, version: SoapVersion): Prepared {
  const type = version === '1.2' ? 'application/soap+xml' : 'text/xml';
  const soapAction = version === '1.2' ? [] : ['SOAPAction', `"${NAMESPACE}${operation}"`];
  const body = `<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="${ENVELOPES[version]}"><soap:Body><${operation} xmlns="${NAMESPACE}"><apikey>${API_KEY}</apikey>${FIELDS[operation]}<status>0</status><statusmessage></statusmessage></${operation}></soap:Body></soap:Envelope>`;
  return { headers: ['Content-Type', `${type}; charset=utf-8`, ...soapAction], body: Buffer.from(body) };
}

/** The ten operations in both SOAP versions. */
const requests = Object.keys(FIELDS).flatMap((operation) => [prepare(operation, '1.1'), prepare(operation, '1.2')]);

const pool = new Pool(baseUrl, { connections: CONCURRENCY, pipelining: 1 });

/** Makes a call. @throws when the response is not a success */
function post({ headers, body }: Prepared): Promise<void> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    pool.dispatch(
      { path: '/soap/v1.asmx', method: 'POST', headers, body },
      {
        onConnect() {},
        onHeaders: () => true,
        onData: (chunk) => chunks.push(chunk) > 0,
        onComplete() {
          const response = Buffer.concat(chunks);
          if (response.includes('<status>200</status><statusmessage>ok<')) resolve();
          else reject(new Error(`the sandbox responded with ${response}`));
        },
        onError: reject,
      },
    );
  });
}

/** Calls for this time, in milliseconds, and returns the calls in a second. */
async function load(milliseconds: number): Promise<number> {
  const start = performance.now();
  let calls = 0;
  const loop = async () => {
    while (performance.now() < start + milliseconds) await post(requests[calls++ % requests.length] as Prepared);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, loop));
  return (1000 * calls) / (performance.now() - start);
}

async function main(): Promise<void> {
  await load(1000);
  console.log(await load(Number(milliseconds)));
}

main();
