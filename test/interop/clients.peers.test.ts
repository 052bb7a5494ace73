import type { SoapVersion } from '../../src';
import { type Sandbox, startSandbox } from '../../src/sandbox';
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

// Other SOAP stacks generate clients from the sandbox's own ?wsdl. Each client is a program that reads calls and prints
// the responses. The sandbox says what arrived.

interface Client {
  readonly name: string;
  /** Prepares the client from the WSDL, and returns the command that calls the service in a SOAP version. */
  prepare(wsdl: string, folder: string): Promise<(version: SoapVersion) => [string, ...string[]]>;
  /** Turns a text or an element's fields into what this stack reads. */
  read(value: string | WireFields): Wire;
}

// The sandbox writes a CR unescaped, as ASP.NET services do. An XML reader turns it into an LF.
const readLineEnds = <T extends Wire>(value: T) => (typeof value === 'string' ? value.replace(/\r\n?/g, '\n') : value);

const clients: Client[] = [
  {
    name: 'zeep',
    prepare: async (wsdl) => (version) => [...script('zeep_client.py'), wsdl, version],
    // zeep reads an element without content as None, whether it is a string or a list.
    read: (value) => (Object.keys(value).length === 0 ? null : readLineEnds(value)),
  },
  {
    name: 'PHP',
    prepare: async (wsdl) => (version) => [...script('php_client.php'), wsdl, version],
    read: readLineEnds,
  },
  {
    name: 'gSOAP',
    async prepare(wsdl, folder) {
      const program = await buildGsoapPeer('client', wsdl, folder);
      return (version) => [program, version];
    },
    // gSOAP does not change line ends.
    read: (value) => value,
  },
];

const credit = long.max;

for (const stack of clients) {
  describe(stack.name, () => {
    let folder: string;
    let sandbox: Sandbox;
    let command: (version: SoapVersion) => [string, ...string[]];

    beforeAll(async () => {
      folder = makeFolder();
      sandbox = await startSandbox({ credit });
      command = await stack.prepare(`${sandbox.baseUrl}/soap/v1.asmx?wsdl`, folder);
    });

    afterAll(async () => {
      await sandbox?.close();
    });

    describe.each<SoapVersion>(['1.1', '1.2'])('in SOAP %s', (version) => {
      let peer: Peer;

      beforeAll(() => {
        peer = new Peer(command(version));
      });

      afterAll(() => peer?.stop());

      async function call(operation: string, fields: Record<string, Wire>): Promise<Wire> {
        const request = { apikey: sandbox.apiKey, ...fields, status: 0, statusmessage: '' };
        peer.write(writeJson({ operation, request }));
        const response = comparable(await peer.readJson());
        expect(sandbox.requests.at(-1)).toMatchObject({
          operation,
          headers: {
            'content-type': expect.stringMatching(version === '1.1' ? /^text\/xml/ : /^application\/soap\+xml/),
          },
        });
        return response;
      }

      /**
       * The response that the stack must read for a result, a status and a statusmessage. Null means no result element.
       */
      function responseOf(operation: string, result: Wire, status = 200, statusmessage = 'ok'): Wire {
        return comparable({ [`${operation}Result`]: result, status, statusmessage }, stack.read);
      }

      /** Sends a message, and returns its record. */
      async function send(unixdate = 0n) {
        await call('SendSimpleByApikey', {
          sender: '3000',
          message: text,
          receptor: { string: ['09120000001'] },
          unixdate,
          msgmode: 1,
        });
        const sent = sandbox.messages.at(-1);
        if (sent === undefined) throw new Error('nothing was sent');
        return { ...sent };
      }

      test('SendSimpleByApikey sends a text to each receptor and returns their ids', async () => {
        const response = await call('SendSimpleByApikey', {
          sender: ' 3000 ',
          message: text,
          receptor: { string: ['09120000001', ' 09120000002'] },
          unixdate: 0,
          msgmode: int.min,
        });

        const sent = sandbox.messages.slice(-2);
        expect(sent).toMatchObject([
          { sender: ' 3000 ', message: text, receptor: '09120000001' },
          { sender: ' 3000 ', message: text, receptor: ' 09120000002' },
        ]);
        expect(sent[0]?.messageid).toBeGreaterThan(Number.MAX_SAFE_INTEGER);
        expect(response).toEqual(responseOf('SendSimpleByApikey', { long: sent.map(({ messageid }) => messageid) }));
      });

      test('SendArrayByApikey sends each of its texts, including empty and blank texts', async () => {
        const response = await call('SendArrayByApikey', {
          sender: { string: ['1', '2', '3'] },
          message: { string: [text, '', ' \t\n '] },
          receptor: { string: ['09120000001', '09120000002', '09120000003'] },
          unixdate: 0,
          msgmode: { int: [int.max, 0, int.min] },
        });

        const sent = sandbox.messages.slice(-3);
        expect(sent).toMatchObject([
          { sender: '1', message: text, receptor: '09120000001' },
          { sender: '2', message: '', receptor: '09120000002' },
          { sender: '3', message: ' \t\n ', receptor: '09120000003' },
        ]);
        expect(response).toEqual(responseOf('SendArrayByApikey', { long: sent.map(({ messageid }) => messageid) }));
      });

      test('SendAdvance sends at the requested date, to the second', async () => {
        const response = await call('SendAdvance', {
          sender: '3000',
          message: text,
          encoding: int.max,
          receptor: '09120000001',
          unixdate: long.max,
          messagemode: int.min,
          fallbackurl: 'https://fallback.example/?a=1&b=<2>',
          clientmessageid: 'شناسه',
        });

        const sent = sandbox.messages.at(-1);
        expect(sent).toMatchObject({ message: text, date: long.max });
        expect(response).toEqual(responseOf('SendAdvance', sent?.messageid ?? null));
      });

      test('SelectByApikey returns the records of the ids', async () => {
        const records = [await send(), await send()];

        const ids = records.map(({ messageid }) => messageid);
        const response = await call('SelectByApikey', { messageid: { long: [...ids, long.min] } });

        expect(response).toEqual(responseOf('SelectByApikey', { ApiSelect: records }));
      });

      test('SelectByApikey without ids returns no records', async () => {
        const response = await call('SelectByApikey', { messageid: {} });

        expect(response).toEqual(responseOf('SelectByApikey', {}));
      });

      test('SelectoutboxByApikey distinguishes dates that a double cannot distinguish', async () => {
        const date = 2n ** 62n + (version === '1.1' ? 1n : 11n);
        await send(date - 1n);
        const record = await send(date);
        await send(date + 1n);

        const response = await call('SelectoutboxByApikey', { startUnixdate: date, endUnixdate: date });

        expect(response).toEqual(responseOf('SelectoutboxByApikey', { ApiSelect: [record] }));
      });

      test('SelectlatestByApikey returns the number of records that pagesize says', async () => {
        const older = await send();
        const newer = await send();

        const response = await call('SelectlatestByApikey', { pagesize: 2 });

        expect(response).toEqual(responseOf('SelectlatestByApikey', { ApiSelect: [newer, older] }));
      });

      test('ReceiveByApikey returns the received messages of a line, unread and read', async () => {
        const lineNumber = ` خط ${version} `;
        const received = sandbox.receive({ sender: '', receptor: lineNumber, message: text, date: long.min });
        const expected = responseOf('ReceiveByApikey', { ApiReceive: [{ ...received }] });

        expect(await call('ReceiveByApikey', { lineNumber, isread: 0 })).toEqual(expected);
        expect(await call('ReceiveByApikey', { lineNumber, isread: 1 })).toEqual(expected);
        expect(await call('ReceiveByApikey', { lineNumber, isread: 0 })).toEqual(responseOf('ReceiveByApikey', {}));
      });

      test('GetStatusByApikey returns the status of each id', async () => {
        const ids = [await send(), await send()].map(({ messageid }) => messageid);
        sandbox.setStatus(ids[0] ?? 0n, int.min);
        sandbox.setStatus(ids[1] ?? 0n, int.max);

        const response = await call('GetStatusByApikey', { messageid: { long: [...ids, long.max, long.min] } });

        expect(response).toEqual(responseOf('GetStatusByApikey', { int: [int.min, int.max, 100, 100] }));
      });

      test('CancelByApikey cancels the message of the id', async () => {
        const { messageid } = await send(long.max);

        const response = await call('CancelByApikey', { messageid: { long: [messageid] } });

        expect(response).toEqual(responseOf('CancelByApikey', { int: [13] }));
        expect(sandbox.messages.at(-1)).toMatchObject({ status: 13, statustext: 'canceled' });
      });

      test('RemainCreditByApiKey returns the credit to the last digit', async () => {
        const response = await call('RemainCreditByApiKey', {});

        const left = credit - 120n * BigInt(sandbox.messages.length);
        expect(response).toEqual(responseOf('RemainCreditByApiKey', left));
      });

      test('an unknown key is refused with a status', async () => {
        const response = await call('RemainCreditByApiKey', { apikey: 'کلید دیگر' });

        expect(response).toEqual(responseOf('RemainCreditByApiKey', 0, 403, 'invalid apikey'));
      });

      test('a fault of the service is read as a fault with its reason', async () => {
        sandbox.reply('RemainCreditByApiKey', { fault: { code: 'Server', reason: 'خطا <&>' } });

        expect(await call('RemainCreditByApiKey', {})).toEqual({ fault: 'خطا <&>' });
      });

      test('records keep extreme numbers, empty strings and absent strings', async () => {
        const extreme = { messageid: long.min, status: int.min, date: long.max, cost: int.max };
        const records = [{ ...extreme, message: text, statustext: '', sender: '', receptor: '' }, extreme];
        sandbox.reply('SelectlatestByApikey', { result: records, status: int.min, statusmessage: ' تأیید ' });

        const response = await call('SelectlatestByApikey', { pagesize: int.max });

        expect(response).toEqual(responseOf('SelectlatestByApikey', { ApiSelect: records }, int.min, ' تأیید '));
      });

      test('a list keeps the least and the greatest long', async () => {
        sandbox.reply('SendArrayByApikey', { result: [long.min, 0n, long.max] });

        const response = await call('SendArrayByApikey', { unixdate: 0 });

        expect(response).toEqual(responseOf('SendArrayByApikey', { long: [long.min, 0n, long.max] }));
      });

      test('an absent result and an absent statusmessage are read as absent', async () => {
        sandbox.reply('CancelByApikey', { result: null, statusmessage: null });

        expect(await call('CancelByApikey', { messageid: { long: [1] } })).toEqual({ status: '200' });
      });
    });
  });
}
