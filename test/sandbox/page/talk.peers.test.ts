import type { Page } from 'playwright-core';
import { describePage, PHONE, rows } from './browser';

/** Whether a message is within the pane, between its head and its form. */
const isInSight = (page: Page, text: string): Promise<boolean> =>
  page.evaluate(
    `((text) => {
      const bubble = [...document.querySelectorAll('#talk li p')].find((one) => one.textContent === text).getBoundingClientRect();
      const top = document.querySelector('#detail header').getBoundingClientRect().bottom;
      return bubble.top >= top - 1 && bubble.bottom <= document.querySelector('#write').getBoundingClientRect().top + 1;
    })(${JSON.stringify(text)})`,
  ) as Promise<boolean>;

describePage((shared) => {
  const { open } = shared;

  /** Receives messages from one number, an hour apart. */
  const receive = (count: number): void => {
    const first = Math.floor(Date.now() / 1000) - count * 3600;
    const messages = Array.from({ length: count }, (_, index) => ({
      sender: '0912',
      receptor: '3000',
      message: `message ${index + 1}`,
      date: first + index * 3600,
    }));
    shared.sandbox.receive(messages);
  };

  test.each([
    ['a wide page', { viewport: { width: 1280, height: 600 } }],
    ['a phone', PHONE],
  ])(
    'A conversation opens at its newest end, stays there, and loads earlier messages with a button (%s)',
    async (_, options) => {
      // With the two that follow, more than two pages of a conversation.
      receive(200);
      const page = await open(options, '/#/received/3000/0912');
      const bubbles = page.locator('#talk li:not(.day)');
      const earlier = page.getByRole('button', { name: 'Show 100 earlier messages' });
      await bubbles.nth(99).waitFor();
      expect(await isInSight(page, 'message 200')).toBe(true);
      // A new message comes into sight, and so does one of the user's own.
      shared.sandbox.receive({ sender: '0912', receptor: '3000', message: 'new' });
      await page.locator('#talk').getByText('new', { exact: true }).waitFor();
      expect(await isInSight(page, 'new')).toBe(true);
      await page.getByLabel('Another text from 0912').fill('own');
      await page.getByRole('button', { name: 'Receive it' }).click();
      await page.locator('#talk').getByText('own', { exact: true }).waitFor();
      expect(await isInSight(page, 'own')).toBe(true);
      // Earlier messages leave what is in sight in its place.
      await earlier.focus();
      await earlier.scrollIntoViewIfNeeded();
      const [first = ''] = await bubbles.locator('p').allInnerTexts();
      const place = () =>
        page
          .locator('#talk')
          .getByText(first, { exact: true })
          .evaluate((one) => one.getBoundingClientRect().top);
      const before = await place();
      await page.keyboard.press('Enter');
      await bubbles.nth(199).waitFor();
      expect(Math.abs((await place()) - before)).toBeLessThan(60);
      await page.getByRole('button', { name: 'Show 2 earlier messages' }).click();
      await page.locator('#talk').getByText('message 1', { exact: true }).waitFor();
      expect(await page.evaluate('document.activeElement === document.body')).toBe(false);
      expect(await bubbles.count()).toBe(202);
      // Who reads earlier messages is not moved to a new one.
      const reading = await place();
      shared.sandbox.receive({ sender: '0912', receptor: '3000', message: 'newest' });
      await page.locator('#talk').getByText('newest', { exact: true }).waitFor();
      expect(Math.abs((await place()) - reading)).toBeLessThan(2);
    },
  );

  test('A conversation with odd numbers and lines can be opened, and one that cannot be written in an address breaks no list', async () => {
    shared.sandbox.receive([
      { sender: '..', receptor: '3000', message: 'dots' },
      { sender: 'a/b?c#d%2F', receptor: '.', message: 'signs' },
      { sender: null, receptor: null, message: 'nobody' },
    ]);
    const page = await open({}, '/#/received');
    for (const text of ['dots', 'signs', 'nobody']) {
      await rows(page).filter({ hasText: text }).click();
      await page.locator('#talk').getByText(text, { exact: true }).waitFor();
    }
    // Data files of earlier sandboxes may hold half a surrogate pair.
    await page.route('**/sandbox/conversations?*', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replaceAll('".."', '"\\ud800"') });
    });
    await page.reload();
    await rows(page).nth(2).waitFor();
  });
});
