import type { Page } from 'playwright-core';
import { isFull } from '../../support/loops';
import { call, KEY } from '../../support/raw-client';
import { choose, describePage, FIRST, toggleExchange } from './browser';
import { drawn, faintTexts, measure, shortenedTexts } from './measure';

/** In a push, the first two: a low window of the widest layout, and the narrowest one. */
const SIZES = (
  [
    [1280, 600],
    [320, 500],
    [1280, 800],
    [800, 600],
    [400, 800],
  ] as const
).slice(0, isFull ? undefined : 2);

/** In a push, the first two: the narrowest window, and a wide one, both as low as a dialog can be used in. */
const DIALOG_SIZES = (
  [
    [320, 420],
    [1280, 400],
    [360, 420],
    [800, 400],
    [1280, 720],
    [320, 500],
    [400, 800],
  ] as const
).slice(0, isFull ? undefined : 2);

/** The fields of the dialog that are covered by something even when they are scrolled into sight. The browser runs this code. */
const COVERED_FIELDS = `[...document.querySelectorAll('dialog input:not([type=checkbox]), dialog select')]
  .filter((field) => {
    field.scrollIntoView({ block: 'nearest' });
    const { x, y, height } = field.getBoundingClientRect();
    return document.elementFromPoint(x + 5, y + height / 2) !== field;
  })
  .map((field) => field.name)`;

const PERSIAN = 'جشنوارهٔ زمستانی آغاز شد. برای دیدن پیشنهادها به سایت ما سر بزنید.';
const ENGLISH = 'Your order 1042 has been shipped and will arrive tomorrow between nine and twelve.';
const STATES = [10, 10, 10, 4, 11, 1, 10, 13, 6, 14];

describePage((shared) => {
  const { sendText, sendMany, open } = shared;

  /** Sends messages in two languages with the usual states. Most of many are of one call. */
  const fill = async (count: number): Promise<void> => {
    const { sandbox } = shared;
    // More than the rows that the page loads at first.
    const singles = Math.min(count, 60);
    if (count > singles) await sendMany(count - singles, PERSIAN);
    for (let index = 0; index < singles; index += 1) {
      const date = index < 5 ? `<unixdate>${1_600_000_000 + index * 86_400}</unixdate>` : '';
      await sendText(index % 2 ? PERSIAN : ENGLISH, `0912${1_000_000 + index}`, date);
    }
    for (const [index, { messageid }] of sandbox.messages.entries()) {
      sandbox.setStatus(messageid, STATES[index % STATES.length] ?? 10);
    }
    if (count > 1) await sendText(ENGLISH, '09121111111', '<unixdate>4102444800</unixdate>');
    if (count > 1) await sendMany(3, ENGLISH);
    if (count > 0) {
      sandbox.receive([
        { sender: '09120000001', receptor: '3000', message: PERSIAN },
        { sender: '09120000002', receptor: '3000', message: ENGLISH },
      ]);
    }
    await fetch(`${sandbox.baseUrl}/nothing`);
    sandbox.reply('SendAdvance', { fault: { code: 'Server', reason: ENGLISH } });
    if (count > 0) await sendText(PERSIAN);
    sandbox.clearReplies();
  };

  /** Shows each view at each size, and gives what is wrong with it. */
  const look = async (
    page: Page,
    views: Readonly<Record<string, string>>,
    check: (page: Page) => Promise<unknown[]>,
    sizes: readonly (readonly [number, number])[] = SIZES,
  ): Promise<unknown[]> => {
    const found: unknown[] = [];
    for (const [width, height] of sizes) {
      await page.setViewportSize({ width, height });
      for (const [view, title] of Object.entries(views)) {
        await page.goto(`${shared.sandbox.baseUrl}/#/${view}`);
        await page.locator(title).first().waitFor();
        await drawn(page);
        for (const problem of await check(page)) found.push(`${width}x${height} ${view}: ${problem}`);
      }
    }
    return found;
  };

  /** The lists with a selector of what only this list has. A new sandbox shows something else. */
  const LISTS = {
    sent: '#list.sent .row, #welcome[aria-label*=send]',
    received: '#list.received .row, #welcome[aria-label*=receive]',
    requests: '#list.requests .row',
  };
  const titled = (title: string): string => `#detail h2:has-text("${title}")`;

  test.each(isFull ? [0, 1, 6, 300, 20_000] : [1, 300])(
    'With %i messages nothing of the page is cut, too small, too tall, or wider than its box, at any size',
    async (count) => {
      await fill(count);
      const page = await open();
      const opened =
        count === 0
          ? {}
          : {
              [`sent/${FIRST}`]: '#detail select',
              'received/3000/09120000001': titled('09120000001'),
              [`requests/${shared.sandbox.requests.at(-1)?.id}`]: titled('SendAdvance'),
            };
      const check = async () => [...(await measure(page)), ...(await shortenedTexts(page))];
      expect(await look(page, { ...LISTS, ...opened }, check)).toEqual([]);
    },
  );

  test('Long states, lines, numbers, words, texts and lists stay in their boxes', async () => {
    const { sandbox } = shared;
    const long = 'averylongwordthatnobodyexpectshere'.repeat(4);
    await sendMany(1000, long, long, long);
    await sendText(
      `${PERSIAN} `.repeat(20),
      long,
      `<fallbackurl>https://a.example/${long}</fallbackurl><clientmessageid>${long}</clientmessageid>`,
    );
    await sendText(long, '0912');
    for (const [index, { messageid }] of sandbox.messages.slice(-2).entries()) {
      sandbox.setStatus(messageid, 77, ['a very long status text that nobody expects here really', PERSIAN][index]);
    }
    sandbox.receive([
      { sender: long, receptor: long, message: long },
      { sender: '1', receptor: '3000', message: `${PERSIAN} `.repeat(30) },
    ]);
    sandbox.reply('*', { fault: { code: 'Server', reason: long } }, { times: 2 });
    await call(
      sandbox,
      '1.1',
      'SendAdvance',
      `<apikey>${KEY}</apikey><message>${long}</message><receptor>${long}</receptor>`,
    );
    const page = await open();
    const last = FIRST + BigInt(sandbox.messages.length) - 1n;
    const opened = {
      [`sent/${last}`]: '#detail-text:has-text("averylongword")',
      [`sent/${last - 1n}`]: `#detail-text:has-text("${PERSIAN}")`,
      [`sent/call-${FIRST}`]: titled('1,000 messages'),
      [`received/${long}/${long}`]: titled(long),
      'received/3000/1': '#detail h2 bdi:text-is("1")',
      [`requests/${sandbox.requests.at(-1)?.id}`]: titled('SendAdvance'),
    };
    expect(await look(page, { ...LISTS, ...opened }, measure)).toEqual([]);
    await page.setViewportSize({ width: 320, height: 500 });
    await page.goto(`${sandbox.baseUrl}/#/sent/${last}`);
    await toggleExchange(page);
    await page.locator('#exchange pre').nth(1).waitFor();
    expect(await measure(page)).toEqual([]);
  });

  test('Every text has a contrast of 4.5 in every view and dialog, light and dark', async () => {
    await fill(6);
    await sendMany(2);
    const page = await open();
    const views = {
      ...LISTS,
      [`sent/${FIRST}`]: '#detail select',
      'received/3000/09120000001': titled('09120000001'),
      [`requests/${shared.sandbox.requests.at(-1)?.id}`]: titled('SendSimpleByApikey'),
    };
    // The colours differ between a wide and a narrow page at most.
    const sizes = [
      [1280, 800],
      [400, 800],
    ] as const;
    expect(await look(page, views, faintTexts, sizes)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    for (const name of [/^Delivery/, 'Receive a message', 'Arm a reply', 'Reset']) {
      await choose(page, name);
      expect([name, await faintTexts(page)]).toEqual([name, []]);
      await page.keyboard.press('Escape');
    }
    // The line of an act, a hint, marks and an alert.
    await page.goto(`${shared.sandbox.baseUrl}/#/sent?search=order status:`);
    await page.locator('#list mark').first().waitFor();
    await page.locator('.actions .danger').click();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    expect(await faintTexts(page)).toEqual([]);
  });

  test('Every dialog with its button and the menu are in sight, with targets of 24 pixels, at every size', async () => {
    await fill(1);
    const page = await open();
    for (const [width, height] of DIALOG_SIZES) {
      await page.setViewportSize({ width, height });
      await page.getByRole('button', { name: 'Menu' }).click();
      expect([width, await measure(page)]).toEqual([width, []]);
      await page.keyboard.press('Escape');
      for (const [name, submit] of [
        [/^Delivery/, 'Apply'],
        ['Receive a message', 'Receive'],
        ['Arm a reply', 'Arm'],
        ['Reset', 'Reset'],
      ] as const) {
        await choose(page, name);
        expect(await page.locator('#menu').isVisible()).toBe(false);
        const button = page.getByRole('dialog').getByRole('button', { name: submit, exact: true });
        const box = await button.boundingBox();
        expect([width, name, await measure(page)]).toEqual([width, name, []]);
        // The fields keep their height and scroll.
        expect([width, name, await page.evaluate(COVERED_FIELDS)]).toEqual([width, name, []]);
        expect(box?.y).toBeGreaterThan(0);
        expect((box?.y ?? height) + (box?.height ?? 0)).toBeLessThan(height);
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      }
    }
  });
});
