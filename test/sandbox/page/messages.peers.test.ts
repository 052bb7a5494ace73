import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { loopSize } from '../../support/loops';
import { KEY } from '../../support/raw-client';
import { choose, clipboard, describePage, FIRST, PHONE, rows, search, toggleExchange } from './browser';
import { COLOR_SCHEMES, faintTexts } from './measure';

const MESSAGES = loopSize(99_000);

/** The colours of the states in the list. The browser runs this code. */
const COLOURS = `[...document.querySelectorAll('#list .pill')].map((pill) => getComputedStyle(pill, pill.matches('.bad') ? null : '::before').backgroundColor)`;

describePage((shared) => {
  const { sendText, sendMany, open } = shared;

  test('Every text has a contrast of 4.5, and the states have colours of their own, light and dark', async () => {
    const { sandbox } = shared;
    const states = [1, 2, 4, 6, 10, 13, 77];
    for (const status of states) {
      await sendText('m');
      sandbox.setStatus(sandbox.messages.at(-1)?.messageid ?? 0n, status);
    }
    await sendMany(2);
    sandbox.reply('SendArrayByApikey', { status: 418 });
    const page = await open();
    await rows(page).nth(states.length).click();
    await toggleExchange(page);
    await page.locator('#exchange pre').nth(1).waitFor();
    for (const colorScheme of COLOR_SCHEMES) {
      await page.emulateMedia({ colorScheme });
      const colours = (await page.evaluate(COLOURS)) as string[];
      // Queued, canceled and unknown statuses are neutral.
      expect([colours.length, new Set(colours).size]).toEqual([states.length + 1, 5]);
    }
    expect(await faintTexts(page)).toEqual([]);
    await page.getByRole('link', { name: 'Requests' }).click();
    await page.getByText('status 200').first().waitFor();
    expect(await faintTexts(page)).toEqual([]);
  });

  test('A wide page shows the newest message until the user opens another one or works with it, and again after Back', async () => {
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
    await page.keyboard.press('Escape');
    await text.filter({ hasText: 'three' }).waitFor();
    // Back leads to the list from each of several messages.
    for (const message of ['one', 'two']) {
      await rows(page).filter({ hasText: message }).click();
      await text.filter({ hasText: message }).waitFor();
    }
    await page.goBack();
    await text.filter({ hasText: 'three' }).waitFor();
    await page.waitForFunction('!location.hash.includes("/sent/")');
    await toggleExchange(page);
    await sendText('four');
    await rows(page).filter({ hasText: 'four' }).waitFor();
    expect(await text.textContent()).toBe('three');
  });

  test('An opened message has an address, and the Back of the browser closes it', async () => {
    for (const message of ['one', 'two']) await sendText(message);
    const page = await open(PHONE);
    await rows(page).nth(1).click();
    await page.locator('#detail-text').filter({ hasText: 'one' }).waitFor();
    expect(page.url()).toBe(`${shared.sandbox.baseUrl}/#/sent/${FIRST}`);
    await page.goBack();
    await rows(page).first().waitFor();
    expect(await page.locator('#detail').isVisible()).toBe(false);
    await page.goForward();
    await page.locator('#detail-text').filter({ hasText: 'one' }).waitFor();
    // The button closes it too.
    await page.getByRole('button', { name: 'Back to the list' }).click();
    await rows(page).first().waitFor();
    await page.waitForFunction('!location.hash.includes("/sent/")');
    await rows(page).first().click();
    await page.locator('#detail-text').filter({ hasText: 'two' }).waitFor();
    expect(page.url()).toBe(`${shared.sandbox.baseUrl}/#/sent/${FIRST + 1n}`);
  });

  test('The address of an item opens it on another page, also when it is not among the newest', async () => {
    const { sandbox } = shared;
    await sendText('old');
    const [{ id = '' } = {}] = sandbox.requests;
    await sendMany(200);
    sandbox.receive({ sender: '1', receptor: '3000', message: 'response' });
    const sent = await open({}, `/#/sent/${FIRST}`);
    await sent.locator('#detail-text').filter({ hasText: 'old' }).waitFor();
    sandbox.setStatus(FIRST, 10);
    await sent.locator('#detail select.good').waitFor();
    await sent.goto(`${sandbox.baseUrl}/#/received/3000/1`);
    await sent.locator('#talk').getByText('response').waitFor();
    await sent.goto(`${sandbox.baseUrl}/#/sent/5`);
    await sent.getByText('The sandbox has no item with the id 5.').waitFor();
    await sent.goto(`${sandbox.baseUrl}/#/requests/${id}`);
    await sent.locator('#exchange').getByText('old').waitFor();
    // The browser reports the message that was not found.
    shared.complaints = shared.complaints.filter((line) => !line.includes('404'));
  });

  test('An opened message shows its length, every field of its request, and its exchange indented, which can be hidden again', async () => {
    const fields =
      '<encoding>2</encoding><messagemode>7</messagemode><fallbackurl>https://a.example/?b</fallbackurl><clientmessageid>order-1</clientmessageid>';
    await sendText('سلام'.repeat(20), '0912', fields);
    const page = await open();
    await page.getByText('80 characters in UCS-2, 2 parts').waitFor();
    const facts = (await page.locator('#detail > div > dl').innerText()).replaceAll(/\s+/g, ' ');
    for (const fact of ['clientmessageid order-1', 'fallbackurl https://a.example/?b', 'encoding 2', 'messagemode 7']) {
      expect(facts).toContain(fact);
    }
    await page.getByText('1 receptor').click();
    const shown = (await page.locator('#detail').innerText()).replaceAll(/\s+/g, ' ');
    for (const part of ['by SendAdvance', 'messagemode 7', 'clientmessageid order-1', 'sender 3000'])
      expect(shown).toContain(part);
    expect(shown).not.toContain('apikey');
    await toggleExchange(page);
    const [request = '', response = ''] = await page.locator('#exchange pre').allTextContents();
    expect(request).toContain(
      '\n    <SendAdvance xmlns="http://messaging.example/">\n      <apikey>***</apikey>\n      <sender>3000</sender>\n',
    );
    expect(response).toContain(`\n      <SendAdvanceResult>${FIRST}</SendAdvanceResult>\n`);
    await toggleExchange(page);
    await page.locator('#exchange').waitFor({ state: 'detached' });
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
    const [first, second] = shared.sandbox.messages;
    expect(second).toMatchObject({ message: first?.message, sender: '3000', receptor: '0912' });
  });

  test('A long exchange is cut on the page, is copied whole, and is divided into lines in linear time, whatever it repeats', async () => {
    await sendText('x'.repeat(300_000));
    const page = await open();
    // As long as a person holds the button of a mouse. The fold is far below the beginning of the item.
    await page.getByText('HTTP exchange').click({ delay: 300 });
    const code = page.locator('#exchange figure').first();
    await code.getByText('more characters. “Copy” copies all.').waitFor();
    const length = async () => (await code.locator('pre').innerText()).length;
    expect(await length()).toBeLessThan(12_000);
    await code.getByRole('button', { name: 'Show more' }).click();
    await code.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' });
    expect(await length()).toBeGreaterThan(200_000);
    await code.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied').waitFor();
    expect(await clipboard(page)).toContain(`<message>${'x'.repeat(300_000)}</message>`);
    // A second look at each beginning would take hours.
    const count = `import('/sandbox/page/exchange.mjs').then(({ linesOf }) =>
      ['<', '<!--', '<![CDATA[', '<a ', '<a></a>'].map((text) => linesOf(text.repeat(1_000_000)).length))`;
    expect(await page.evaluate(count)).toEqual([1, 1, 1, 1, 1_000_000]);
  });

  test('The search finds parts of id, sender, receptor and text in every list, and marks them', async () => {
    const { sandbox } = shared;
    await sendMany(1, 'first text', 'Alice', '0911');
    await sendMany(1, 'second text', 'Bob', '0922');
    sandbox.receive({ sender: '0933', receptor: '3001', message: 'third text' });
    sandbox.receive({ sender: '0944', receptor: '3002', message: 'fourth text' });
    const page = await open();
    // Each search finds another row than the one before it.
    for (const [list, first, second, ...cases] of [
      ['Sent', 'first text', 'second text', 'ALICE', '0922', String(FIRST), 'SECOND'],
      ['Received', 'third text', 'fourth text', '0933', '3002', String(FIRST), 'FOURTH'],
      ['Requests', 'first text', 'second text', 'alice', '0922'],
    ] as const) {
      await page.getByRole('link', { name: list }).click();
      await rows(page).nth(1).waitFor();
      for (const [index, text] of cases.entries()) {
        const found = index % 2 ? second : first;
        await search(page).fill(text);
        await rows(page).filter({ hasText: found }).waitFor();
        await rows(page).nth(1).waitFor({ state: 'detached' });
        expect(await rows(page).allTextContents()).toEqual([expect.stringContaining(found)]);
      }
      if (list === 'Sent')
        expect(await page.locator('.preview mark, #detail-text mark').allInnerTexts()).toEqual(['second', 'second']);
      await search(page).fill('');
      await rows(page).nth(1).waitFor();
    }
    await search(page).fill('nothing like it');
    await page.getByText('Nothing matches.').waitFor();
  });

  test('A chip for each state shows its count and filters the list: the most common state first, then the bad ones', async () => {
    for (const message of ['one', 'two', 'three', 'four']) await sendText(message);
    shared.sandbox.setStatus(FIRST, 6);
    shared.sandbox.setStatus(FIRST + 1n, 77);
    const page = await open();
    const chips = page.locator('.chips .chip');
    await chips.filter({ hasText: 'status 77' }).waitFor();
    const texts = (await chips.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim());
    expect(texts).toEqual(['4 messages', '2 queued', '1 failed', '1 status 77']);
    await chips.filter({ hasText: 'failed' }).click();
    await rows(page).nth(1).waitFor({ state: 'detached' });
    expect(await rows(page).allTextContents()).toEqual([expect.stringContaining('one')]);
    // The chip stays while no message has its state any more.
    shared.sandbox.setStatus(FIRST, 10);
    await chips.filter({ hasText: '0 failed' }).waitFor();
    await page.getByText('Nothing matches.').waitFor();
    await chips.filter({ hasText: '4 found' }).click();
    await rows(page).nth(3).waitFor();
    expect(await search(page).inputValue()).toBe('');
  });

  test('A wheel that turns in one direction reaches the last chip, and one message or failure is counted as one', async () => {
    for (let status = 1; status <= 12; status += 1) await sendText('m');
    for (const [index, { messageid }] of shared.sandbox.messages.entries())
      shared.sandbox.setStatus(messageid, 70 + index);
    const page = await open({ viewport: { width: 400, height: 600 } });
    const chips = page.locator('.chips .chip');
    await chips.nth(12).waitFor();
    expect((await chips.nth(12).boundingBox())?.x).toBeGreaterThan(400);
    await chips.first().hover();
    await page.mouse.wheel(0, 5000);
    await page.waitForFunction(
      "document.querySelector('.chips').lastElementChild.getBoundingClientRect().right <= innerWidth",
    );
    await fetch(`${shared.sandbox.baseUrl}/nothing`);
    await page.goto(`${shared.sandbox.baseUrl}/#/requests?search=nothing`);
    await chips.filter({ hasText: '1 with an HTTP error' }).waitFor();
  });

  test('The address holds the list, the search, the chip and the opened message, also after a reload', async () => {
    for (const message of ['one', 'two', 'other']) await sendText(message);
    shared.sandbox.setStatus(FIRST, 6);
    const page = await open();
    await page.locator('.chips').getByRole('button', { name: '1 failed' }).click();
    await rows(page).nth(1).waitFor({ state: 'detached' });
    await search(page).fill('status:failed o');
    await rows(page).first().click();
    expect(page.url()).toBe(`${shared.sandbox.baseUrl}/#/sent/${FIRST}?search=status%3Afailed+o`);
    await page.reload();
    await page.locator('#detail-text').filter({ hasText: 'one' }).waitFor();
    expect(await rows(page).count()).toBe(1);
    expect(await search(page).inputValue()).toBe('status:failed o');
    await page.goBack();
    expect(page.url()).toBe(`${shared.sandbox.baseUrl}/#/sent?search=status%3Afailed+o`);
  });

  test('A call of several messages is one row with its counts, which unfolds with the bad ones first, and days have headings', async () => {
    const now = Math.floor(Date.now() / 1000);
    await sendText('old', '0911', `<unixdate>${now - 400 * 86_400}</unixdate>`);
    await sendMany(60, 'one text');
    shared.sandbox.setStatus(FIRST + 3n, 6);
    await sendText('late', '0911', `<unixdate>${now + 10 * 86_400 + 5}</unixdate>`);
    const page = await open();
    const lines = page.locator('#list > li');
    await lines.nth(4).waitFor();
    const texts = (await lines.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim());
    expect(texts).toEqual([
      expect.stringMatching(/^0911 \w+ \d+(?:, \d\d:\d\d|, 20\d\d) scheduled late$/),
      'Today',
      expect.stringMatching(/^60 messages (now|\d+ s) 1 not delivered one text ▸$/),
      expect.stringMatching(/^\w+day, \w+ \d+, 20\d\d$/),
      expect.stringMatching(/^0911 \w+ \d+, 20\d\d queued old$/),
    ]);
    await page.getByRole('button', { name: 'Unfold 60 messages' }).click();
    const inner = page.locator('.inner-list .row');
    await inner.nth(4).waitFor();
    expect((await inner.allInnerTexts())[0]).toMatch(/failed$/);
    await page.getByRole('button', { name: 'Show 45 more' }).click();
    await inner.nth(49).waitFor();
    await inner.first().click();
    await page.getByText('60 receptors, this is no. 3').waitFor();
    await rows(page).filter({ hasText: '60 messages' }).click();
    await page.locator('#detail header').getByText('60 messages').waitFor();
    expect((await page.locator('#detail dl').first().innerText()).replaceAll(/\s+/g, ' ')).toBe('failed 1 queued 59');
    await page.getByRole('button', { name: 'Delete 60' }).click();
    await rows(page).filter({ hasText: '60 messages' }).waitFor({ state: 'detached' });
    expect(shared.sandbox.messages).toHaveLength(2);
  });

  test('A time of the last day is the distance from now, any other a date, with the exact time on hover', async () => {
    await sendText('m');
    const date = Number(shared.sandbox.messages[0]?.date);
    // In this time zone it is between 11 and 12 now, so that a day does not end within the test.
    const hours = new Date(date * 1000).getUTCHours() - 11;
    const context = await shared.browser.newContext({ timezoneId: `Etc/GMT${hours < 0 ? hours : `+${hours}`}` });
    const page = await open({}, '/', await context.newPage());
    await page.clock.setFixedTime((date + 12) * 1000);
    const time = rows(page).locator('time');
    await time.getByText('12 s', { exact: true }).waitFor();
    await page.locator('#detail').getByText('12 s ago').waitFor();
    const exact = `new Date(${date} * 1000).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' })`;
    expect(await time.getAttribute('title')).toBe(await page.evaluate(exact));
    await page.clock.setFixedTime((date + 7260) * 1000);
    await time.getByText('2 h', { exact: true }).waitFor();
    // Less than a day ago, though yesterday; and more than a day ago.
    await page.clock.setFixedTime((date + 86_399) * 1000);
    await time.getByText('23 h', { exact: true }).waitFor();
    await page.clock.setFixedTime((date + 86_400) * 1000);
    await time.getByText(/^[A-Z][a-z]{2} \d+, (?:1[12]:\d\d|20\d\d)$/).waitFor();
    // Of the future.
    await page.clock.setFixedTime((date - 7200) * 1000);
    await time.getByText(/^[A-Z][a-z]{2} \d+, (?:1[12]:\d\d|20\d\d)$/).waitFor();
  });

  test('The page switches the simulated delivery on, moves it ahead by 16.1 seconds and shows the statuses live', async () => {
    for (const receptor of ['0912', '09129902']) await sendText('m', receptor);
    const page = await open();
    await choose(page, 'Delivery off');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('6 failed after 1 s').waitFor();
    await dialog.getByRole('checkbox').check();
    await dialog.getByLabel('Seconds').fill('16.1');
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('button', { name: 'Delivery on', includeHidden: true }).waitFor({ state: 'attached' });
    await rows(page).getByText('delivered').waitFor();
    await rows(page).getByText('failed').waitFor();
    await page.locator('#detail select.bad').waitFor();
    shared.sandbox.reset();
    await page.getByRole('button', { name: 'Delivery off', includeHidden: true }).waitFor({ state: 'attached' });
  });

  test('The page shows at once a status that it changes and a status that a program changes, and keeps no old status', async () => {
    const { sandbox } = shared;
    for (const message of ['one', 'two']) await sendText(message);
    const page = await open();
    await rows(page).nth(1).click();
    const menu = page.getByRole('combobox', { name: 'Status' });
    await menu.selectOption({ label: '14 blocked' });
    await rows(page).nth(1).getByText('blocked').waitFor();
    expect(sandbox.messages[0]).toMatchObject({ status: 14, statustext: 'blocked' });
    sandbox.setStatus(FIRST, 10, 'تحویل شد');
    await rows(page).nth(1).getByText('تحویل شد').waitFor();
    await page.locator('#detail select.good').waitFor();
    expect(await menu.inputValue()).toBe('10');
    sandbox.setStatus(FIRST, 77, 'unknown here');
    await page.locator('#detail').getByText('77 unknown here').waitFor({ state: 'attached' });
    sandbox.setStatus(FIRST + 1n, 13);
    await rows(page).first().getByText('canceled').waitFor();
  });

  test('Further rows of a long list load while it is scrolled', async () => {
    await sendMany(MESSAGES);
    for (let index = 0; index < 70; index += 1) await sendText(`text ${index}`);
    const page = await open();
    await rows(page).filter({ hasText: 'text 69' }).waitFor();
    expect(await rows(page).count()).toBe(50);
    await page.getByRole('button', { name: `${(MESSAGES + 70).toLocaleString('en')} messages` }).waitFor();
    const list = page.locator('#list');
    await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await rows(page)
      .filter({ hasText: `${MESSAGES.toLocaleString('en')} messages` })
      .waitFor({ state: 'attached' });
  });

  test('Every kept request can be reached', async () => {
    const options = { method: 'HEAD' };
    for (let index = 0; index < 105; index += 1) await fetch(`${shared.sandbox.baseUrl}/${index}`, options);
    const page = await open({}, '/#/requests');
    for (const last of ['/55', '/5', '/0']) {
      await rows(page).getByText(`HEAD ${last}`, { exact: true }).waitFor({ state: 'attached' });
      await page.locator('#list').evaluate((element) => element.scrollTo(0, element.scrollHeight));
    }
    await page.getByRole('button', { name: '105 requests' }).waitFor();
  });

  test('A list that is scrolled keeps its rows in place while messages come in, and shows them at its top', async () => {
    for (let index = 0; index < 60; index += 1) await sendText(`text ${index}`);
    const page = await open();
    await rows(page).nth(49).waitFor();
    await rows(page).nth(40).focus();
    const place = () =>
      rows(page)
        .nth(40)
        .evaluate((row) => [row.getAttribute('href'), row.getBoundingClientRect().top]);
    const before = await place();
    for (let index = 0; index < 5; index += 1) await sendText('another');
    await page.getByRole('button', { name: '5 new messages' }).waitFor();
    expect(await place()).toEqual(before);
    expect(
      await rows(page)
        .nth(40)
        .evaluate((row) => row.matches(':focus')),
    ).toBe(true);
    await page.getByRole('button', { name: '5 new messages' }).click();
    await page.locator('#list').getByText('another').first().waitFor();
    await sendText('one more');
    await rows(page).filter({ hasText: 'one more' }).waitFor();
  });

  test('A phone shows the whole receptor of a scheduled message and the whole operation of a request, and no button lies over code', async () => {
    await sendText('m', '09120000001', `<unixdate>${Math.floor(Date.now() / 1000) + 864_000}</unixdate>`);
    const page = await open(PHONE);
    const isWhole = () =>
      rows(page)
        .first()
        .locator('.who')
        .evaluate((one) => one.scrollWidth <= one.clientWidth);
    await rows(page).first().waitFor();
    expect(await isWhole()).toBe(true);
    await sendMany(1);
    await page.getByRole('link', { name: 'Requests' }).click();
    await rows(page).filter({ hasText: 'SendSimpleByApikey' }).waitFor();
    expect(await isWhole()).toBe(true);
    await page.getByRole('link', { name: 'Sent' }).click();
    await rows(page).first().click();
    await toggleExchange(page);
    const code = await page.locator('#exchange pre').first().boundingBox();
    const button = await page.locator('#exchange figure button').first().boundingBox();
    expect((button?.y ?? 0) + (button?.height ?? 0)).toBeLessThanOrEqual(code?.y ?? 0);
  });
});
