import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { loopSize } from '../../support/loops';
import { KEY, send } from '../../support/raw-client';
import { choose, clipboard, describePage, FIRST, PHONE, rows, search } from './browser';

const MESSAGES = loopSize(99_000);

/** The texts on the page whose contrast with their background is below 4.5, by WCAG 2. The browser runs this code. */
const FAINT = `(() => {
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const colour = (text) => {
    context.fillStyle = text;
    context.clearRect(0, 0, 1, 1);
    context.fillRect(0, 0, 1, 1);
    return context.getImageData(0, 0, 1, 1).data;
  };
  const luminance = ([r, g, b]) => {
    const [red, green, blue] = [r, g, b].map((one) => {
      const part = one / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const backgroundOf = (one) => {
    const [r, g, b, alpha] = colour(getComputedStyle(one).backgroundColor);
    return alpha > 0 ? [r, g, b] : backgroundOf(one.parentElement);
  };
  return [...document.querySelectorAll('body *')].flatMap((element) => {
    const ownText = [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data.trim()).join('');
    const text = ownText || element.placeholder || '';
    if (text === '' || element.getClientRects().length === 0) return [];
    const { color } = getComputedStyle(element, ownText ? null : '::placeholder');
    const [dark, light] = [luminance(colour(color)), luminance(backgroundOf(element))].sort((a, b) => a - b);
    const ratio = (light + 0.05) / (dark + 0.05);
    return ratio < 4.5 ? [text + ': ' + ratio.toFixed(2)] : [];
  });
})()`;

/** The colours of the states in the list. The browser runs this code. */
const COLOURS = `[...document.querySelectorAll('#list .pill')].map((pill) => getComputedStyle(pill).color)`;

describePage((shared) => {
  const { sendText, sendMany, open } = shared;

  test.each(['light', 'dark'] as const)(
    'Every text has a contrast of 4.5, and the states have colours of their own (%s)',
    async (colorScheme) => {
      const { sandbox } = shared;
      const states = [1, 2, 4, 6, 10, 13, 77];
      for (const status of states) {
        await sendText('m');
        sandbox.setStatus(sandbox.messages.at(-1)?.messageid ?? 0n, status);
      }
      await sendMany(2);
      sandbox.reply('SendArrayByApikey', { status: 418 });
      const page = await open({ colorScheme });
      await rows(page).nth(states.length).click();
      await page.getByRole('button', { name: 'Show the exchange' }).click();
      await page.locator('#exchange pre').nth(1).waitFor();
      expect(await page.evaluate(FAINT)).toEqual([]);
      const colours = (await page.evaluate(COLOURS)) as string[];
      // Queued, canceled and unknown statuses are neutral.
      expect([colours.length, new Set(colours).size]).toEqual([states.length + 2, 5]);
      await page.getByRole('link', { name: 'Requests' }).click();
      await page.getByText('status 200').first().waitFor();
      expect(await page.evaluate(FAINT)).toEqual([]);
    },
  );

  test('A wide page shows the newest message until the user opens another one or works with it', async () => {
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
    await page.getByRole('button', { name: 'Show the exchange' }).click();
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

  test('Back leads to the list from each of several messages that were opened', async () => {
    for (const message of ['one', 'two', 'three']) await sendText(message);
    const page = await open();
    for (const message of ['one', 'two']) {
      await rows(page).filter({ hasText: message }).click();
      await page.locator('#detail-text').filter({ hasText: message }).waitFor();
    }
    await page.goBack();
    await page.locator('#detail-text').filter({ hasText: 'three' }).waitFor();
    await page.waitForFunction('!location.hash.includes("/sent/")');
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
    await sent.locator('#detail header').getByText('10 delivered').waitFor();
    await sent.goto(`${sandbox.baseUrl}/#/received/${FIRST}`);
    await sent.locator('#detail-text').filter({ hasText: 'response' }).waitFor();
    await sent.goto(`${sandbox.baseUrl}/#/sent/5`);
    await sent.getByText('The sandbox has no item with the id 5.').waitFor();
    await sent.goto(`${sandbox.baseUrl}/#/requests/${id}`);
    await sent.locator('#exchange').getByText('old').waitFor();
    // The browser reports the message that was not found.
    shared.complaints = shared.complaints.filter((line) => !line.includes('404'));
  });

  test('An opened message shows its size, every field of its request, and its exchange indented, which can be hidden again', async () => {
    const fields = '<messagemode>7</messagemode><udh>0608</udh>';
    await sendText('سلام'.repeat(20), '0912', fields);
    const page = await open();
    await page.getByText('UCS-2: 80 characters, 80 units, 2 parts').waitFor();
    const shown = (await page.locator('.facts').innerText()).replaceAll('\n', ' ');
    for (const part of ['SendAdvance, mode 7', 'messagemode 7', 'udh 0608', 'sender 3000'])
      expect(shown).toContain(part);
    expect(shown).not.toContain('apikey');
    await page.getByRole('button', { name: 'Show the exchange' }).click();
    const [request = '', response = ''] = await page.locator('#exchange pre').allTextContents();
    expect(request).toContain(
      '\n    <SendAdvance xmlns="http://messaging.example/">\n      <apikey>***</apikey>\n      <sender>3000</sender>\n',
    );
    expect(response).toContain(`\n      <SendAdvanceResult>${FIRST}</SendAdvanceResult>\n`);
    await page.getByRole('button', { name: 'Hide the exchange' }).click();
    expect(await page.locator('#exchange').count()).toBe(0);
  });

  test('The fields of a request are read with prefixes, comments, CDATA, references and nil values', async () => {
    const list = '<m:string>1</m:string><m:string/>\n<m:string>2<![CDATA[&amp;]]>&#x33;</m:string>';
    const fields = '<!-- a note --><m:sender>3<![CDATA[0]]>00</m:sender><m:message xsi:nil="true"/>';
    await send(`${shared.sandbox.baseUrl}/soap/v1.asmx`, {
      headers: { 'Content-Type': 'text/xml', SOAPAction: '"http://messaging.example/SendSimpleByApikey"' },
      body: `<?xml version="1.0"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"
        xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><s:Header><note>no field</note></s:Header>
        <s:Body><m:SendSimpleByApikey xmlns:m="http://messaging.example/"><m:apikey>${KEY}</m:apikey>${fields}
        <m:receptor>${list}</m:receptor></m:SendSimpleByApikey></s:Body></s:Envelope>`,
    });
    const page = await open();
    await page.locator('dl').nth(1).waitFor();
    const texts = await page.locator('dl').nth(1).locator('dt, dd').allTextContents();
    expect(texts).toEqual(['sender', '3000', 'message', 'nil', 'receptor', '1, , 2&amp;3']);
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

  test('A long exchange is cut on the page, and is copied whole', async () => {
    await sendText('x'.repeat(300_000));
    const page = await open();
    // As long as a person holds the button of a mouse. The button is far below the beginning of the item.
    await page.getByRole('button', { name: 'Show the exchange' }).click({ delay: 300 });
    const code = page.locator('#exchange figure').first();
    await code.getByText('more characters. “Copy” copies all.').waitFor();
    await code.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied').waitFor();
    expect(await clipboard(page)).toContain(`<message>${'x'.repeat(300_000)}</message>`);
  });

  test('The page deletes the opened message, and shows the newest one again', async () => {
    const { sandbox } = shared;
    for (const message of ['keep', 'other', 'newest']) await sendText(message);
    const page = await open();
    await rows(page).filter({ hasText: 'other' }).click();
    await page.locator('#detail-text').filter({ hasText: 'other' }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await rows(page).nth(2).waitFor({ state: 'detached' });
    await page.locator('#detail-text').filter({ hasText: 'newest' }).waitFor();
    expect(sandbox.messages).toMatchObject([{ message: 'keep' }, { message: 'newest' }]);
  });

  test('The page deletes the messages that a search or a chip finds', async () => {
    const { sandbox } = shared;
    for (const message of ['keep', 'test 1', 'test 2', 'failed', 'keep too']) await sendText(message);
    sandbox.setStatus(FIRST + 3n, 6);
    const page = await open();
    const removeFound = async () => {
      await page.getByRole('button', { name: 'Delete what was found' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('Nothing matches.').waitFor();
    };
    await rows(page).nth(4).waitFor();
    expect(await page.getByText('found').count()).toBe(0);
    await search(page).fill('test');
    await page.getByText('2 found').waitFor();
    await removeFound();
    await search(page).fill('');
    await page.locator('.filters').getByRole('button', { name: 'failed 1' }).click();
    await page.getByText('1 found').waitFor();
    await removeFound();
    expect(sandbox.messages).toMatchObject([{ message: 'keep' }, { message: 'keep too' }]);
  });

  test('The search finds parts of id, sender, receptor and text in every list', async () => {
    const { sandbox } = shared;
    await sendMany(1, 'first text', 'Alice', '0911');
    await sendMany(1, 'second text', 'Bob', '0922');
    sandbox.receive({ sender: '0933', receptor: '3001', message: 'third text' });
    sandbox.receive({ sender: '0944', receptor: '3002', message: 'fourth text' });
    const page = await open();
    for (const [list, cases] of [
      ['Sent', { ALICE: 'first text', '0922': 'second text', second: 'second text', [String(FIRST)]: 'first text' }],
      [
        'Received',
        { '0933': 'third text', '3002': 'fourth text', FOURTH: 'fourth text', [String(FIRST)]: 'third text' },
      ],
      ['Requests', { alice: 'first text', '0922': 'second text' }],
    ] as const) {
      await page.getByRole('link', { name: list }).click();
      await rows(page).nth(1).waitFor();
      for (const [text, found] of Object.entries(cases)) {
        await search(page).fill(text);
        await rows(page).nth(1).waitFor({ state: 'detached' });
        expect(await rows(page).allTextContents()).toEqual([expect.stringContaining(found)]);
        await search(page).fill('');
        await rows(page).nth(1).waitFor();
      }
    }
    await search(page).fill('nothing like it');
    await page.getByText('Nothing matches.').waitFor();
  });

  test('A chip for each state shows its count and filters the list', async () => {
    for (const message of ['one', 'two', 'three']) await sendText(message);
    shared.sandbox.setStatus(FIRST, 6);
    shared.sandbox.setStatus(FIRST + 1n, 77);
    const page = await open();
    const chips = page.locator('.filters .chip');
    await chips.nth(3).waitFor();
    expect((await chips.allInnerTexts()).map((text) => text.trim())).toEqual([
      'all 3',
      'queued 1',
      'failed 1',
      'status 77 1',
    ]);
    await chips.filter({ hasText: 'failed' }).click();
    await rows(page).nth(1).waitFor({ state: 'detached' });
    expect(await rows(page).allTextContents()).toEqual([expect.stringContaining('one')]);
    // The chip stays while no message has its state any more.
    shared.sandbox.setStatus(FIRST, 10);
    await chips.filter({ hasText: 'failed 0' }).waitFor();
    await page.getByText('Nothing matches.').waitFor();
    await chips.filter({ hasText: 'all' }).click();
    await rows(page).nth(2).waitFor();
  });

  test('The address holds the list, the search, the chip and the opened message, also after a reload', async () => {
    for (const message of ['one', 'two', 'other']) await sendText(message);
    shared.sandbox.setStatus(FIRST, 6);
    const page = await open();
    await page.locator('.filters').getByRole('button', { name: 'failed 1' }).click();
    await search(page).fill('o');
    await rows(page).nth(1).waitFor({ state: 'detached' });
    await rows(page).first().click();
    expect(page.url()).toBe(`${shared.sandbox.baseUrl}/#/sent/${FIRST}?search=o&status=6`);
    await page.reload();
    await page.locator('#detail-text').filter({ hasText: 'one' }).waitFor();
    expect(await rows(page).count()).toBe(1);
    expect(await search(page).inputValue()).toBe('o');
    await page.goBack();
    expect(page.url()).toBe(`${shared.sandbox.baseUrl}/#/sent?search=o&status=6`);
  });

  test('Messages of one call are together under one line with their text, and days have headings', async () => {
    const now = Math.floor(Date.now() / 1000);
    await sendText('old', '0911', `<unixdate>${now - 400 * 86_400}</unixdate>`);
    await sendMany(3, 'one text');
    await sendText('late', '0911', `<unixdate>${now + 10 * 86_400 + 5}</unixdate>`);
    const page = await open();
    const lines = page.locator('#list li');
    await lines.nth(7).waitFor();
    const texts = (await lines.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim());
    expect(texts).toEqual([
      '0911 2 scheduled in 10 d late',
      'Today',
      expect.stringMatching(/^3 messages of one call .* one text$/),
      '0912 1 queued',
      '0912 1 queued',
      '0912 1 queued',
      expect.stringMatching(/^\w+day, \w+ \d+, 20\d\d$/),
      expect.stringMatching(/^0911 1 queued \d+:\d\d [AP]M old$/),
    ]);
  });

  test('A time is the distance from now, with the exact time on hover', async () => {
    await sendText('m');
    const date = Number(shared.sandbox.messages[0]?.date);
    // In this time zone it is between 11 and 12 now, so that a day does not end within the test.
    const hours = new Date(date * 1000).getUTCHours() - 11;
    const context = await shared.browser.newContext({ timezoneId: `Etc/GMT${hours < 0 ? hours : `+${hours}`}` });
    const page = await open({}, '/', await context.newPage());
    await page.clock.setFixedTime((date + 12) * 1000);
    const time = rows(page).locator('time');
    await time.getByText('12 s ago').waitFor();
    expect(await time.getAttribute('title')).toBe(await page.evaluate(`new Date(${date} * 1000).toLocaleString()`));
    await page.clock.setFixedTime((date + 7260) * 1000);
    await time.getByText('2 h ago').waitFor();
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
    await rows(page).getByText('10 delivered').waitFor();
    await rows(page).getByText('6 failed').waitFor();
    await page.locator('#detail header').getByText('6 failed').waitFor();
    shared.sandbox.reset();
    await page.getByRole('button', { name: 'Delivery off', includeHidden: true }).waitFor({ state: 'attached' });
  });

  test('The page shows at once a status that it changes and a status that a program changes, and keeps no old status', async () => {
    const { sandbox } = shared;
    await sendMany(2);
    const page = await open();
    await rows(page).nth(1).click();
    const statuses = page.getByRole('group', { name: 'Change the status' });
    const detail = page.locator('#detail header');
    await statuses.getByRole('button', { name: 'blocked' }).click();
    await rows(page).nth(1).getByText('14 blocked').waitFor();
    await detail.getByText('14 blocked').waitFor();
    expect(sandbox.messages[0]).toMatchObject({ status: 14, statustext: 'blocked' });
    sandbox.setStatus(FIRST, 10, 'تحویل شد');
    await rows(page).nth(1).getByText('10 تحویل شد').waitFor();
    await detail.getByText('10 تحویل شد').waitFor();
    expect(await statuses.locator('[aria-pressed=true]').allInnerTexts()).toEqual(['delivered']);
    sandbox.setStatus(FIRST + 1n, 13);
    await rows(page).first().getByText('13 canceled').waitFor();
  });

  test('Pages of 50 lead through a long list, Back goes to the page before, and the newest ones are one click away', async () => {
    await sendMany(MESSAGES);
    await sendText('newest');
    const page = await open();
    await rows(page).filter({ hasText: 'newest' }).waitFor();
    expect(await rows(page).count()).toBe(50);
    await page.getByRole('button', { name: `all ${(MESSAGES + 1).toLocaleString('en')}` }).waitFor();
    await page.getByRole('button', { name: 'Older' }).click();
    const row = (id: bigint) => page.locator(`[href^="#/sent/${id}"]`);
    await row(FIRST + BigInt(MESSAGES - 50)).waitFor();
    expect(await rows(page).count()).toBe(50);
    await page.goBack();
    await rows(page).filter({ hasText: 'newest' }).waitFor();
    for (const step of [1, 2]) {
      await page.getByRole('button', { name: 'Older' }).click();
      await row(FIRST + BigInt(MESSAGES - 50 * step)).waitFor();
    }
    await page.getByRole('button', { name: '↑ Newest' }).click();
    await rows(page).filter({ hasText: 'newest' }).waitFor();
  });

  test('Every kept request can be reached', async () => {
    const options = { method: 'HEAD' };
    for (let index = 0; index < 105; index += 1) await fetch(`${shared.sandbox.baseUrl}/${index}`, options);
    const page = await open({}, '/#/requests');
    for (const last of ['/55', '/5']) {
      await rows(page)
        .filter({ hasText: `HEAD ${last} ` })
        .or(rows(page).getByText(`HEAD ${last}`, { exact: true }))
        .first()
        .waitFor();
      await page.getByRole('button', { name: 'Older' }).click();
    }
    await rows(page).getByText('HEAD /0', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Older' }).count()).toBe(0);
  });

  test('A list that is scrolled keeps its rows in place while messages come in, and shows them at its top', async () => {
    await sendMany(60);
    const page = await open();
    await rows(page).nth(49).waitFor();
    await rows(page).nth(40).focus();
    const place = () =>
      rows(page)
        .nth(40)
        .evaluate((row) => [row.getAttribute('href'), row.getBoundingClientRect().top]);
    const before = await place();
    await sendMany(50, 'another');
    await page.getByRole('button', { name: 'all 110' }).waitFor();
    expect(await place()).toEqual(before);
    expect(
      await rows(page)
        .nth(40)
        .evaluate((row) => row.matches(':focus')),
    ).toBe(true);
    await page.locator('#list').evaluate((list) => list.scrollTo(0, 0));
    await page.locator('#list').getByText('another').waitFor();
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
    await page.getByRole('button', { name: 'Show the exchange' }).click();
    const code = await page.locator('#exchange pre').first().boundingBox();
    const button = await page.locator('#exchange figure button').first().boundingBox();
    expect((button?.y ?? 0) + (button?.height ?? 0)).toBeLessThanOrEqual(code?.y ?? 0);
  });
});
