import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { startBrowser } from '../../../scripts/chromium';
import { type Sandbox, startSandbox } from '../../../src/sandbox';
import { call, KEY } from '../../support/raw-client';

/** The id of the first message. */
export const FIRST = 9007199254740993n;

export const PHONE: BrowserContextOptions = { viewport: { width: 400, height: 800 } };

/** A browser and a sandbox, which is as it started when a test begins. */
export class PageTest {
  browser!: Browser;
  sandbox!: Sandbox;
  /** The lines on the consoles of the pages, and their requests to other origins. A test removes those it expects. */
  complaints: string[] = [];
  /** True for a line that a test may cause, or not: a message that is asked for while it is deleted is not found. */
  isExpected = (_: string): boolean => false;

  /** Opens the page of the sandbox in a window of its own, or in the window of another page. */
  readonly open = async (
    options: BrowserContextOptions = {},
    path = '/',
    sibling?: Page,
    sandbox = this.sandbox,
  ): Promise<Page> => {
    const context =
      sibling?.context() ??
      (await this.browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'], ...options }));
    const page = await context.newPage();
    page.on('console', (message) => this.complaints.push(message.text()));
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('dialog', (dialog) => this.complaints.push(dialog.message()));
    page.on('request', (request) => {
      if (!request.url().startsWith(`${sandbox.baseUrl}/`)) this.complaints.push(request.url());
    });
    await page.goto(`${sandbox.baseUrl}${path}`);
    await page.locator('#connection').getByText('live').waitFor({ state: 'attached' });
    return page;
  };

  /** Sends a message with SendAdvance. */
  readonly sendText = async (message: string, receptor = '0912', children = ''): Promise<void> => {
    const texts = `<sender>3000</sender><message>${message}</message><receptor>${receptor}</receptor>${children}`;
    await call(this.sandbox, '1.1', 'SendAdvance', `<apikey>${KEY}</apikey>${texts}`);
  };

  /** Sends a message to many receptors with one call. */
  readonly sendMany = async (count: number, message = 'm', sender = '3000', receptor = '0912'): Promise<void> => {
    const list = `<receptor>${`<string>${escapeXml(receptor)}</string>`.repeat(count)}</receptor>`;
    const texts = `<sender>${escapeXml(sender)}</sender><message>${escapeXml(message)}</message>`;
    const { status } = await call(this.sandbox, '1.1', 'SendSimpleByApikey', `<apikey>${KEY}</apikey>${texts}${list}`);
    expect(status).toBe(200);
  };
}

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Describes tests that share a browser and a sandbox. */
export function describePage(tests: (shared: PageTest) => void): void {
  describe('Chromium', () => {
    const shared = new PageTest();
    beforeAll(async () => {
      shared.browser = await startBrowser();
      shared.sandbox = await startSandbox();
    });
    afterAll(async () => {
      await shared.browser.close();
      await shared.sandbox.close();
    });
    beforeEach(() => {
      shared.sandbox.reset();
      shared.complaints = [];
      shared.isExpected = () => false;
    });
    afterEach(async () => {
      for (const context of shared.browser.contexts()) await context.close();
      expect(shared.complaints.filter((line) => !shared.isExpected(line))).toEqual([]);
    });
    tests(shared);
  });
}

/** Clicks a command of the menu. */
export const choose = async (page: Page, name: string | RegExp): Promise<void> => {
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('button', { name }).click();
};
export const rows = (page: Page): Locator => page.locator('#list .row');
/** Shows the exchange of the opened message, or hides it. */
export const toggleExchange = (page: Page): Promise<void> => page.getByText('HTTP exchange').click();
export const search = (page: Page): Locator => page.getByRole('searchbox');
export const clipboard = (page: Page): Promise<string> => page.evaluate('navigator.clipboard.readText()');
