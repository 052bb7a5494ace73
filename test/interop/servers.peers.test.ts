import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FaultError, MessagingClient, type SoapVersion } from '../../src';
import { formatWsdl } from '../../src/soap/wsdl';
import { makeFolder } from '../support/folder';
import {
  buildGsoapPeer,
  comparable,
  int,
  long,
  Peer,
  script,
  text,
  type Wire,
  type WireFields,
  writeJson,
} from './peer';

// Our client calls servers that other SOAP stacks generate from the WSDL. A server reports each call as it read it, and
// sends the response that the test wrote to a file.

const namespace = 'http://provider.example/messaging/v1/';
const longs = [long.beyondDouble, long.max, 0n, long.min];
const ints = [int.max, 0, int.min];

interface Server {
  readonly name: string;
  /** Starts the server with a file of responses, which it reads before each response. */
  start(wsdl: string, responses: string, folder: string): Promise<Peer>;
  /** The line that the server prints, with its port, once it serves. */
  readonly ready: RegExp;
  /** Turns a SOAPAction header into what the stack reads. */
  readAction(header: string): string;
  /** Turns a text of blanks alone into what the stack reads. */
  readBlanks(blanks: string): string;
  /** The code of a fault that the service blames on itself. */
  readonly faultCode: Readonly<Record<SoapVersion, string>>;
}

const READY = /^ready on port (\d+)$/;
const servers: Server[] = [
  {
    name: 'PHP',
    async start(wsdl, responses) {
      const [command, path] = script('php_server.php');
      // With port 0, the system picks a free port.
      return new Peer([command, '-S', '127.0.0.1:0', path], { PEER_WSDL: wsdl, PEER_RESPONSES: responses });
    },
    ready: /http:\/\/127\.0\.0\.1:(\d+)\) started/,
    readAction: (header) => header,
    // PHP's SOAP extension drops every text node that contains only blanks.
    readBlanks: () => '',
    faultCode: { '1.1': 'Server', '1.2': 'Receiver' },
  },
  {
    name: 'spyne',
    start: async (wsdl, responses) => new Peer([...script('spyne_server.py'), wsdl, responses]),
    ready: READY,
    readAction: (header) => header,
    readBlanks: (blanks) => blanks,
    faultCode: { '1.1': 'Server', '1.2': 'Receiver' },
  },
  {
    name: 'gSOAP',
    start: async (wsdl, responses, folder) => new Peer([await buildGsoapPeer('server', wsdl, folder), responses]),
    ready: READY,
    // gSOAP removes the quotes.
    readAction: (header) => header.slice(1, -1),
    readBlanks: (blanks) => blanks,
    // gSOAP responds to SOAP 1.1 with an envelope of 1.1, but with the Content-Type and the faults of 1.2.
    faultCode: { '1.1': 'Receiver', '1.2': 'Receiver' },
  },
];

const record = {
  messageid: long.beyondDouble,
  message: text,
  status: int.min,
  statustext: 'تحویل شد',
  sender: ' 3000 ',
  receptor: '09120000001',
  date: long.max,
  cost: int.max,
};
const received = { messageid: long.max, message: text, sender: '0912', receptor: '3000', date: long.min };
const emptyStrings = { ...record, message: '', statustext: '', sender: '', receptor: '' };
const numbersOnly = { messageid: long.min, status: 0, date: 0n, cost: 0 };

interface Call {
  readonly title: string;
  readonly operation: string;
  /** Makes the call with our client. */
  call(client: MessagingClient): Promise<unknown>;
  /** The fields that the server must read. */
  request(server: Server): WireFields;
  /** The result element that the server sends; null leaves it out. */
  readonly element: Wire;
  /** The result that our client must return. */
  readonly result: unknown;
}

const calls: Call[] = [
  {
    title: 'SelectoutboxByApikey with the whole range of dates resolves with exact records',
    operation: 'SelectoutboxByApikey',
    call: (client) => client.selectOutbox({ startUnixdate: long.min, endUnixdate: long.max }),
    request: () => ({ startUnixdate: long.min, endUnixdate: long.max }),
    element: { ApiSelect: [record, emptyStrings, numbersOnly] },
    result: [record, emptyStrings, numbersOnly],
  },
  {
    title: 'SelectByApikey with ids beyond 2^53 resolves with one record',
    operation: 'SelectByApikey',
    call: (client) => client.select({ messageid: longs }),
    request: () => ({ messageid: { long: longs } }),
    element: { ApiSelect: [record] },
    result: [record],
  },
  {
    title: 'SelectByApikey leaves out a nil record',
    operation: 'SelectByApikey',
    call: (client) => client.select({ messageid: [1n] }),
    request: () => ({ messageid: { long: [1] } }),
    // gSOAP writes no element for a nil record.
    element: { ApiSelect: [null, record] },
    result: [record],
  },
  {
    title: 'SelectlatestByApikey without a result element resolves with an empty list',
    operation: 'SelectlatestByApikey',
    call: (client) => client.selectLatest({ pagesize: int.max }),
    request: () => ({ pagesize: int.max }),
    element: null,
    result: [],
  },
  {
    title: 'ReceiveByApikey with the least isread resolves with received messages',
    operation: 'ReceiveByApikey',
    call: (client) => client.receive({ lineNumber: text, isread: -32_768 }),
    request: () => ({ lineNumber: text, isread: -32_768 }),
    element: { ApiReceive: [received, { messageid: 1n, date: 0n }] },
    result: [received, { messageid: 1n, date: 0n }],
  },
  {
    title: 'SendArrayByApikey with four lists resolves with longs',
    operation: 'SendArrayByApikey',
    call: (client) =>
      client.sendArray({
        sender: ['3000', ''],
        message: [text, 'b'],
        receptor: ['0912', '   x'],
        unixdate: long.beyondDouble,
        msgmode: ints,
      }),
    request: () => ({
      sender: { string: ['3000', ''] },
      message: { string: [text, 'b'] },
      receptor: { string: ['0912', '   x'] },
      unixdate: long.beyondDouble,
      msgmode: { int: ints },
    }),
    element: { long: longs },
    result: longs,
  },
  {
    title: 'SendSimpleByApikey with one receptor resolves with one long',
    operation: 'SendSimpleByApikey',
    call: (client) =>
      client.sendSimple({ sender: '3000', message: text, receptor: ['0912'], unixdate: long.max, msgmode: int.min }),
    request: () => ({
      sender: '3000',
      message: text,
      receptor: { string: ['0912'] },
      unixdate: long.max,
      msgmode: int.min,
    }),
    element: { long: [long.min] },
    result: [long.min],
  },
  {
    title: 'SendSimpleByApikey with no receptors resolves with no longs',
    operation: 'SendSimpleByApikey',
    call: (client) =>
      client.sendSimple({ sender: '', message: '', receptor: [], unixdate: 0, msgmode: 0, statusmessage: text }),
    request: () => ({
      sender: '',
      message: '',
      receptor: {},
      unixdate: 0,
      msgmode: 0,
      statusmessage: text,
    }),
    element: { long: [] },
    result: [],
  },
  {
    title: 'SendAdvance with all fields resolves with a long',
    operation: 'SendAdvance',
    call: (client) =>
      client.sendAdvance({
        sender: '3000',
        message: text,
        encoding: int.max,
        receptor: '0912',
        unixdate: long.min,
        messagemode: int.min,
        fallbackurl: 'https://fallback.example/?a=1&b=<2>',
        clientmessageid: 'شناسه',
      }),
    request: () => ({
      sender: '3000',
      message: text,
      encoding: int.max,
      receptor: '0912',
      unixdate: long.min,
      messagemode: int.min,
      fallbackurl: 'https://fallback.example/?a=1&b=<2>',
      clientmessageid: 'شناسه',
    }),
    element: long.beyondDouble,
    result: long.beyondDouble,
  },
  {
    title: 'SendAdvance sends a blank message and leaves out the elements that are null',
    operation: 'SendAdvance',
    call: (client) =>
      client.sendAdvance({
        sender: null,
        message: ' \t\n ',
        encoding: 0,
        receptor: '0912',
        unixdate: 0n,
        messagemode: 0,
        fallbackurl: null,
        clientmessageid: null,
      }),
    request: ({ readBlanks }) => ({
      message: readBlanks(' \t\n '),
      encoding: 0,
      receptor: '0912',
      unixdate: 0,
      messagemode: 0,
    }),
    element: long.min,
    result: long.min,
  },
  {
    title: 'GetStatusByApikey with ids beyond 2^53 resolves with ints',
    operation: 'GetStatusByApikey',
    call: (client) => client.getStatus({ messageid: longs }),
    request: () => ({ messageid: { long: longs } }),
    element: { int: ints },
    result: ints,
  },
  {
    title: 'CancelByApikey with an empty list resolves with an empty list',
    operation: 'CancelByApikey',
    call: (client) => client.cancel({ messageid: [] }),
    request: () => ({ messageid: {} }),
    element: { int: [] },
    result: [],
  },
  {
    title: 'RemainCreditByApiKey resolves with the greatest long',
    operation: 'RemainCreditByApiKey',
    call: (client) => client.remainCredit(),
    request: () => ({}),
    element: long.max,
    result: long.max,
  },
];

for (const server of servers) {
  describe(server.name, () => {
    let folder: string;
    let responses: string;
    let peer: Peer;
    let port: string | undefined;

    beforeAll(async () => {
      folder = makeFolder();
      const wsdl = join(folder, 'messaging.wsdl');
      responses = join(folder, 'responses.json');
      // The port is known only when the server runs. No server reads the address in its WSDL.
      writeFileSync(wsdl, formatWsdl(namespace, 'http://127.0.0.1/soap/v1.asmx'));
      peer = await server.start(wsdl, responses, folder);
      port = (await peer.read(server.ready))[1];
    });

    afterAll(async () => {
      await peer?.stop();
    });

    describe.each<SoapVersion>(['1.1', '1.2'])('in SOAP %s', (soapVersion) => {
      let client: MessagingClient;

      beforeAll(() => {
        client = new MessagingClient({
          baseUrl: `http://127.0.0.1:${port}`,
          namespace,
          apiKey: 'کلید <&>',
          successStatuses: [int.min],
          soapVersion,
        });
      });

      afterAll(() => client?.close());

      test.each(calls)('$title', async ({ operation, call, request, element, result }) => {
        const fields = element === null ? {} : { [`${operation}Result`]: element };
        writeFileSync(responses, writeJson({ [operation]: { ...fields, status: int.min, statusmessage: ' تأیید ' } }));

        const [given, report] = await Promise.all([call(client), peer.readJson()]);

        expect(report).toMatchObject({
          operation,
          contentType: `${soapVersion === '1.1' ? 'text/xml' : 'application/soap+xml'}; charset=utf-8`,
        });
        const action = server.readAction(`"${namespace}${operation}"`);
        expect(report.soapAction ?? null).toBe(soapVersion === '1.1' ? action : null);
        const expected = { apikey: 'کلید <&>', status: 0, statusmessage: '', ...request(server) };
        expect(comparable(report.request ?? null)).toEqual(comparable(expected));
        expect(given).toStrictEqual(result);
      });

      test('selectLatestStream yields the records one by one', async () => {
        const ApiSelect = [record, null, emptyStrings, numbersOnly];
        const response = { SelectlatestByApikeyResult: { ApiSelect }, status: int.min };
        writeFileSync(responses, writeJson({ SelectlatestByApikey: response }));

        const given = [];
        for await (const item of client.selectLatestStream({ pagesize: 3 })) given.push(item);

        expect(await peer.readJson()).toMatchObject({ operation: 'SelectlatestByApikey', request: { pagesize: '3' } });
        expect(given).toStrictEqual([record, emptyStrings, numbersOnly]);
      });

      test('a call that the service responds to with a fault rejects with FaultError', async () => {
        writeFileSync(responses, writeJson({ fault: 'خطا <&>' }));

        const [error] = await Promise.all([client.remainCredit().catch((reason: unknown) => reason), peer.readJson()]);

        expect(error).toBeInstanceOf(FaultError);
        expect(error).toMatchObject({
          code: server.faultCode[soapVersion],
          reason: 'خطا <&>',
          outcome: 'unknown',
        });
      });
    });
  });
}
