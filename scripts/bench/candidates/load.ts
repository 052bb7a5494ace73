/** A mixed load for the sandbox, of ready-made requests, so that it takes little of the cores that it shares with it. */
import { Pool } from 'undici';
import { API_KEY, NAMESPACE, SMALL_MESSAGE } from '../data';

const [baseUrl, milliseconds] = process.argv.slice(2) as [string, string];

const CONCURRENCY = 32;
/** The first ids that a sandbox gives. */
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
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** The ten operations in both versions. */
const requests: readonly Prepared[] = Object.entries(FIELDS).flatMap(([operation, fields]) =>
  [
    {
      envelope: 'http://schemas.xmlsoap.org/soap/envelope/',
      headers: ['Content-Type', 'text/xml; charset=utf-8', 'SOAPAction', `"${NAMESPACE}${operation}"`],
    },
    {
      envelope: 'http://www.w3.org/2003/05/soap-envelope',
      headers: ['Content-Type', 'application/soap+xml; charset=utf-8'],
    },
  ].map(({ envelope, headers }) => ({
    headers,
    body: Buffer.from(
      `<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="${envelope}"><soap:Body><${operation} xmlns="${NAMESPACE}"><apikey>${API_KEY}</apikey>${fields}<status>0</status><statusmessage></statusmessage></${operation}></soap:Body></soap:Envelope>`,
    ),
  })),
);

const pool = new Pool(baseUrl, { connections: CONCURRENCY, pipelining: 1 });

/** True for an answer of success. */
function post({ headers, body }: Prepared): Promise<boolean> {
  return new Promise((resolve) => {
    let status = 0;
    const chunks: Buffer[] = [];
    pool.dispatch(
      { path: '/soap/v1.asmx', method: 'POST', headers: headers as string[], body },
      {
        onConnect() {},
        onHeaders(code) {
          status = code;
          return true;
        },
        onData: (chunk) => chunks.push(chunk) > 0,
        onComplete: () =>
          resolve(status === 200 && Buffer.concat(chunks).includes('<status>200</status><statusmessage>ok<')),
        onError: () => resolve(false),
      },
    );
  });
}

async function load(end: number): Promise<{ calls: number; errors: number }> {
  let calls = 0;
  let errors = 0;
  const loop = async () => {
    while (performance.now() < end) {
      if (!(await post(requests[calls++ % requests.length] as Prepared))) errors++;
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, loop));
  return { calls, errors };
}

async function main(): Promise<void> {
  const warmUp = await load(performance.now() + 1000);
  const start = performance.now();
  const { calls, errors } = await load(start + Number(milliseconds));
  console.log(
    JSON.stringify({ callsPerSecond: (1000 * calls) / (performance.now() - start), errors: errors + warmUp.errors }),
  );
  process.exit();
}

main();
