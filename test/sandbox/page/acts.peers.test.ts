import type { Page } from 'playwright-core';
import { choose, describePage, FIRST, PHONE, rows, search } from './browser';

/** The element that has the focus, in words. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(
    `(({ activeElement: one }) => one === document.body ? 'nothing' : one.dataset.id ?? one.id ?? one.textContent)(document)`,
  );
const done = (page: Page) => page.locator('#done');
/** Waits until the line of the last act has these words, and gives the focused element. */
async function after(page: Page, words: string | RegExp): Promise<string> {
  await done(page).getByText(words).waitFor();
  // Events that the act causes have been drawn when the page is quiet.
  await page.waitForLoadState('networkidle');
  return focused(page);
}
const undo = (page: Page) => done(page).getByRole('button', { name: 'Undo' });

describePage((shared) => {
  const { sendText, sendMany, open } = shared;
  beforeEach(() => {
    shared.isExpected = (line) => line.includes('404');
  });

  test.each([
    ['a wide page, which shows the newest message again', {}, '#detail-text:text-is("three")'],
    ['a phone, which shows the list again', PHONE, 'main:not(:has(#detail))'],
  ])(
    '“Delete” says what it did and undoes it, and the keyboard goes on at the next row (%s)',
    async (_, options, shown) => {
      const { sandbox } = shared;
      for (const message of ['one', 'two', 'three']) await sendText(message);
      const before = sandbox.messages;
      const page = await open(options);
      await rows(page).filter({ hasText: 'two' }).click();
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      expect(await after(page, 'The message to 0912 was deleted.')).toBe(`${FIRST}`);
      await page.locator(shown).waitFor();
      expect(sandbox.messages).toMatchObject([{ message: 'one' }, { message: 'three' }]);
      await undo(page).click();
      expect(await after(page, /^Undone:/)).not.toBe('nothing');
      expect(sandbox.messages).toEqual(before);
      // It is opened again, and can be deleted again with the keyboard alone.
      await page.locator('#detail-text').filter({ hasText: 'two' }).waitFor();
      await page.getByRole('button', { name: 'Delete', exact: true }).focus();
      await page.keyboard.press('Enter');
      expect(await after(page, 'The message to 0912 was deleted.')).toBe(`${FIRST}`);
      // The last row leaves the search.
      await rows(page).nth(1).waitFor();
      for (let left = 2; left > 0; left -= 1) {
        await rows(page).first().click();
        await page.getByRole('button', { name: 'Delete', exact: true }).click();
        await rows(page)
          .nth(left - 1)
          .waitFor({ state: 'detached' });
        expect(await focused(page)).not.toBe('nothing');
      }
      await page.getByText('Nothing was sent yet').waitFor();
      expect(await focused(page)).not.toBe('nothing');
    },
  );

  test('A whole call is deleted without a question, since it can be undone until the next act', async () => {
    const { sandbox } = shared;
    await sendMany(1000);
    await sendText('other');
    const before = sandbox.messages;
    const page = await open();
    await rows(page).filter({ hasText: '1,000 messages' }).click();
    await page.getByRole('button', { name: 'Delete 1,000' }).click();
    expect(await after(page, '1,000 messages were deleted.')).toBe(`${FIRST + 1000n}`);
    await undo(page).click();
    await rows(page).filter({ hasText: '1,000 messages' }).waitFor();
    expect(sandbox.messages).toEqual(before);
    expect(await focused(page)).not.toBe('nothing');
    // The next act takes the place of the line, and of its Undo.
    await page.getByRole('button', { name: 'Delete 1,000' }).click();
    await done(page).getByText('1,000 messages were deleted.').waitFor();
    await rows(page).first().click();
    await page.getByRole('combobox', { name: 'Status' }).selectOption('6');
    await done(page).getByText('The status of the message to 0912 is 6 failed.').waitFor();
    await undo(page).click();
    await rows(page).getByText('queued').waitFor();
    expect(await undo(page).count()).toBe(0);
    expect(sandbox.messages).toMatchObject([{ message: 'other', status: 1 }]);
  });

  test('What a search or a chip found is deleted and comes back', async () => {
    const { sandbox } = shared;
    for (const message of ['test 1', 'failed', 'test 2', 'keep']) await sendText(message);
    sandbox.setStatus(FIRST + 1n, 6);
    const before = sandbox.messages;
    const page = await open();
    await rows(page).nth(3).waitFor();
    expect(await page.getByText('found').count()).toBe(0);
    await search(page).fill('test');
    await page.getByText('2 found').waitFor();
    await page.getByRole('button', { name: 'Delete 2 messages' }).click();
    await page.getByText('Nothing matches.').waitFor();
    expect(await after(page, '2 messages were deleted: those that the search “test” found.')).toBe('search');
    await page.getByRole('button', { name: 'Clear the search' }).click();
    expect(await focused(page)).toBe('search');
    await undo(page).click();
    await rows(page).nth(3).waitFor();
    expect(sandbox.messages).toEqual(before);
    expect(await focused(page)).not.toBe('nothing');
    await page.locator('.chips').getByRole('button', { name: '1 failed' }).click();
    await rows(page).nth(1).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Delete 1 message' }).click();
    await done(page).getByText('1 message was deleted').waitFor();
    expect(sandbox.messages).toMatchObject([{ message: 'test 1' }, { message: 'test 2' }, { message: 'keep' }]);
  });

  test('An Undo that comes too late says so', async () => {
    await sendText('one');
    const page = await open();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await done(page).getByText('was deleted').waitFor();
    // Another page has changed something since.
    await sendText('two');
    const headers = { 'Content-Type': 'application/json' };
    await fetch(`${shared.sandbox.baseUrl}/sandbox/messages/${FIRST + 1n}`, { method: 'DELETE', headers });
    // The page takes its line away after 10 seconds: its clock stands still, and goes on for a load only.
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 1000);
    await undo(page).click();
    const alert = page.getByRole('alert').getByText('can no longer be undone');
    await alert.waitFor();
    expect(await focused(page)).not.toBe('nothing');
    // What others do at the sandbox does not take the line away.
    await sendText('three');
    // The page loads what has changed after a pause by its clock, which must not reach the 10 seconds.
    while (!(await rows(page).filter({ hasText: 'three' }).isVisible())) await page.clock.runFor(5);
    expect(await alert.isVisible()).toBe(true);
  });

  test('A reply is armed and disarmed with a line and Undo, in its place', async () => {
    const { sandbox } = shared;
    const page = await open();
    await choose(page, 'Arm a reply');
    await page.getByRole('dialog').getByRole('button', { name: 'Arm', exact: true }).click();
    expect(await after(page, 'A reply to any operation was armed.')).toBe('open-menu');
    await undo(page).click();
    await page.getByText('Armed:').waitFor({ state: 'detached' });
    expect(await focused(page)).not.toBe('nothing');
    sandbox.reply('SendAdvance', { status: 5 }, { receptor: '0912' });
    await page.getByText('Armed: SendAdvance, receptor with 0912 → status 5, once').waitFor();
    await page.getByRole('button', { name: 'Disarm' }).click();
    expect(await after(page, /^This reply was disarmed/)).not.toBe('nothing');
    expect(sandbox.replies).toEqual([]);
    await undo(page).click();
    await page.getByRole('button', { name: 'Disarm' }).waitFor();
    expect(sandbox.replies).toMatchObject([{ receptor: '0912' }]);
  });

  test('A dialog gives the focus back to the button that opened it', async () => {
    await sendText('one');
    const page = await open();
    const cancel = () => page.getByRole('button', { name: 'Cancel' }).click();
    const pressEscape = () => page.keyboard.press('Escape');
    // The focus moves when the element goes. The dialog has its role no longer as soon as it is closed.
    const gone = () => page.locator('dialog').waitFor({ state: 'detached' });
    // Every dialog is closed by the same code.
    for (const [name, close] of [
      [/^Delivery/, cancel],
      ['Receive a message', pressEscape],
      ['Arm a reply', cancel],
      ['Reset', pressEscape],
    ] as const) {
      await choose(page, name);
      await close();
      await gone();
      expect([name, await focused(page)]).toEqual([name, 'open-menu']);
    }
    for (const close of [cancel, pressEscape]) {
      await page.getByRole('button', { name: 'Receive an answer' }).click();
      await close();
      await gone();
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Receive an answer');
    }
  });

  test.each([
    ['a wide page', {}],
    ['a phone', PHONE],
  ])('After each other act the focus is somewhere, and a line says what was done (%s)', async (_, options) => {
    for (const message of ['one', 'two']) await sendText(message);
    const page = await open(options);
    const submit = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
    await choose(page, 'Receive a message');
    await page.getByRole('dialog').getByLabel('Text').fill('hello');
    await submit('Receive');
    expect(await after(page, 'A message from 09120000001 to line 3000 was received.')).not.toBe('nothing');
    await page.getByLabel('Another text from').fill('again');
    await page.getByRole('button', { name: 'Receive it' }).click();
    await page.locator('#talk').getByText('again').waitFor();
    expect(await focused(page)).not.toBe('nothing');
    await choose(page, /^Delivery/);
    await page.getByRole('checkbox').check();
    await submit('Apply');
    expect(await after(page, 'The simulated delivery is on.')).toBe('open-menu');
    await done(page).getByRole('button', { name: 'Close' }).click();
    expect([await done(page).innerText(), await focused(page)]).toEqual(['', expect.not.stringMatching('nothing')]);
    await choose(page, 'Reset');
    await submit('Reset');
    expect(await after(page, 'The sandbox was reset.')).not.toBe('nothing');
    expect(await undo(page).count()).toBe(0);
  });

  test('The focus is somewhere when a program takes away what has it', async () => {
    const { sandbox } = shared;
    for (const message of ['one', 'two']) await sendText(message);
    sandbox.reply('*', { status: 5 });
    const page = await open();
    for (const [target, act] of [
      [rows(page).first(), () => fetch(`${sandbox.baseUrl}/sandbox/messages/${FIRST + 1n}`, remove)],
      [page.getByRole('button', { name: 'Disarm' }), () => sandbox.clearReplies()],
      [page.getByRole('combobox', { name: 'Status' }), () => sandbox.reset()],
    ] as const) {
      await target.focus();
      const element = await target.elementHandle();
      await act();
      await page.waitForFunction((one) => !(one as { isConnected: boolean }).isConnected, element);
      expect(await focused(page)).not.toBe('nothing');
    }
  });

  test('The list is one tab stop, and arrows unfold a call and move through its messages', async () => {
    await sendText('first');
    await sendMany(8, 'many');
    await sendText('last');
    const page = await open(PHONE);
    await rows(page).nth(2).waitFor();
    expect(await page.locator('#list [tabindex="0"]').count()).toBe(1);
    await rows(page).first().focus();
    const { keyboard } = page;
    await keyboard.press('ArrowDown');
    expect(await focused(page)).toBe(`call-${FIRST + 1n}`);
    await keyboard.press('ArrowRight');
    await page.locator('.row.inner').nth(4).waitFor();
    await keyboard.press('ArrowDown');
    expect(await focused(page)).toMatch(/^\d+$/);
    for (let step = 0; step < 5; step += 1) await keyboard.press('j');
    await keyboard.press('Enter');
    await page.locator('.row.inner').nth(7).waitFor();
    expect(await focused(page)).not.toBe('nothing');
    await rows(page).filter({ hasText: '8 messages' }).focus();
    await keyboard.press('ArrowLeft');
    await page.locator('.inner-list').waitFor({ state: 'detached' });
    await keyboard.press('ArrowDown');
    expect(await focused(page)).toBe(`${FIRST}`);
    expect(await page.locator('#list [tabindex="0"]').count()).toBe(1);
  });
});

const remove = { method: 'DELETE', headers: { 'Content-Type': 'application/json' } };
