import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { startSandbox } from '../../../src/sandbox';
import { isFull } from '../../support/loops';
import { ROOT } from '../../support/process';
import { call, KEY, send } from '../../support/raw-client';
import { choose, clipboard, describePage, FIRST, PHONE, rows, toggleExchange } from './browser';

/** Texts that set `injected` if a browser runs any part of them. */
const INJECTIONS = [
  '<script>injected=1</script>',
  '</script><script>injected=1</script>',
  '"><script>injected=1</script>',
  "'><script>injected=1</script>",
  '<img src=x onerror=injected=1>',
  '<img src="/sandbox/page/icon.svg" onload="injected=1">',
  '<svg onload=injected=1>',
  '<svg><script>injected=1</script></svg>',
  '<svg><animate onbegin=injected=1 attributeName=x dur=1s>',
  '<body onload=injected=1>',
  '<iframe src="javascript:parent.injected=1"></iframe>',
  '<iframe srcdoc="<script>parent.injected=1</script>"></iframe>',
  '<a href="javascript:injected=1" autofocus onfocus=injected=1>x</a>',
  'javascript:injected=1',
  '<input autofocus onfocus=injected=1>',
  '<details open ontoggle=injected=1>',
  '<video><source onerror=injected=1></video>',
  '<math><mtext><img src onerror=injected=1></mtext></math>',
  '<style>*{background:url("javascript:injected=1")}</style>',
  '<link rel=stylesheet href="data:text/css,*{display:none}">',
  '<meta http-equiv=refresh content="0;url=javascript:injected=1">',
  '<base href="http://evil.example/">',
  '<form action="http://evil.example/"><button autofocus>x</button></form>',
  '<object data="javascript:injected=1"></object>',
  '<embed src="javascript:injected=1">',
  '<template><script>injected=1</script></template>',
  '\x24{injected=1}',
  '{{constructor.constructor("injected=1")()}}',
  '`-injected=1-`',
  '");injected=1;("',
  '\u2028injected=1\u2029',
  '\u202e<script>injected=1</script>',
  '<x onpointerrawupdate=injected=1 style=position:fixed;inset:0>x',
  '&lt;script&gt;injected=1&lt;/script&gt;',
];

/** Attacks of a page of another origin. The browser runs this code. */
const ATTACK = `async (base) => {
  const attempt = (path, options) => fetch(base + path, options).then((response) => response.type, () => 'failed');
  const make = (name, properties) => document.body.appendChild(Object.assign(document.createElement(name), properties));
  const loaded = (frame) => new Promise((resolve) => frame.addEventListener('load', resolve));
  const headers = { 'Content-Type': 'application/json' };
  const body = '{"sender":"1","receptor":"2","message":"3"}';

  const sink = make('iframe', { name: 'sink' });
  const action = base + '/sandbox/received';
  const form = make('form', { method: 'post', action, enctype: 'text/plain', target: 'sink' });
  form.append(make('input', { name: body.slice(0, -2), value: '"}' }));
  const sent = loaded(sink);
  form.submit();
  await sent;

  const frame = make('iframe', { src: base + '/' });
  await loaded(frame);
  const events = new EventSource(base + '/sandbox/events');
  const eventState = await new Promise((resolve) => {
    events.onopen = () => resolve('open');
    events.onerror = () => resolve('failed');
  });
  navigator.sendBeacon(action, new Blob([body], { type: 'text/plain' }));
  return {
    read: await attempt('/sandbox/messages'),
    change: await attempt('/sandbox', { method: 'DELETE', headers }),
    post: await attempt('/sandbox/received', { method: 'POST', headers, body }),
    plain: await attempt('/sandbox/received', { method: 'POST', mode: 'no-cors', body }),
    framed: frame.contentDocument === null,
    eventState,
  };
}`;

/**
 * Opens each message or request of the list with its exchange, and gives the texts and the number of whole exchanges
 * that the page showed. The browser runs this code, because a click from the test takes eight times as long. It waits
 * until the page is painted, so that injected code would run.
 */
const OPEN_ALL = `(async () => {
  const texts = [];
  let exchanges = 0;
  const until = async (find) => {
    while (!find()) await new Promise(requestAnimationFrame);
  };
  for (let index = 0; index < document.querySelectorAll('#list .row').length; index++) {
    const row = () => document.querySelectorAll('#list .row')[index];
    row().click();
    await until(() => location.hash === row().hash && row().getAttribute('aria-current') === 'true');
    if (location.hash.startsWith('#/received')) {
      await until(() => document.querySelector('#talk .out') || document.querySelector('#talk .in'));
      texts.push(document.querySelector('#talk .in p').textContent);
    } else if (location.hash.startsWith('#/sent')) {
      await until(() => document.querySelectorAll('#detail summary').length === 2);
      texts.push(document.querySelector('#detail-text').textContent);
      for (const fold of document.querySelectorAll('#detail summary')) fold.click();
      await until(() => document.querySelectorAll('#exchange pre').length === 2);
    }
    await new Promise(requestAnimationFrame);
    if (document.querySelectorAll('#exchange pre').length === 2) exchanges++;
  }
  return { texts, exchanges };
})()`;

/**
 * Shows or hides the page, as a browser does with its tabs. Chromium without windows never hides a page. The browser
 * runs this code.
 */
const setHidden = (hidden: boolean): string => `
  Object.defineProperty(document, 'hidden', { configurable: true, value: ${hidden} });
  document.dispatchEvent(new Event('visibilitychange'));`;

describePage((shared) => {
  const { sendMany, open } = shared;

  test('The page of an empty sandbox says how to send the first message, and shows the message as soon as it is sent', async () => {
    const { sandbox } = shared;
    const page = await open();
    await page.getByRole('heading', { level: 2, name: 'Nothing was sent yet' }).waitFor();
    const [cli, curl] = await page.locator('#welcome pre').allTextContents();
    expect(cli).toContain(`export MESSAGING_BASE_URL=${sandbox.baseUrl}\n`);
    await promisify(execFile)('sh', ['-c', `set -e; ${curl}`]);
    expect(sandbox.messages).toMatchObject([{ message: 'hello', sender: '3000', receptor: '09120000001' }]);
    await page.getByRole('link', { name: /hello/ }).waitFor();
    expect(await page.locator('#welcome').isVisible()).toBe(false);
  });

  test('The page shows a whole message in the direction of its script, its id to copy, and the exchange that sent it', async () => {
    const text = 'سلام دنیا\n\nخط دوم 😀  <b>';
    await sendMany(1, 'plain text');
    await sendMany(1, text);
    const page = await open();
    const directionsOf = (selector: string) =>
      page.evaluate(`[...document.querySelectorAll('${selector}')].map((one) => getComputedStyle(one).direction)`);
    await rows(page).nth(1).waitFor();
    expect(await directionsOf('.preview')).toEqual(['rtl', 'ltr']);
    await rows(page).first().click();
    expect(await page.locator('#detail-text').textContent()).toBe(text);
    expect(await directionsOf('#detail-text')).toEqual(['rtl']);
    await page.locator('dd').getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await clipboard(page)).toBe(`${FIRST + 1n}`);
    await toggleExchange(page);
    const [request = '', response = ''] = await page.locator('#exchange pre').allTextContents();
    expect(request).toMatch(/^POST \/soap\/v1\.asmx HTTP\/1\.1\n.*<apikey>\*\*\*<\/apikey>/s);
    expect(response).toMatch(/^HTTP\/1\.1 200\n.*<status>200<\/status>/s);
  });

  test('The page adds a received message, and shows it as read after ReceiveByApikey returned it', async () => {
    const page = await open();
    await choose(page, 'Receive a message');
    await page.getByLabel('To the line').fill('3001');
    await page.getByRole('dialog').getByLabel('Text').fill('سلام');
    await page.getByRole('button', { name: 'Receive', exact: true }).click();
    await rows(page).getByText('1 unread').waitFor();
    await call(shared.sandbox, '1.1', 'ReceiveByApikey', `<apikey>${KEY}</apikey><lineNumber>3001</lineNumber>`);
    await rows(page).getByText('1 unread').waitFor({ state: 'detached' });
    await page.locator('#talk').getByText('سلام').waitFor();
    // Another message of the conversation, and an answer to a sent one.
    await page.getByLabel('Another text from 09120000001').fill('again');
    await page.getByRole('button', { name: 'Receive it' }).click();
    await page.locator('#talk').getByText('again').waitFor();
    await sendMany(1, 'hello', '3001', '09120000001');
    await page.locator('#talk .out').getByText('hello').waitFor();
    // The sides are said in words, too.
    expect((await page.locator('#talk small').allInnerTexts()).map((text) => text.split(/\s/)[0])).toEqual(
      expect.arrayContaining(['received', 'sent']),
    );
  });

  test('The page arms, shows and disarms a reply of each kind, and shows at once what a program does with replies', async () => {
    const { sandbox } = shared;
    const page = await open();
    const dialog = page.getByRole('dialog');
    const field = (name: string) => dialog.locator(`[name=${name}]`);
    const arm = async (kind: string, fill = async (): Promise<unknown> => undefined): Promise<void> => {
      await choose(page, 'Arm a reply');
      await field('operation').selectOption('SendAdvance');
      await field('kind').selectOption(kind);
      await fill();
      await dialog.getByRole('button', { name: 'Arm', exact: true }).click();
      await dialog.waitFor({ state: 'detached' });
    };
    await arm('a SOAP fault', () => field('reason').fill('not today'));
    await arm('another status');
    await arm('raw HTTP', () => field('times').fill('2'));
    await arm('a dropped connection, before or after the operation', () => field('times').fill(''));
    await arm("the service's own response, late", () => field('delayMs').fill('50'));
    expect(sandbox.replies).toMatchObject([
      { operation: 'SendAdvance', times: 1, reply: { fault: { code: 'Server', reason: 'not today' } } },
      { times: 1, reply: { status: 418, statusmessage: 'refused' } },
      { times: 2, reply: { http: { status: 503, body: '' } } },
      { times: Number.POSITIVE_INFINITY, reply: { drop: 'after' } },
      { reply: { delayMs: 50 } },
    ]);
    // Several replies are one line, which opens.
    await page.getByText('Armed: 5 replies').click();
    await page.getByText('Armed: SendAdvance → fault Server: not today, once').waitFor();
    await page.getByRole('button', { name: 'Disarm' }).first().click();
    await page.locator('.armed').getByText('not today').waitFor({ state: 'detached' });
    expect(sandbox.replies).toHaveLength(4);
    sandbox.clearReplies();
    await page.locator('details.armed').waitFor({ state: 'detached' });
    sandbox.reply('*', { status: 418 }, { times: 3 });
    await page.getByText('Armed: Any operation → status 418, 3 times').waitFor();
    await call(sandbox, '1.1', 'SendAdvance', '');
    await page.getByText('Armed: Any operation → status 418, 2 times').waitFor();
    // The form shows why the control interface refused it.
    await choose(page, 'Arm a reply');
    await field('kind').selectOption('another status');
    await field('status').fill('99999999999');
    await dialog.getByRole('button', { name: 'Arm', exact: true }).click();
    await page.getByText('reply.status: 99999999999 is not a whole number').waitFor();
    // The browser shows the refusal on its console too.
    expect(shared.complaints.splice(0)).toEqual([expect.stringContaining('400')]);
  });

  test('A burst of events causes few loads, and no load follows without an event', async () => {
    const page = await open({}, '/#/received');
    await page.getByText('Nothing was received yet').waitFor();
    let loads = 0;
    page.on('request', (request) => {
      if (new URL(request.url()).pathname === '/sandbox/conversations') loads += 1;
    });
    const burst = async (text: string) => {
      for (let index = 0; index < 100; index += 1)
        shared.sandbox.receive({ sender: `${index}`, receptor: '2', message: text });
      await rows(page).nth(49).filter({ hasText: text }).waitFor();
    };
    await burst('first');
    await burst('second');
    expect(loads).toBeLessThan(20);
  });

  test('The page lists each request with its outcome and the reason of a failure', async () => {
    const { sandbox } = shared;
    sandbox.reply('SendAdvance', { fault: { code: 'Server', reason: 'the <gateway> is closed' } });
    const page = await open();
    await page.getByRole('link', { name: 'Requests' }).click();
    await page.getByText('No request came yet.').waitFor();
    await call(sandbox, '1.2', 'SendAdvance', '<sender>3000</sender><message>hello</message>');
    await call(sandbox, '1.1', 'SendAdvance', '<apikey>wrong</apikey><receptor>0912</receptor>');
    await rows(page).nth(1).waitFor();
    expect((await rows(page).locator('.preview').allInnerTexts()).map((text) => text.trim())).toEqual([
      expect.stringMatching(/^invalid apikey\s*receptor\s*0912$/),
      expect.stringMatching(/^the <gateway> is closed\s*message\s*hello$/),
    ]);
    await rows(page).filter({ hasText: 'faked fault' }).click();
    await page.locator('#detail-text').getByText('the <gateway> is closed').waitFor();
    await page.getByText('An armed reply was given').waitFor();
    expect(await page.locator('#exchange pre').allTextContents()).toEqual([
      expect.stringContaining('application/soap+xml'),
      expect.stringContaining('soap12:Fault'),
    ]);
  });

  test('A request that is under way keeps its row on the page when its response is sent', async () => {
    // The test calls the timer of the delay.
    const set = jest.spyOn(global, 'setTimeout');
    shared.sandbox.reply('*', { delayMs: 600_001 });
    const sent = sendMany(1);
    const delayed = () => set.mock.calls.findIndex(([, delay]) => delay === 600_001);
    while (delayed() < 0) await new Promise((resolve) => setImmediate(resolve));
    const [act] = set.mock.calls[delayed()] ?? [];
    clearTimeout(set.mock.results[delayed()]?.value);
    set.mockRestore();
    const page = await open();
    await page.getByRole('link', { name: 'Requests' }).click();
    await rows(page).filter({ hasText: 'under way' }).click();
    act?.();
    await sent;
    await rows(page).filter({ hasText: 'faked 200' }).waitFor();
    await page.locator('#exchange').getByText('<status>200</status>').waitFor();
    // The page draws a second request after the first.
    await sendMany(1);
    await rows(page).nth(1).waitFor();
    expect(await rows(page).count()).toBe(2);
    expect(await rows(page).filter({ hasText: 'under way' }).count()).toBe(0);
  });

  test('Reset asks first, and then empties every list, also on another open page', async () => {
    const { sandbox } = shared;
    await sendMany(3);
    const other = await open();
    const page = await open();
    await choose(page, 'Reset');
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    expect(sandbox.messages).toHaveLength(3);
    await choose(page, 'Reset');
    await page.getByRole('dialog').getByRole('button', { name: 'Reset' }).click();
    for (const one of [page, other]) await one.getByText('Nothing was sent yet').waitFor();
    expect(sandbox.messages).toEqual([]);
  });

  test('The page works with the keyboard alone', async () => {
    for (const message of ['one', 'two', 'three']) await sendMany(1, message);
    const page = await open(PHONE);
    const { keyboard } = page;
    const focused = () =>
      page.evaluate('document.activeElement.innerText || document.activeElement.name') as Promise<string>;
    await rows(page).nth(2).waitFor();
    while (!/^0912\b.*three$/s.test(await focused())) await keyboard.press('Tab');
    // Arrows and j and k move in the list.
    for (const key of ['j', 'ArrowDown', 'k']) await keyboard.press(key);
    expect(await focused()).toMatch(/^0912\b.*two$/s);
    await keyboard.press('Enter');
    await page.locator('#detail-text').filter({ hasText: 'two' }).waitFor();
    // The focus follows the opened message, and returns to its row.
    await keyboard.press('Tab');
    expect(await focused()).toContain('Back to the list');
    await keyboard.press('Escape');
    await page.locator('#detail').waitFor({ state: 'detached' });
    expect(await focused()).toContain('two');
    await keyboard.press('/');
    await keyboard.type('thr');
    await rows(page).nth(1).waitFor({ state: 'detached' });
    expect(await rows(page).count()).toBe(1);
    // The menu, a dialog and its form.
    await page.getByRole('button', { name: 'Menu' }).focus();
    await keyboard.press('Enter');
    for (const key of ['Tab', 'Tab', 'Enter']) await keyboard.press(key);
    expect(await focused()).toBe('sender');
    for (const text of ['0933', '3001', 'typed']) {
      await keyboard.press('ControlOrMeta+A');
      await keyboard.type(text);
      await keyboard.press('Tab');
    }
    for (const key of ['Tab', 'Enter']) await keyboard.press(key);
    await page.locator('#talk').getByText('typed').waitFor();
    const nameless = await page
      .getByRole('button', { includeHidden: true })
      .evaluateAll((all) => all.filter((one) => !one.textContent?.trim()).length);
    expect(nameless).toBe(0);
  });

  test('The page says in words that the connection is lost, and after a restart shows the new message with an old id', async () => {
    let sandbox = await startSandbox();
    const port = Number(new URL(sandbox.baseUrl).port);
    const sendText = (text: string) =>
      call(sandbox, '1.1', 'SendAdvance', `<apikey>${KEY}</apikey><message>${text}</message><receptor>0912</receptor>`);
    await sendText('old');
    const page = await open({}, '/', undefined, sandbox);
    await rows(page).first().click();
    await page.getByText('HTTP exchange').waitFor();
    await sandbox.close();
    const lost = page.getByRole('alert').filter({ hasText: 'It was stopped, or the connection to it is broken' });
    await lost.waitFor();
    await page.getByRole('link', { name: 'Requests' }).click();
    await page.getByRole('link', { name: 'Sent' }).click();
    expect(await page.locator('body').textContent()).not.toContain('Failed to fetch');
    sandbox = await startSandbox({ port });
    await sendText('new');
    await lost.waitFor({ state: 'detached' });
    await rows(page).filter({ hasText: 'new' }).waitFor();
    await page.locator('#detail-text').filter({ hasText: 'new' }).waitFor();
    expect(await page.locator('main').textContent()).not.toContain('old');
    await page.close();
    await sandbox.close();
    // Chromium reports each refused attempt to connect.
    expect(shared.complaints.splice(0).filter((line) => !line.includes('ERR_'))).toEqual([]);
  });

  test('Six tabs leave connections for the tab that the user sees', async () => {
    for (const message of ['one', 'two']) await sendMany(1, message);
    const first = await open();
    const others: Page[] = [];
    // The first one and these are as many as the connections of a browser.
    for (let index = 0; index < 5; index += 1) {
      for (const page of [first, ...others]) await page.evaluate(setHidden(true));
      others.push(await open({}, '/', first));
    }
    for (const page of others) await page.evaluate(setHidden(true));
    await sendMany(1, 'three');
    await first.evaluate(setHidden(false));
    await rows(first).filter({ hasText: 'three' }).waitFor();
    await rows(first).filter({ hasText: 'one' }).click();
    await toggleExchange(first);
    await first.locator('#exchange').getByText('one').first().waitFor();
  });

  test('The page fits a phone, shows every list in its header at any width, and is dark on a dark system', async () => {
    await sendMany(2, `${'long'.repeat(100)} text`);
    shared.sandbox.reply('*', { fault: { code: 'Server', reason: 'a reason that is rather long for a phone' } });
    const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const page = await open({ viewport: { width: 360, height: 640 }, colorScheme: 'light' });
    const light = await background();
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await background()).not.toBe(light);
    const overflow = () => page.evaluate('document.documentElement.scrollWidth - innerWidth');
    const hiddenLinks = () => page.locator('nav').evaluate((nav) => nav.scrollWidth - nav.clientWidth);
    await rows(page).first().waitFor();
    expect(await overflow()).toBe(0);
    await rows(page).first().click();
    await page.getByRole('button', { name: 'Back to the list' }).click();
    await rows(page).first().waitFor();
    expect(await overflow()).toBe(0);
    for (const width of [400, 900, 1200, 1280]) {
      await page.setViewportSize({ width, height: 640 });
      expect([width, await hiddenLinks()]).toEqual([width, 0]);
    }
  });

  test(`${INJECTIONS.length} ways of script injection in every field run nothing, and the page shows them as text`, async () => {
    const { sandbox } = shared;
    const injections = INJECTIONS.filter((_, index) => isFull || index % 5 === 0);
    for (const text of injections) {
      await sendMany(1, text, text, text);
      sandbox.setStatus(sandbox.messages.at(-1)?.messageid ?? 0n, 5, text);
      sandbox.receive({ sender: text, receptor: text, message: text });
      sandbox.reply('SelectByApikey', { fault: { code: text, reason: text, actor: text, detail: text } });
      sandbox.reply('GetStatusByApikey', { status: 5, statusmessage: text });
    }
    const texts = [...injections].reverse();
    const page = await open();
    const ran = () => page.evaluate('globalThis.injected');
    for (const [list, exchanges] of [
      ['Sent', injections.length],
      ['Received', 0],
    ] as const) {
      await page.getByRole('link', { name: list }).click();
      await rows(page)
        .nth(injections.length - 1)
        .waitFor();
      expect(await rows(page).locator('.preview').allTextContents()).toEqual(texts);
      expect(await page.evaluate(OPEN_ALL)).toEqual({ texts, exchanges });
    }
    // Hostile text in every part of faults and statuses, and in paths and headers.
    for (const text of injections) {
      await call(sandbox, '1.1', 'SelectByApikey', `<apikey>${KEY}</apikey>`);
      await call(sandbox, '1.2', 'GetStatusByApikey', `<apikey>${KEY}</apikey>`);
      const headers = { 'X-Text': encodeURI(text), 'User-Agent': text.replace(/[^\x20-\x7e]/g, '') };
      await send(`${sandbox.baseUrl}/${encodeURIComponent(text)}`, { method: 'GET', headers });
    }
    await page.getByRole('link', { name: 'Requests' }).click();
    // One request sent the text, and three have it in their responses or their paths.
    const requests = 4 * injections.length;
    for (let shown = 50; shown < requests; shown += 50) {
      await rows(page)
        .nth(shown - 1)
        .waitFor({ state: 'attached' });
      await page.locator('#list').evaluate((list) => list.scrollTo(0, list.scrollHeight));
    }
    await rows(page)
      .nth(requests - 1)
      .waitFor({ state: 'attached' });
    expect(await page.evaluate(OPEN_ALL)).toMatchObject({ exchanges: requests });
    expect(await ran()).toBeUndefined();
    expect(await page.locator('script').count()).toBe(1);
    expect(await page.locator('iframe, object, embed, base, form[action]').count()).toBe(0);
  });

  test('A page of another origin can neither read, change nor frame the page of the sandbox', async () => {
    const { sandbox } = shared;
    await sendMany(1, 'private');
    const foreign = createServer((_, response) => {
      response.setHeader('Content-Type', 'text/html').end('<!DOCTYPE html><title>other</title>');
    }).listen(0, '127.0.0.1');
    await once(foreign, 'listening');
    try {
      const page = await (await shared.browser.newContext()).newPage();
      // Another port is another origin of the same site. An attacker gets no closer.
      await page.goto(`http://127.0.0.1:${(foreign.address() as AddressInfo).port}/`);
      const results = await page.evaluate(`(${ATTACK})(${JSON.stringify(sandbox.baseUrl)})`);
      expect(results).toMatchObject({
        read: 'failed',
        change: 'failed',
        post: 'failed',
        framed: true,
        eventState: 'failed',
      });
      const overview = await send(`${sandbox.baseUrl}/sandbox`, { method: 'GET' });
      expect(JSON.parse(overview.body)).toMatchObject({ messages: 1, received: 0 });
    } finally {
      foreign.close();
      foreign.closeAllConnections();
    }
  });
});

test('The page and its files have a policy that allows no inline script or style', async () => {
  const sandbox = await startSandbox();
  try {
    for (const [path, type] of [
      ['/', 'text/html; charset=utf-8'],
      ['/sandbox/page/base.css', 'text/css; charset=utf-8'],
      ['/sandbox/page/frame.css', 'text/css; charset=utf-8'],
      ['/sandbox/page/list.css', 'text/css; charset=utf-8'],
      ['/sandbox/page/detail.css', 'text/css; charset=utf-8'],
      ['/sandbox/page/main.mjs', 'text/javascript; charset=utf-8'],
      ['/sandbox/page/icon.svg', 'image/svg+xml'],
      ['/sandbox/page/htm.mjs', 'text/javascript; charset=utf-8'],
      ['/sandbox/page/htm-licence.txt', 'text/plain; charset=utf-8'],
      ['/sandbox/page/preact-licence.txt', 'text/plain; charset=utf-8'],
    ] as const) {
      const { status, headers } = await send(`${sandbox.baseUrl}${path}`, { method: 'GET' });
      expect([status, headers['content-type'], headers['x-content-type-options']]).toEqual([200, type, 'nosniff']);
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain('unsafe');
      const post = await send(`${sandbox.baseUrl}${path}`, { method: 'POST' });
      expect([post.status, post.headers.allow]).toEqual([405, 'GET, HEAD']);
    }
  } finally {
    await sandbox.close();
  }
});

test('The scripts of the page are modules that the compiler checks, and the page loads each of them', async () => {
  const scripts = readdirSync(join(ROOT, 'src/sandbox/page/web')).filter((name) => name.endsWith('.mjs'));
  const loaded = new Set<string>();
  const sandbox = await startSandbox();
  const load = async (text: string): Promise<void> => {
    for (const [, name = ''] of text.matchAll(/["/]([a-z]+\.mjs)['"]/g)) {
      if (loaded.has(name)) continue;
      loaded.add(name);
      const { headers, body } = await send(`${sandbox.baseUrl}/sandbox/page/${name}`, { method: 'GET' });
      expect([name, headers['content-type']]).toEqual([name, 'text/javascript; charset=utf-8']);
      if (name !== 'htm.mjs') expect(body.toString()).toMatch(/^\/\/ @ts-check\n/);
      await load(body.toString());
    }
  };
  try {
    const page = await send(sandbox.baseUrl, { method: 'GET' });
    expect(page.body.toString()).toContain('<script src="/sandbox/page/main.mjs" type="module">');
    await load(page.body.toString());
  } finally {
    await sandbox.close();
  }
  expect([...loaded].sort()).toEqual([...scripts, 'htm.mjs'].sort());
});
