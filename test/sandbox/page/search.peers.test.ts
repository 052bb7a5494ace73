import { call, KEY } from '../../support/raw-client';
import { describePage, FIRST, rows, search } from './browser';

const STATUSES = { queued: '1', delivered: '10', failed: '6' };

describePage((shared) => {
  const { sendText, sendMany, open } = shared;

  test('A search is read as text and fields', async () => {
    const page = await open({ timezoneId: 'Asia/Tehran' });
    const read = (list: string, text: string, name = 'readQuery') =>
      page.evaluate(
        `import('/sandbox/page/query.mjs').then((query) => query.${name}(...${JSON.stringify([list, text, STATUSES])}))`,
      ) as Promise<{ parameters: object; status: string; problem: string }>;
    const seconds = (text: string) => String(Date.parse(`${text}+03:30`) / 1000);
    for (const [text, parameters, status] of [
      ['', { search: '' }, ''],
      ['hello  world', { search: 'hello  world' }, ''],
      ['to:0912', { receptor: '0912', search: '' }, ''],
      ['hello TO:0912 world from:3000', { receptor: '0912', sender: '3000', search: 'hello world' }, ''],
      ['text:"two words" x', { message: 'two words', search: 'x' }, ''],
      ['text:"open end', { message: 'open end', search: '' }, ''],
      ['status:10', { search: '' }, '10'],
      ['status:-3 a', { search: 'a' }, '-3'],
      ['status:Delivered', { search: '' }, '10'],
      ['status:', { search: '' }, ''],
      ['after:2026-11-24', { startUnixdate: seconds('2026-11-24T00:00:00'), search: '' }, ''],
      ['before:2026-11-24', { endUnixdate: String(Number(seconds('2026-11-24T00:00:00')) - 1), search: '' }, ''],
      ['after:2026-11', { startUnixdate: seconds('2026-11-01T00:00:00'), search: '' }, ''],
      ['after:2026', { startUnixdate: seconds('2026-01-01T00:00:00'), search: '' }, ''],
      ['after:2026-11-24T09:30', { startUnixdate: seconds('2026-11-24T09:30:00'), search: '' }, ''],
      ['after:"2026-11-24 09:30"', { startUnixdate: seconds('2026-11-24T09:30:00'), search: '' }, ''],
      // Not a field: no such name, or not at the beginning of a word.
      ['http://a.example/to:x', { search: 'http://a.example/to:x' }, ''],
      ['constructor:x __proto__:y', { search: 'constructor:x __proto__:y' }, ''],
      ['say "hi"', { search: 'say "hi"' }, ''],
    ] as const) {
      expect([text, await read('sent', text)]).toMatchObject([text, { parameters, status, problem: '' }]);
    }
    for (const [list, text, problem] of [
      ['sent', 'status:deliv', 'status: a number, or one of these words: queued, delivered, failed'],
      ['requests', 'status:200', 'status: one of these words: '],
      ['sent', 'after:2026-11-31', 'after: the first date'],
      ['sent', 'before:soon', 'before: a date such as'],
      ['sent', 'after:1e3', 'after: the first date'],
      ['sent', 'to:1 to:2', 'to: is given twice'],
    ] as const) {
      expect([text, (await read(list, text)).problem]).toEqual([text, expect.stringContaining(problem)]);
    }
    expect(await read('received', 'status:10')).toMatchObject({ status: '', parameters: { search: 'status:10' } });
    expect(await read('received', 'x:', 'hintOf')).toBe('The search knows to:, from:, text:, before: and after:');
    expect(await read('sent', 'a to:', 'hintOf')).toContain('to: a part of the receptor. The search knows to:, ');
    for (const text of ['to:0', 'a', '']) expect(await read('sent', text, 'hintOf')).toBe('');
  });

  test('The page searches sent messages by each field, marks what it found, and says which fields it knows', async () => {
    const { sandbox } = shared;
    await sendMany(1, 'first 0922', '3000', '0911');
    await sendMany(1, 'second', '4000', '0922');
    await sendText('third', '0933', '<unixdate>1700000000</unixdate>');
    sandbox.setStatus(FIRST, 6);
    const page = await open();
    const found = async (text: string, expected: readonly string[]) => {
      await search(page).fill(text);
      for (const one of expected) await rows(page).filter({ hasText: one }).waitFor();
      await rows(page).nth(expected.length).waitFor({ state: 'detached' });
      expect([text, await rows(page).locator('.preview').allTextContents()]).toEqual([text, expected]);
    };
    await rows(page).nth(2).waitFor();
    await found('to:0922', ['second']);
    await page.locator('#list .who mark').getByText('0922').waitFor();
    await found('0922', ['second', 'first 0922']);
    await found('from:3000', ['third', 'first 0922']);
    await found('text:D', ['third', 'second']);
    await found('status:failed', ['first 0922']);
    await found('status:6 from:4000', []);
    await found('before:2024', ['third']);
    await found('after:today', ['second', 'first 0922']);
    await search(page).fill('after:');
    await page.locator('#hint').getByText('after: the first date that counts').waitFor();
    await search(page).fill('sender:');
    await page.locator('#hint').getByText('The search knows to:, from:, text:, status:, before: and after:').waitFor();
    // What is not understood finds nothing, and nothing can be deleted by it.
    await search(page).fill('status:deliv');
    await page.locator('#hint').getByText('status: a number, or one of these words').waitFor();
    await page.getByText('Nothing matches.').waitFor();
    expect(await page.locator('.found').count()).toBe(0);
  });

  test('The page searches received messages and requests by field, also beyond the first receptors of a request', async () => {
    const { sandbox } = shared;
    sandbox.receive([
      { sender: '0911', receptor: '3000', message: 'about 4000' },
      { sender: '0922', receptor: '4000', message: 'other' },
    ]);
    const receptors = Array.from({ length: 30 }, (_, index) => `<string>0935${index}</string>`).join('');
    await call(
      sandbox,
      '1.1',
      'SendSimpleByApikey',
      `<apikey>${KEY}</apikey><message>m</message><receptor>${receptors}</receptor>`,
    );
    sandbox.reply('*', { status: 418 });
    await sendText('refused', '0944');
    const page = await open({}, '/#/received?search=to:4000');
    await rows(page).filter({ hasText: 'other' }).waitFor();
    expect(await rows(page).count()).toBe(1);
    for (const [text, expected] of [
      ['to:093529', '30 receptors'],
      ['status:refused', '0944'],
      ['status:done', '30 receptors'],
    ] as const) {
      await page.goto(`${sandbox.baseUrl}/#/requests?search=${text}`);
      await rows(page).filter({ hasText: expected }).waitFor();
      await rows(page).nth(1).waitFor({ state: 'detached' });
    }
    await page.locator('.chips').getByRole('button', { name: '1 refused' }).click();
    await rows(page).filter({ hasText: '0944' }).waitFor();
    expect(await search(page).inputValue()).toBe('status:refused');
  });

  test('A day, a receptor and a sender narrow the list by a link', async () => {
    const noon = new Date(2025, 4, 5, 12).getTime() / 1000;
    for (const [text, date, receptor] of [
      ['day before', noon - 86_400, '0911'],
      ['morning', noon - 3_600, '0911'],
      ['evening', noon + 3_600, '0922'],
    ] as const) {
      await sendText(text, receptor, `<unixdate>${date}</unixdate>`);
    }
    const page = await open({ timezoneId: Intl.DateTimeFormat().resolvedOptions().timeZone });
    await rows(page).nth(2).waitFor();
    await page.getByRole('link', { name: 'Monday, May 5, 2025', exact: true }).click();
    await rows(page).nth(2).waitFor({ state: 'detached' });
    expect(await search(page).inputValue()).toBe('after:2025-05-05 before:2025-05-06');
    expect(await rows(page).locator('.preview').allTextContents()).toEqual(['evening', 'morning']);
    await rows(page).filter({ hasText: 'morning' }).click();
    await page.getByRole('link', { name: 'all to it' }).click();
    await rows(page).filter({ hasText: 'day before' }).waitFor();
    expect(await search(page).inputValue()).toBe('to:0911');
    await page.getByRole('link', { name: 'all from this sender' }).click();
    await rows(page).nth(2).waitFor();
    expect(await search(page).inputValue()).toBe('from:3000');
  });

  test('A search that finds one message of a call shows its receptor, and opens it', async () => {
    const list = Array.from({ length: 500 }, (_, index) => `<string>0912${1000 + index}</string>`).join('');
    const fields = `<apikey>${KEY}</apikey><sender>3000</sender><message>news</message><receptor>${list}</receptor>`;
    await call(shared.sandbox, '1.1', 'SendSimpleByApikey', fields);
    shared.sandbox.setStatus(FIRST + 123n, 11);
    const page = await open({}, '/#/sent?search=09121123');
    await rows(page)
      .filter({ hasText: /^09121123 of 500/ })
      .click();
    await page.getByText('500 receptors, this is no. 124').waitFor();
    await page.locator('#detail select.bad').waitFor();
    expect(page.url()).toContain(`#/sent/${FIRST + 123n}?`);
    await search(page).fill('to:0912112');
    await rows(page).filter({ hasText: '10 of 500 messages' }).waitFor();
  });
});
