import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MessagingClient } from '../src';
import { type Sandbox, startSandbox } from '../src/sandbox';
import { escapeText } from '../src/xml/escape';
import { startBrowser } from './chromium';

// Makes the pictures of the page and the terminal from the real program: `npm run pictures`. Each run on one machine
// writes the same bytes: the clock stands still, and ids begin with the same number. It needs Chromium.

const folder = resolve(__dirname, '../docs/pictures');
const [command] = process.argv.slice(2);
/** 24 November 2026, 09:30 UTC. */
const NOW = Date.UTC(2026, 10, 24, 9, 30);

if (require.main === module) {
  main().catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  });
}

async function main(): Promise<void> {
  if (command === undefined) throw new Error('give the path of the command: dist/bin/messaging.js');
  writeFileSync(
    join(folder, 'killed-list.svg'),
    drawTerminal(await runKilledList([process.execPath, resolve(command)])),
  );
  await drawPage();
}

/** Shows the page of a sandbox with six messages: a call of three, a Persian text, and a failed one that is opened. */
async function drawPage(): Promise<void> {
  const clocks = [Date.now, performance.now.bind(performance)] as const;
  let clock = NOW - 600_000;
  Date.now = () => clock;
  performance.now = () => 0;
  const sandbox = await startSandbox();
  const client = new MessagingClient({ ...sandbox.clientOptions, defaults: { msgmode: 1, unixdate: 0n } });
  try {
    const send = async (message: string, receptor: readonly string[], status: number, pauseMs: number) => {
      for (const id of await client.sendSimple({ sender: '3000', message, receptor })) sandbox.setStatus(id, status);
      clock += pauseMs;
    };
    await send('The shop is closed today.', ['09120000003'], 10, 240_000);
    await send('Your parcel is at the front desk.', ['09120000011', '09120000012', '09120000013'], 10, 200_000);
    await send('Your order 1042 has been shipped and will arrive tomorrow.', ['09120009901'], 11, 148_000);
    await send('سلام، کد تأیید شما ۴۸۲۱ است. این کد را به کسی ندهید.', ['09120000001'], 4, 12_000);
    for (const scheme of ['light', 'dark'] as const) await shoot(sandbox, scheme);
  } finally {
    [Date.now, performance.now] = clocks;
    await client.close();
    await sandbox.close();
  }
}

async function shoot({ baseUrl, messages }: Sandbox, colorScheme: 'light' | 'dark'): Promise<void> {
  const browser = await startBrowser();
  try {
    const viewport = { width: 960, height: 600 };
    const page = await browser.newPage({
      viewport,
      deviceScaleFactor: 2,
      colorScheme,
      timezoneId: 'UTC',
      locale: 'en',
    });
    await page.clock.setFixedTime(NOW);
    await page.goto(`${baseUrl}/#/sent/${messages[4]?.messageid}`);
    await page.locator('#detail select').waitFor();
    await page.locator('#connection').getByText('live').waitFor();
    const session = await page.context().newCDPSession(page);
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 70 });
    writeFileSync(join(folder, `page-${colorScheme}.webp`), Buffer.from(data, 'base64'));
  } finally {
    await browser.close();
  }
}

const ROWS = 200;
/** The rows that are sent before the service takes so long that all requests wait when the program is killed. */
const BEFORE_KILL = 84;
const CONCURRENCY = 16;

/** Sends a list, kills it while 16 requests are under way, and runs it again. Returns the lines of the terminal. */
export async function runKilledList(messaging: readonly string[]): Promise<readonly string[]> {
  const sandbox = await startSandbox();
  const home = mkdtempSync(join(tmpdir(), 'messaging-pictures-'));
  try {
    const rows = Array.from({ length: ROWS }, (_, row) => `0912000${1000 + row},Customer ${1000 + row}\n`);
    writeFileSync(join(home, 'customers.csv'), `receptor,name\n${rows.join('')}`);
    sandbox.reply('SendSimpleByApikey', { delayMs: 1 }, { times: BEFORE_KILL });
    const late = sandbox.reply('SendSimpleByApikey', { delayMs: 600_000 }, { times: CONCURRENCY });
    const environment = {
      PATH: process.env.PATH,
      HOME: home,
      MESSAGING_BASE_URL: sandbox.baseUrl,
      MESSAGING_NAMESPACE: sandbox.namespace,
      MESSAGING_API_KEY: sandbox.apiKey,
      MESSAGING_SUCCESS_STATUSES: '200',
    };
    const start = (...args: readonly string[]): ChildProcess => {
      const [program = '', ...words] = [...messaging, ...args];
      return spawn(program, words, { cwd: home, env: environment, stdio: ['ignore', 'ignore', 'pipe'] });
    };
    const fields = ['--sender', '3000', '--message', 'Hello {{name}}', '--unixdate', '0', '--msgmode', '1'];
    const limits = ['--start-within-ms', '10000', '--settle-ms', '11000'];
    const killed = start('bulk', 'run', 'customers.csv', ...fields, ...limits, '--yes');
    const ended = linesOf(killed);
    while (sandbox.messages.length < BEFORE_KILL + CONCURRENCY && killed.exitCode === null) await sleep(20);
    if (killed.exitCode !== null) throw new Error(`the list ended before it was killed:\n${(await ended).join('\n')}`);
    killed.kill('SIGKILL');
    await ended;
    late.clear();
    const status = await linesOf(start('bulk', 'status', 'customers.csv'));
    const end = await linesOf(start('bulk', 'run', 'customers.csv', '--settle-ms', '11000'));
    const isCount = (line: string) => /^[\d,]+ of|rows found|^all rows|unknown, .*pending/.test(line);
    return [
      "$ messaging bulk run customers.csv --sender 3000 --message 'Hello {{name}}' --unixdate 0 --msgmode 1",
      'Killed',
      '$ messaging bulk status customers.csv',
      ...status.filter(isCount).map((line) => line.replace(/: `.*/, '')),
      '$ messaging bulk run customers.csv',
      ...end.filter(isCount),
    ];
  } finally {
    await sandbox.close();
    rmSync(home, { recursive: true });
  }
}

async function linesOf(child: ChildProcess): Promise<readonly string[]> {
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  await once(child, 'close');
  return text.trimEnd().split('\n');
}

/** Draws a terminal as text on an opaque ground. */
export function drawTerminal(lines: readonly string[]): string {
  const [width, height] = [830, 24 * lines.length + 32];
  const texts = lines.map((line, index) => {
    const colour = line.startsWith('$') ? '#62cbc2' : line === 'Killed' ? '#ffa59c' : '#e8ecf0';
    return `<text x="20" y="${24 * index + 36}" fill="${colour}">${escapeText(line)}</text>`;
  });
  const style = 'font-family="ui-monospace, Menlo, Consolas, \'DejaVu Sans Mono\', monospace" font-size="13"';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" ${style} xml:space="preserve">
<title>A list that is killed, and goes on</title>
<rect width="${width}" height="${height}" rx="8" fill="#1d2126"/>
${texts.join('\n')}
</svg>
`;
}
