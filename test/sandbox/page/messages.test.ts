import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { type Sandbox, startSandbox } from '../../../src/sandbox';
import { call, KEY } from '../../support/raw-client';
import { describeStack } from '../../support/stack';
import { chromium, startBrowser } from './browser';

const FIRST = 9007199254740993n;

/** The contrast of each pill with its background, by WCAG 2. The browser runs this code. */
const CONTRASTS = `[...document.querySelectorAll('#list .pill')].map((pill) => {
  const luminance = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map(Number).map((one) => {
      const part = one / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const { color, backgroundColor } = getComputedStyle(pill);
  const [dark, light] = [luminance(color), luminance(backgroundColor)].sort((a, b) => a - b);
  return { name: pill.textContent, color, ratio: (light + 0.05) / (dark + 0.05) };
})`;

describeStack(chromium, () => {
  let browser: Browser;
  let sandbox: Sandbox;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    sandbox = await startSandbox();
  });
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
    await sandbox.close();
  });

  async function open(options: BrowserContextOptions = {}, path = '/'): Promise<Page> {
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'], ...options });
    const page = await context.newPage();
    await page.goto(`${sandbox.baseUrl}${path}`);
    await page.getByText('live', { exact: true }).waitFor();
    return page;
  }
  const sendText = async (message: string, receptor = '0912', children = ''): Promise<void> => {
    const texts = `<sender>3000</sender><message>${message}</message><receptor>${receptor}</receptor>${children}`;
    await call(sandbox, '1.1', 'SendAdvance', `<apikey>${KEY}</apikey>${texts}`);
  };
  const rows = (page: Page) => page.locator('#list .row');
  const clipboard = (page: Page) => page.evaluate('navigator.clipboard.readText()') as Promise<string>;

  test.each(['light', 'dark'] as const)(
    'The states have colours of their own with a contrast of 4.5 (%s)',
    async (colorScheme) => {
      const states = [1, 2, 4, 6, 10, 13, 77];
      for (const [index, status] of states.entries()) {
        await sendText('m');
        sandbox.setStatus(FIRST + BigInt(index), status);
      }
      const page = await open({ colorScheme });
      await rows(page)
        .nth(states.length - 1)
        .waitFor();
      await page.getByText('77').first().waitFor();
      const contrasts = (await page.evaluate(CONTRASTS)) as { name: string; color: string; ratio: number }[];
      expect(contrasts).toHaveLength(states.length);
      for (const { name, ratio } of contrasts) expect([name, ratio >= 4.5]).toEqual([name, true]);
      // Queued, canceled and unknown statuses are neutral.
      expect(new Set(contrasts.map(({ color }) => color)).size).toBe(5);
    },
  );

  test('A wide page shows the newest message until the user opens another one', async () => {
    await sendText('one');
    const page = await open();
    const text = page.locator('#detail-text');
    await text.filter({ hasText: 'one' }).waitFor();
    await sendText('two');
    await text.filter({ hasText: 'two' }).waitFor();
    await rows(page).filter({ hasText: 'one' }).click();
    await sendText('three');
    await rows(page).filter({ hasText: 'three' }).waitFor();
    expect(await text.textContent()).toBe('one');
  });

  test('An opened message has an address, and the Back of the browser closes it', async () => {
    for (const message of ['one', 'two']) await sendText(message);
    const page = await open({ viewport: { width: 400, height: 800 } });
    await rows(page).nth(1).click();
    expect(page.url()).toBe(`${sandbox.baseUrl}/#/sent/${FIRST}`);
    await page.goBack();
    await rows(page).first().waitFor();
    expect(await page.locator('#detail').isVisible()).toBe(false);
    await page.goForward();
    await page.locator('#detail-text').filter({ hasText: 'one' }).waitFor();
    // However it is closed, one step back from the list leaves no message open.
    await page.getByRole('button', { name: 'Back to the list' }).click();
    await rows(page).first().waitFor();
    await page.waitForFunction('!location.hash.includes("/sent/")');
    await rows(page).first().click();
    await page.locator('#detail-text').filter({ hasText: 'two' }).waitFor();
    expect(page.url()).toBe(`${sandbox.baseUrl}/#/sent/${FIRST + 1n}`);
  });

  test('The address of a message opens it on another page, also when it is not among the newest', async () => {
    await sendText('old');
    const receptors = `<receptor>${'<string>1</string>'.repeat(200)}</receptor>`;
    await call(sandbox, '1.1', 'SendSimpleByApikey', `<apikey>${KEY}</apikey>${receptors}`);
    sandbox.receive({ sender: '1', receptor: '3000', message: 'response' });
    const sent = await open({}, `/#/sent/${FIRST}`);
    await sent.locator('#detail-text').filter({ hasText: 'old' }).waitFor();
    sandbox.setStatus(FIRST, 10);
    await sent.locator('#fields').getByText('10 delivered').waitFor();
    const received = await open({}, `/#/received/${FIRST}`);
    await received.locator('#detail-text').filter({ hasText: 'response' }).waitFor();
    const unknown = await open({}, '/#/sent/5');
    await unknown.getByText('no message has the id 5').waitFor();
    const request = await open({}, '/#/requests/1');
    await request.locator('#exchange').getByText('old').waitFor();
  });

  test('An opened message shows its operation, mode, encoding, characters and parts, and its exchange indented', async () => {
    await sendText('سلام'.repeat(20), '0912', '<messagemode>7</messagemode>');
    const page = await open();
    const fields = page.locator('#fields');
    await fields.getByText('SendAdvance').waitFor();
    const text = (await fields.textContent()) ?? '';
    for (const part of ['mode 7', '80 characters, UCS-2, 2 parts', '80 units']) expect(text).toContain(part);
    await page.getByRole('button', { name: 'Show the raw exchange' }).click();
    const [request = '', response = ''] = await page.locator('#exchange pre').allTextContents();
    expect(request).toContain(
      '\n    <SendAdvance xmlns="http://messaging.example/">\n      <apikey>***</apikey>\n      <sender>3000</sender>\n',
    );
    expect(response).toContain(`\n      <SendAdvanceResult>${FIRST}</SendAdvanceResult>\n`);
  });

  test('“Copy as curl” copies a command that sends the same message again with the key in $MESSAGING_API_KEY', async () => {
    await sendText("it's a $HOME `test` سلام &amp; \\n");
    const page = await open();
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    await page.getByText('Copied').waitFor();
    const command = await clipboard(page);
    expect(command).not.toContain(KEY);
    const env = { ...process.env, MESSAGING_API_KEY: KEY };
    const { stdout } = await promisify(execFile)('sh', ['-c', command], { env });
    expect(stdout).toContain('<status>200</status>');
    const [first, second] = sandbox.messages;
    expect(second).toMatchObject({ message: first?.message, sender: '3000', receptor: '0912' });
  });

  test('A long exchange is cut on the page, and is copied whole', async () => {
    await sendText('x'.repeat(300_000));
    const page = await open();
    await page.getByRole('button', { name: 'Show the raw exchange' }).click();
    const code = page.locator('#exchange .code').first();
    await code.getByText('more characters. “Copy” copies all.').waitFor();
    await code.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied').waitFor();
    expect(await clipboard(page)).toContain(`<message>${'x'.repeat(300_000)}</message>`);
  });

  test('The page deletes one message, and the messages that a search finds', async () => {
    for (const message of ['keep', 'test 1', 'test 2', 'other']) await sendText(message);
    const page = await open();
    await rows(page).filter({ hasText: 'other' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await rows(page).nth(3).waitFor({ state: 'detached' });
    expect(sandbox.messages).toHaveLength(3);
    expect(await page.locator('#detail').isVisible()).toBe(false);
    await page.getByRole('searchbox').fill('test');
    await page.getByText('2 found').waitFor();
    await page.getByRole('button', { name: 'Delete what was found' }).click();
    await page.getByRole('dialog').getByText('“test”').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Nothing matches the search.').waitFor();
    expect(sandbox.messages).toMatchObject([{ message: 'keep' }]);
  });

  test('The page finds a message by its id, and a request by its text', async () => {
    for (const message of ['first', 'second']) await sendText(message);
    const page = await open();
    await page.getByRole('searchbox').fill(String(FIRST + 1n));
    await page.getByText('1 found').waitFor();
    expect(await rows(page).allTextContents()).toEqual([expect.stringContaining('second')]);
    await page.getByRole('button', { name: 'Requests' }).click();
    await rows(page).nth(1).waitFor();
    // Two requests of one operation differ by what they hold.
    expect(await rows(page).locator('.preview').allTextContents()).toEqual([
      '3000 · second · 0912',
      '3000 · first · 0912',
    ]);
    await page.getByRole('searchbox').fill('first');
    await page.getByText('1 found').waitFor();
    expect(await rows(page).allTextContents()).toEqual([expect.stringContaining('first')]);
  });

  test('The page switches the simulated delivery on, moves it ahead and shows the statuses live', async () => {
    for (const receptor of ['0912', '09129902']) await sendText('m', receptor);
    const page = await open();
    await page.getByRole('button', { name: 'Delivery off' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('6 failed after 1 s').waitFor();
    await dialog.getByRole('checkbox').check();
    await page.locator('#delivery-state').getByText('on').waitFor();
    await dialog.getByLabel('Seconds').fill('60');
    await dialog.getByRole('button', { name: 'Move ahead' }).click();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await rows(page).getByText('10 delivered').waitFor();
    await rows(page).getByText('6 failed').waitFor();
    await page.locator('#fields').getByText('6 failed').waitFor();
    sandbox.reset();
    await page.getByRole('button', { name: 'Delivery off' }).waitFor();
  });

  test('The page says in words that the connection is lost, and takes the words back when it is connected again', async () => {
    await sendText('m');
    const page = await open();
    const { port } = new URL(sandbox.baseUrl);
    await sandbox.close();
    const lost = page.getByRole('alert').filter({ hasText: 'It was stopped, or the connection to it is broken' });
    await lost.waitFor();
    await page.getByRole('button', { name: 'Requests' }).click();
    expect(await page.locator('body').textContent()).not.toContain('Failed to fetch');
    sandbox = await startSandbox({ port: Number(port) });
    await lost.waitFor({ state: 'hidden' });
    await page.getByText('live', { exact: true }).waitFor();
  });

  test('A page of 400 pixels shows the whole receptor of a scheduled message, and no button lies over code', async () => {
    await sendText('m', '09120000001', `<unixdate>${Math.floor(Date.now() / 1000) + 864_000}</unixdate>`);
    const page = await open({ viewport: { width: 400, height: 800 } });
    const receptor = rows(page).getByText('09120000001');
    expect(await receptor.evaluate((one) => one.scrollWidth <= one.clientWidth || one.clientWidth === 0)).toBe(true);
    await rows(page).first().click();
    await page.getByRole('button', { name: 'Show the raw exchange' }).click();
    const code = await page.locator('#exchange pre').first().boundingBox();
    const button = await page.locator('#exchange .code button').first().boundingBox();
    expect((button?.y ?? 0) + (button?.height ?? 0)).toBeLessThanOrEqual(code?.y ?? 0);
  });
});
