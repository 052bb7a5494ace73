import type { SoapVersion } from '../../src';
import { type Sandbox, startSandbox } from '../../src/sandbox';
import { makeFolder } from '../support/folder';
import { describeStack, type Stack } from '../support/stack';
import {
  buildGsoapPeer,
  comparable,
  gsoap,
  int,
  long,
  Peer,
  php,
  script,
  text,
  type Wire,
  type WireFields,
  writeJson,
  zeep,
} from './peer';

// Clients that other people's stacks make of the sandbox's own ?wsdl. Each is a program that reads calls and prints the
// answers; the sandbox says what arrived.

interface Client extends Stack {
  /** Makes what there is to make of the WSDL, and gives the command that calls the service in a version. */
  prepare(wsdl: string, folder: string): Promise<(version: SoapVersion) => [string, ...string[]]>;
  /** A text, or an element's fields, as the stack gives what the sandbox wrote. */
  read(value: string | WireFields): Wire;
}

// The sandbox writes a CR as it is, like the stack that it stands in for, and XML has its reader turn it into an LF.
const readLineEnds = <T extends Wire>(value: T) => (typeof value === 'string' ? value.replace(/\r\n?/g, '\n') : value);

const clients: Client[] = [
  {
    ...zeep,
    prepare: async (wsdl) => (version) => [...script('zeep_client.py'), wsdl, version],
    // zeep gives None for an element without content, be it a string or a list.
    read: (value) => (Object.keys(value).length === 0 ? null : readLineEnds(value)),
  },
  {
    ...php,
    prepare: async (wsdl) => (version) => [...script('php_client.php'), wsdl, version],
    read: readLineEnds,
  },
  {
    ...gsoap,
    async prepare(wsdl, folder) {
      const program = await buildGsoapPeer('client', wsdl, folder);
      return (version) => [program, version];
    },
    // gSOAP leaves line ends as they are.
    read: (value) => value,
  },
];

const credit = long.max;

for (const stack of clients) {
  describeStack(stack, () => {
    let folder: string;
    let sandbox: Sandbox;
    let command: (version: SoapVersion) => [string, ...string[]];

    beforeAll(async () => {
      folder = makeFolder();
      sandbox = await startSandbox({ credit });
      command = await stack.prepare(`${sandbox.baseUrl}/soap/v1.asmx?wsdl`, folder);
      // gSOAP's classes are compiled.
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
        const answer = comparable(await peer.readJson());
        expect(sandbox.requests.at(-1)).toMatchObject({
          operation,
          headers: {
            'content-type': expect.stringMatching(version === '1.1' ? /^text\/xml/ : /^application\/soap\+xml/),
          },
        });
        return answer;
      }

      /** What the stack must give for a result with status and statusmessage; null stands for no result element. */
      function answerOf(operation: string, result: Wire, status = 200, statusmessage = 'ok'): Wire {
        return comparable({ [`${operation}Result`]: result, status, statusmessage }, stack.read);
      }

      /** A message of its own for a test. */
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

      test('SendSimpleByApikey sends a text to each receptor and gives their ids', async () => {
        const answer = await call('SendSimpleByApikey', {
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
        expect(answer).toEqual(answerOf('SendSimpleByApikey', { long: sent.map(({ messageid }) => messageid) }));
      });

      test('SendArrayByApikey sends each of its texts, empty and blank ones too', async () => {
        const answer = await call('SendArrayByApikey', {
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
        expect(answer).toEqual(answerOf('SendArrayByApikey', { long: sent.map(({ messageid }) => messageid) }));
      });

      test('SendAdvance sends at the date asked for, to the second', async () => {
        const answer = await call('SendAdvance', {
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
        expect(answer).toEqual(answerOf('SendAdvance', sent?.messageid ?? null));
      });

      test('SelectByApikey gives the records of the ids', async () => {
        const records = [await send(), await send()];

        const ids = records.map(({ messageid }) => messageid);
        const answer = await call('SelectByApikey', { messageid: { long: [...ids, long.min] } });

        expect(answer).toEqual(answerOf('SelectByApikey', { ApiSelect: records }));
      });

      test('SelectByApikey with no ids gives no records', async () => {
        const answer = await call('SelectByApikey', { messageid: {} });

        expect(answer).toEqual(answerOf('SelectByApikey', {}));
      });

      test('SelectoutboxByApikey tells dates apart that are one double', async () => {
        const date = 2n ** 62n + (version === '1.1' ? 1n : 11n);
        await send(date - 1n);
        const record = await send(date);
        await send(date + 1n);

        const answer = await call('SelectoutboxByApikey', { startUnixdate: date, endUnixdate: date });

        expect(answer).toEqual(answerOf('SelectoutboxByApikey', { ApiSelect: [record] }));
      });

      test('SelectlatestByApikey gives as many records as pagesize says', async () => {
        const older = await send();
        const newer = await send();

        const answer = await call('SelectlatestByApikey', { pagesize: 2 });

        expect(answer).toEqual(answerOf('SelectlatestByApikey', { ApiSelect: [newer, older] }));
      });

      test('ReceiveByApikey gives what a line received, unread and read', async () => {
        const lineNumber = ` خط ${version} `;
        const received = sandbox.receive({ sender: '', receptor: lineNumber, message: text, date: long.min });
        const expected = answerOf('ReceiveByApikey', { ApiReceive: [{ ...received }] });

        expect(await call('ReceiveByApikey', { lineNumber, isread: 0 })).toEqual(expected);
        expect(await call('ReceiveByApikey', { lineNumber, isread: 1 })).toEqual(expected);
        expect(await call('ReceiveByApikey', { lineNumber, isread: 0 })).toEqual(answerOf('ReceiveByApikey', {}));
      });

      test('GetStatusByApikey gives the status of each id', async () => {
        const ids = [await send(), await send()].map(({ messageid }) => messageid);
        sandbox.setStatus(ids[0] ?? 0n, int.min);
        sandbox.setStatus(ids[1] ?? 0n, int.max);

        const answer = await call('GetStatusByApikey', { messageid: { long: [...ids, long.max, long.min] } });

        expect(answer).toEqual(answerOf('GetStatusByApikey', { int: [int.min, int.max, 100, 100] }));
      });

      test('CancelByApikey cancels the message of the id', async () => {
        const { messageid } = await send(long.max);

        const answer = await call('CancelByApikey', { messageid: { long: [messageid] } });

        expect(answer).toEqual(answerOf('CancelByApikey', { int: [13] }));
        expect(sandbox.messages.at(-1)).toMatchObject({ status: 13, statustext: 'canceled' });
      });

      test('RemainCreditByApiKey gives the credit to the last digit', async () => {
        const answer = await call('RemainCreditByApiKey', {});

        const left = credit - 120n * BigInt(sandbox.messages.length);
        expect(answer).toEqual(answerOf('RemainCreditByApiKey', left));
      });

      test('an unknown key is refused with a status', async () => {
        const answer = await call('RemainCreditByApiKey', { apikey: 'کلید دیگر' });

        expect(answer).toEqual(answerOf('RemainCreditByApiKey', 0, 403, 'invalid apikey'));
      });

      test('a fault is a fault', async () => {
        sandbox.reply('RemainCreditByApiKey', { fault: { code: 'Server', reason: 'خطا <&>' } });

        expect(await call('RemainCreditByApiKey', {})).toEqual({ fault: 'خطا <&>' });
      });

      test('records keep extreme numbers, empty strings and absent ones', async () => {
        const extreme = { messageid: long.min, status: int.min, date: long.max, cost: int.max };
        const records = [{ ...extreme, message: text, statustext: '', sender: '', receptor: '' }, extreme];
        sandbox.reply('SelectlatestByApikey', { result: records, status: int.min, statusmessage: ' تأیید ' });

        const answer = await call('SelectlatestByApikey', { pagesize: int.max });

        expect(answer).toEqual(answerOf('SelectlatestByApikey', { ApiSelect: records }, int.min, ' تأیید '));
      });

      test('a list keeps the least and the greatest long', async () => {
        sandbox.reply('SendArrayByApikey', { result: [long.min, 0n, long.max] });

        const answer = await call('SendArrayByApikey', { unixdate: 0 });

        expect(answer).toEqual(answerOf('SendArrayByApikey', { long: [long.min, 0n, long.max] }));
      });

      test('an absent result and an absent statusmessage are absent', async () => {
        sandbox.reply('CancelByApikey', { result: null, statusmessage: null });

        expect(await call('CancelByApikey', { messageid: { long: [1] } })).toEqual({ status: '200' });
      });
    });
  });
}
