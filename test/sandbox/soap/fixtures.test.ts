import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sandbox } from '../../../src/sandbox';
import { exchange } from '../../support/raw-client';
import { openSandbox } from '../../support/sandbox';

const FOLDER = join(__dirname, '../../fixtures/asmx');

/** Replays the recorded bytes of a request. */
async function replay(sandbox: Sandbox, name: string): Promise<{ head: string; body: string }> {
  const response = await exchange(sandbox.baseUrl, readFileSync(join(FOLDER, `${name}.request.http`)));
  return split(response);
}

/**
 * The recorded response, changed where the sandbox differs on purpose: the prefix of SOAP 1.2, and the service's own
 * echo.
 */
function recorded(name: string): { head: string; body: string } {
  const { head, body } = split(readFileSync(join(FOLDER, `${name}.response.http`), 'utf8'));
  const renamed = body.includes('"http://www.w3.org/2003/05/soap-envelope"')
    ? body.replaceAll('<soap:', '<soap12:').replaceAll('</soap:', '</soap12:').replaceAll('>soap:', '>soap12:')
    : body;
  return { head, body: renamed.replace('xmlns:soap="http://www.w3.org/2003', 'xmlns:soap12="http://www.w3.org/2003') };
}

function split(message: string): { head: string; body: string } {
  const end = message.indexOf('\r\n\r\n');
  return { head: message.slice(0, end), body: message.slice(end + 4) };
}

/** The status line, and the headers that both stacks send in the same words. */
function comparable(head: string): string[] {
  return head.split('\r\n').filter((line) => /^(HTTP\/|Cache-Control:|Content-Type:)/.test(line));
}

async function expectRecorded(sandbox: Sandbox, name: string, adapt = (body: string) => body): Promise<void> {
  const response = await replay(sandbox, name);
  const expected = recorded(name);
  expect(adapt(response.body)).toBe(adapt(expected.body));
  expect(comparable(response.head)).toEqual(comparable(expected.head));
  expect(response.head).toContain(`Content-Length: ${Buffer.byteLength(response.body)}\r\n`);
}

/** The date of the recording is in the past. */
const ignoreNow = (body: string): string => body.replaceAll(/<date>1[78]\d{8}<\/date>/g, '<date>now</date>');
/** The recorded service echoed its arguments. */
const ignoreEcho = (body: string): string =>
  body.replace(/<statusmessage>[^<]*<\/statusmessage>/, '<statusmessage>ok</statusmessage>');

describe('recorded exchanges of an ASMX service', () => {
  let sandbox: Sandbox;

  beforeEach(async () => {
    sandbox = await openSandbox({ apiKeys: ['test-key', 'test-key-null', 'test-key-empty'] });
  });

  test('The sandbox responds as the recorded service to operations that send, list, cancel and query, in both SOAP versions', async () => {
    for (const version of ['11', '12']) {
      await expectRecorded(sandbox, `SendSimpleByApikey.${version}`);
      await expectRecorded(sandbox, `SendArrayByApikey.${version}`);
      await expectRecorded(sandbox, `SendAdvance.${version}`, ignoreEcho);
      await expectRecorded(sandbox, `SelectoutboxByApikey.${version}`);
      await expectRecorded(sandbox, `SelectByApikey.${version}`, ignoreNow);
      await expectRecorded(sandbox, `SelectlatestByApikey.${version}`, ignoreNow);
      await expectRecorded(sandbox, `CancelByApikey.${version}`);
      await expectRecorded(sandbox, `GetStatusByApikey.${version}`);
    }
  });

  test.each(['11', '12'])('The sandbox responds as the recorded service to ReceiveByApikey (%s)', async (version) => {
    const { body } = recorded('ReceiveByApikey.11');
    const messages = [
      'hello',
      'سلام دنیا\u200cی من',
      'emoji 😀👨\u200d👩\u200d👧',
      '<b>&amp; "q" \'a\' ]]></b>',
      '  spaces  ',
      'l1\nl2\r\nl3\rl4\tt',
      '',
    ];
    expect(body.split('<ApiReceive>')).toHaveLength(messages.length + 1);
    sandbox.receive(
      messages.map((message, index) => ({
        sender: `0912000000${index}`,
        receptor: '3000',
        message,
        date: 1_600_000_000 + index,
      })),
    );
    const ignoreIds = (text: string): string => text.replaceAll(/<messageid>\d+/g, '<messageid>');
    // The recorded request selects messages that were read before.
    const first = readFileSync(join(FOLDER, 'ReceiveByApikey.11.request.http'), 'utf8');
    await exchange(sandbox.baseUrl, first.replace('<isread>1<', '<isread>0<'));
    await expectRecorded(sandbox, `ReceiveByApikey.${version}`, ignoreIds);
  });

  test.each(['11', '12'])(
    'The sandbox responds as the recorded service to RemainCreditByApiKey (%s)',
    async (version) => {
      await expectRecorded(sandbox, `RemainCreditByApiKey.${version}`);
    },
  );

  test.each(['long-overflow.11', 'malformed-xml.11', 'wrong-namespace.12'])(
    'The sandbox refuses %s as the recorded service does',
    async (name) => {
      await expectRecorded(sandbox, name);
    },
  );

  test.each(['throw.11', 'throw.12'])('The sandbox writes a fault as the recorded service does (%s)', async (name) => {
    sandbox.reply('SendSimpleByApikey', {
      fault: { code: 'Server', reason: 'Server was unable to process request. ---> boom <&> سلام 😀' },
    });
    await expectRecorded(sandbox, name);
  });

  test.each(['throw-soapexception.11', 'throw-soapexception.12'])(
    'The sandbox writes a fault with actor and detail as the recorded service does (%s)',
    async (name) => {
      const detail = '<reason xmlns="http://messaging.example/">quota &lt;exceeded&gt;</reason>';
      sandbox.reply('SendSimpleByApikey', {
        fault: { code: 'Client', reason: 'client fault text', actor: 'http://messaging.example/actor', detail },
      });
      await expectRecorded(sandbox, name);
    },
  );

  test('The sandbox writes absent and empty lists, nil records, extremes and control characters as the recorded service does', async () => {
    sandbox.reply('SendSimpleByApikey', { result: null });
    await expectRecorded(sandbox, 'result-null-longs.11');
    sandbox.reply('SendSimpleByApikey', { result: [] });
    await expectRecorded(sandbox, 'result-empty-longs.12');
    sandbox.reply('SelectByApikey', {
      result: [
        null,
        { messageid: 0n, status: 0, date: 0n, cost: 0 },
        {
          messageid: -9223372036854775808n,
          message: '',
          status: -2147483648,
          statustext: '',
          sender: '',
          receptor: '',
          date: 9223372036854775807n,
          cost: 2147483647,
        },
      ],
    });
    await expectRecorded(sandbox, 'result-null-record-null-fields-extremes.11');
    const message = 'a\x01b\vc\x1fd\x7fe\x85f\ufffeg';
    sandbox.reply('SelectByApikey', { result: [{ messageid: -4n, message, status: 0, date: 0, cost: 0 }] });
    await expectRecorded(sandbox, 'result-control-characters.11');
  });
});
