'use strict';

// The page of the sandbox. It uses the control interface and its events alone, and puts text into the page as text only.

/** What each list shows. `name` is its field in the answer, `id` the field that identifies an item. */
const lists = {
  sent: { path: '/sandbox/messages', name: 'messages', searches: 'search', nothing: 'No message matches.' },
  received: {
    path: '/sandbox/received',
    name: 'received',
    searches: 'line',
    nothing: 'Nothing was received. Put in a message with “Receive a message”.',
  },
  requests: { path: '/sandbox/requests', name: 'requests', nothing: 'No request has come yet.' },
};
const PAGE = 100;
/** Rows beyond this are dropped from the end when new ones come in; "Show more" brings them back. */
const MAX_ROWS = 500;

let shown = 'sent';
/** The items of the list that is shown, newest first, and where the next page begins. */
let items = [];
let next = null;
let selected = null;
/** Counts the loads, so that a late answer to an earlier one is dropped. */
let loads = 0;
/** How many loads have no answer yet. */
let loading = 0;

const $ = (id) => document.getElementById(id);

/** An element with properties and children; a string becomes text. */
function make(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** Shows why an action failed. */
function onClick(element, act) {
  element.addEventListener('click', () => act().catch(showProblem));
}

async function ask(path, method = 'GET', body = undefined) {
  const headers = method === 'GET' ? {} : { 'Content-Type': 'application/json' };
  const response = await fetch(path, { method, headers, body: body === undefined ? null : JSON.stringify(body) });
  if (response.status === 204) return null;
  const json = await response.json();
  if (!response.ok) throw new Error(json.error);
  return json;
}

// Formats

/** A time of the sandbox, which are seconds; other numbers are shown as they are. */
function formatTime(seconds) {
  const date = new Date(Number(seconds) * 1000);
  return Number.isNaN(date.getTime()) || date.getFullYear() > 9999 ? String(seconds) : date.toLocaleString();
}

/** In a list the time is enough for a message of today. */
function shortTime(seconds) {
  const date = new Date(Number(seconds) * 1000);
  const isToday = date.toDateString() === new Date().toDateString();
  const textContent = isToday ? date.toLocaleTimeString() : formatTime(seconds);
  return make('time', { textContent, title: formatTime(seconds) });
}

/** Text that a person wrote, in its own direction. */
function own(text, className = '') {
  return make('bdi', { className, dir: 'auto', textContent: text });
}

function copyButton(text) {
  const button = make('button', { type: 'button', className: 'small', textContent: 'Copy' });
  onClick(button, async () => {
    await copy(text);
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 1500);
  });
  return button;
}

/** navigator.clipboard is missing where the page came over http from another machine. */
async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = make('textarea', { value: text });
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}

function replyText({ operation, times, reply }) {
  const { fault, status, result, http, drop, delayMs } = reply;
  const what =
    (fault && `fault ${fault.code}: ${fault.reason}`) ||
    (result !== undefined && 'a given result') ||
    (status !== undefined && `status ${status}`) ||
    (http && `HTTP ${http.status}`) ||
    (drop && `connection dropped ${drop} the operation`) ||
    'the own answer';
  const often = times === null ? 'always' : times === 1 ? 'once' : `${times} times`;
  const delay = delayMs ? `, after ${delayMs} ms` : '';
  return `${operation === '*' ? 'Any operation' : operation} → ${what}${delay}, ${often}`;
}

// Rows

function statusPill({ status, statustext }) {
  return make('span', { className: 'pill' }, own(statustext ? `${status} ${statustext}` : String(status)));
}

function summaryPill(request) {
  const { summary = 'under way' } = request;
  const kind = summary === 'status 200' || /^HTTP 2/.test(summary) ? ' good' : ' bad';
  return make('span', { className: `pill${request.summary ? kind : ''}`, textContent: summary });
}

function rowOf(item) {
  if (shown === 'requests') {
    return [
      make('span', { className: 'preview', textContent: item.operation ?? `${item.method} ${item.url}` }),
      shortTime(item.date),
      make('span', { className: 'end' }, summaryPill(item)),
    ];
  }
  const who = make('span', { className: 'who' }, own(item.sender ?? 'nobody'), ' → ', own(item.receptor ?? 'nobody'));
  const pill =
    shown === 'sent'
      ? statusPill(item)
      : make('span', { className: `pill${item.isread ? '' : ' good'}`, textContent: item.isread ? 'read' : 'unread' });
  return [
    // One line of it is enough, however long the text is.
    make('span', { className: 'preview', dir: 'auto', textContent: (item.message ?? '').slice(0, 200) || '\u00a0' }),
    who,
    make('span', { className: 'end' }, shortTime(item.date), pill),
  ];
}

function renderRow(item) {
  const button = make('button', { type: 'button', className: 'row' }, ...rowOf(item));
  button.setAttribute('aria-current', String(item === selected));
  button.addEventListener('click', () => select(item, true));
  item.row = make('li', {}, button);
  return item.row;
}

function replaceRow(item) {
  const { row } = item;
  const focused = row?.contains(document.activeElement);
  row?.replaceWith(renderRow(item));
  if (focused) item.row.firstChild.focus();
}

// Lists

/** What tells the items of a list apart: messages have the contract's name for it. */
const idOf = ({ messageid, id }) => messageid ?? id;

function query(before) {
  const { path, searches } = lists[shown];
  const parameters = new URLSearchParams({ limit: String(PAGE) });
  const search = $('search').value;
  if (searches !== undefined && search !== '') parameters.set(searches, search);
  if (before) parameters.set('before', before);
  return `${path}?${parameters}`;
}

/** Loads the list anew, or appends its next page. */
async function load(append = false) {
  loads += 1;
  loading += 1;
  const mine = loads;
  const answer = await ask(query(append ? next : null)).finally(() => {
    loading -= 1;
  });
  if (mine !== loads) return;
  const page = answer[lists[shown].name];
  next = answer.next ?? null;
  items = append ? [...items, ...page] : page;
  // The selected message is another object now.
  selected = items.find((item) => selected !== null && idOf(item) === idOf(selected)) ?? selected;
  if (append) $('list').append(...page.map(renderRow));
  else $('list').replaceChildren(...page.map(renderRow));
  arrange();
}

/** Puts new items on top. */
function prepend(newest) {
  const isAtTop = $('list-pane').scrollTop === 0;
  items = [...newest, ...items];
  $('list').prepend(...newest.map(renderRow));
  if (items.length > MAX_ROWS && isAtTop) {
    for (const { row } of items.splice(MAX_ROWS)) row.remove();
    next = items.at(-1).messageid ?? null;
  }
  arrange();
}

/** Shows what belongs to the items there are. */
function arrange() {
  const isEmpty = items.length === 0;
  const isFirst = isEmpty && shown === 'sent' && $('search').value === '';
  $('more').hidden = next === null;
  $('nothing').hidden = !isEmpty || isFirst;
  $('nothing').textContent = lists[shown].nothing;
  $('welcome').hidden = !isFirst;
  document.querySelector('main').classList.toggle('empty', isFirst);
  if (isEmpty && selected !== null) select(null);
}

function show(list) {
  shown = list;
  for (const button of document.querySelectorAll('[data-list]')) {
    button.setAttribute('aria-pressed', String(button.dataset.list === list));
  }
  const placeholders = { sent: 'Sender, receptor or text   /', received: 'Line   /', requests: '' };
  $('search').value = '';
  $('search').placeholder = placeholders[list];
  $('search').parentElement.hidden = list === 'requests';
  items = [];
  incoming = [];
  select(null);
  return load();
}

// Details

function select(item, moveFocus = false) {
  const before = selected;
  selected = item;
  for (const one of [before, item]) one?.row?.firstChild.setAttribute('aria-current', String(one === item));
  $('detail').hidden = item === null;
  document.querySelector('main').classList.toggle('reading', item !== null);
  if (item === null) return;
  renderDetail(item);
  $('detail').scrollTop = 0;
  // On a narrow screen the list is hidden now.
  if (moveFocus && getComputedStyle($('back')).display !== 'none') $('detail').focus();
}

function renderDetail(item) {
  const isRequest = shown === 'requests';
  $('detail-text').hidden = isRequest || item.message === undefined;
  $('detail-text').textContent = item.message ?? '';
  const fields = isRequest ? requestFields(item) : messageFields(item);
  $('fields').replaceChildren(
    ...fields.flatMap(([name, ...values]) => [make('dt', { textContent: name }), make('dd', {}, ...values)]),
  );
  $('status-form').hidden = shown !== 'sent';
  $('status-form').elements.status.value = String(item.status ?? '');
  $('status-form').elements.statustext.value = '';
  $('status-form').querySelector('.error').textContent = '';
  if (isRequest) $('exchange').replaceChildren(...exchangeOf(item));
  else if (shown === 'sent') $('exchange').replaceChildren(exchangeButton(item));
  else $('exchange').replaceChildren();
}

function messageFields(item) {
  const fields = [
    ['Id', make('span', { className: 'id', textContent: item.messageid }), copyButton(item.messageid)],
    ['From', own(item.sender ?? 'none')],
    ['To', own(item.receptor ?? 'none')],
    ['Date', formatTime(item.date), make('span', { className: 'id', textContent: String(item.date) })],
  ];
  if (shown === 'received') return [...fields, ['State', item.isread ? 'read' : 'unread']];
  return [...fields, ['Status', statusPill(item)], ['Cost', String(item.cost)]];
}

function requestFields(item) {
  return [
    ['Request', `${item.method} ${item.url}`],
    ['Operation', item.operation ? `${item.operation}, SOAP ${item.soapVersion}` : 'none'],
    ['Outcome', summaryPill(item)],
    ['Date', formatTime(item.date)],
    ['Duration', item.durationMs === undefined ? '–' : `${Math.round(item.durationMs)} ms`],
  ];
}

function exchangeButton(item) {
  const button = make('button', { type: 'button', className: 'quiet', textContent: 'Show the raw exchange' });
  onClick(button, async () => {
    const { requests } = await ask(`/sandbox/requests?message=${item.messageid}`);
    if (selected !== item) return;
    const gone = 'The request that sent it is no longer kept.';
    $('exchange').replaceChildren(...(requests[0] ? exchangeOf(requests[0]) : [make('p', { textContent: gone })]));
  });
  return button;
}

/** A request and its answer as they crossed the wire. */
function exchangeOf({ method, url, headers, body, response: answer }) {
  const head = (fields) => Object.entries(fields).map(([name, value]) => `${name}: ${value}\n`);
  const request = [`${method} ${url} HTTP/1.1\n`, ...head(headers), '\n', body].join('');
  const response = answer && [`HTTP/1.1 ${answer.status}\n`, ...head(answer.headers), '\n', answer.body].join('');
  return [
    make('h3', { textContent: 'Request' }),
    codeBlock(request),
    make('h3', { textContent: 'Answer' }),
    response === null
      ? make('p', { textContent: 'None: the connection was dropped, or it is still to come.' })
      : codeBlock(response),
  ];
}

function codeBlock(text) {
  return make('div', { className: 'code' }, make('pre', { textContent: text, tabIndex: 0 }), copyButton(text));
}

// Overview, replies and the first message

async function loadOverview() {
  const { messages, received, credit, endpoint, namespace } = await ask('/sandbox');
  $('sent-count').textContent = messages.toLocaleString();
  $('received-count').textContent = received.toLocaleString();
  $('credit').textContent = credit.replace(/\B(?=(\d{3})+$)/g, '\u202f');
  $('endpoint').textContent = endpoint;
  renderWelcome(endpoint, namespace);
}

function renderWelcome(endpoint, namespace) {
  const quoted = namespace.replaceAll("'", `'\\''`);
  const cli = `export MESSAGING_BASE_URL=${endpoint.replace(/\/soap\/v1\.asmx$/, '')}
export MESSAGING_NAMESPACE='${quoted}'
export MESSAGING_API_KEY=sandbox-key
export MESSAGING_SUCCESS_STATUSES=200
npx messaging send-simple --sender 3000 --message 'سلام' \\
  --receptor 09120000001 --unixdate 0 --msgmode 1`;
  const attribute = namespace.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll("'", '&#39;');
  const curl = `curl ${endpoint} \\
  -H 'Content-Type: text/xml; charset=utf-8' \\
  -H 'SOAPAction: "${quoted}SendAdvance"' \\
  -d '<soap:Envelope
  xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>
<SendAdvance xmlns="${attribute}">
  <apikey>sandbox-key</apikey><sender>3000</sender>
  <message>hello</message><encoding>0</encoding>
  <receptor>09120000001</receptor><unixdate>0</unixdate>
  <messagemode>0</messagemode><fallbackurl/><clientmessageid/>
  <status>0</status><statusmessage/>
</SendAdvance></soap:Body></soap:Envelope>'`;
  // A new block would lose the selection of someone who is copying.
  for (const [element, text] of [
    [$('welcome-cli'), cli],
    [$('welcome-curl'), curl],
  ]) {
    if (element.querySelector('pre')?.textContent !== text) element.replaceChildren(codeBlock(text));
  }
}

async function loadReplies() {
  const { replies } = await ask('/sandbox/replies');
  $('armed').hidden = replies.length === 0;
  $('replies').replaceChildren(
    ...replies.map((reply) => {
      const button = make('button', { type: 'button', className: 'small', textContent: 'Disarm' });
      onClick(button, async () => {
        // It may have been used up meanwhile, which is as good.
        await ask(`/sandbox/replies/${reply.id}`, 'DELETE').catch(() => null);
        await loadReplies();
      });
      return make('li', {}, own(`Armed: ${replyText(reply)}`), button);
    }),
  );
}

/** Adds the contract's operations, from the WSDL, the first time that they are needed. */
async function loadOperations() {
  const { operation } = $('reply-form').elements;
  if (operation.length > 1) return;
  const wsdl = await (await fetch('/soap/v1.asmx?wsdl')).text();
  const names = new Set([...wsdl.matchAll(/<wsdl:operation name="(\w+)"/g)].map(([, name]) => name));
  operation.append(...[...names].map((name) => make('option', { value: name, textContent: name })));
}

// Events

/** Calls `act` once, soon, however often it is asked for. */
function soon(act, milliseconds) {
  let isWaiting = false;
  return () => {
    if (isWaiting) return;
    isWaiting = true;
    setTimeout(() => {
      isWaiting = false;
      act().catch(showProblem);
    }, milliseconds);
  };
}

const overviewSoon = soon(loadOverview, 300);
const repliesSoon = soon(loadReplies, 300);
const listSoon = soon(() => load(), 300);
/** Items that came in since the list was last drawn, newest first. */
let incoming = [];
const drawSoon = soon(async () => {
  const newest = incoming;
  incoming = [];
  // More than a page at once is quicker to load anew.
  if (newest.length > PAGE) await load();
  else prepend(newest.filter(isNew));
}, 100);

/** Whether the list does not hold it yet, as it may after a load. */
function isNew(item) {
  // Requests are answered in any order.
  if (item.messageid === undefined) return items.every(({ id }) => id !== item.id);
  return items.length === 0 || BigInt(item.messageid) > BigInt(items[0].messageid);
}

function take(list, item) {
  overviewSoon();
  if (shown !== list) return;
  if ($('search').value !== '') listSoon();
  else {
    incoming.unshift(item);
    if (incoming.length > 2 * PAGE) incoming.length = PAGE + 1;
    drawSoon();
  }
}

/** Shows a request that was answered: in its row, if the list was loaded while it was under way. */
function takeRequest(request) {
  // An answer that is on its way may hold it as under way.
  if (shown === 'requests' && loading > 0) listSoon();
  const item = shown === 'requests' ? items.find(({ id }) => id === request.id) : undefined;
  if (item === undefined) return take('requests', request);
  overviewSoon();
  Object.assign(item, request);
  replaceRow(item);
  if (item === selected) renderDetail(item);
}

function changeStatus(changed) {
  if (shown !== 'sent') return;
  const item = [...incoming, ...items].find(({ messageid }) => messageid === changed.messageid);
  // An answer that is on its way may hold the old status, or the message itself.
  if (loading > 0) listSoon();
  if (item === undefined) return;
  const { status, statustext } = changed;
  Object.assign(item, { status, statustext });
  if (item.row !== undefined) replaceRow(item);
  if (item === selected) $('fields').lastChild.previousSibling.previousSibling.replaceChildren(statusPill(item));
}

async function reload() {
  incoming = [];
  await Promise.all([loadOverview(), loadReplies(), load()]);
}

function listen() {
  const events = new EventSource('/sandbox/events');
  const on = (name, act) => events.addEventListener(name, ({ data }) => act(JSON.parse(data)));
  on('sent', (record) => take('sent', record));
  on('received', (record) => take('received', record));
  on('status', changeStatus);
  on('request', (request) => {
    takeRequest(request);
    repliesSoon();
    // It may have marked messages as read.
    if (request.operation === 'ReceiveByApikey' && shown === 'received') listSoon();
  });
  on('reset', () => {
    select(null);
    reload().catch(showProblem);
  });
  events.addEventListener('open', () => {
    showConnection('live', true);
    // What happened before is in no event.
    reload().catch(showProblem);
  });
  events.addEventListener('error', () => showConnection('the sandbox does not answer', false));
}

function showConnection(text, isLive) {
  $('connection').textContent = text;
  $('connection').classList.toggle('live', isLive);
}

function showProblem(error) {
  showConnection(error.message, false);
}

// Forms and keys

/** Sends a form, and shows beside it what was wrong. */
function onSubmit(id, send) {
  const form = $(id);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const problem = form.querySelector('.error');
    problem.textContent = '';
    try {
      await send(form.elements);
      form.closest('dialog')?.close();
    } catch (error) {
      problem.textContent = error.message;
    }
  });
}

function replyOf(fields) {
  const delayMs = Number(fields.delayMs.value);
  const kinds = {
    fault: () => ({ fault: { code: fields.code.value, reason: fields.reason.value } }),
    status: () => ({ status: Number(fields.status.value), statusmessage: fields.statusmessage.value }),
    http: () => ({ http: { status: Number(fields['http-status'].value), body: fields.body.value } }),
    drop: () => ({ drop: fields.drop.value }),
    delay: () => ({}),
  };
  const reply = kinds[fields.kind.value]();
  return delayMs > 0 || fields.kind.value === 'delay' ? { ...reply, delayMs } : reply;
}

function showKind() {
  const { kind } = $('reply-form').elements;
  for (const part of document.querySelectorAll('[data-kind]')) part.hidden = part.dataset.kind !== kind.value;
}

function onKey(event) {
  const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) || document.querySelector('dialog[open]');
  if (event.key === '/' && !isTyping) {
    event.preventDefault();
    $('search').focus();
  } else if (event.key === 'Escape' && !isTyping && selected !== null) {
    const { row } = selected;
    select(null);
    row?.firstChild.focus();
  } else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && !isTyping) {
    const rows = [...document.querySelectorAll('.row')];
    const at = rows.indexOf(document.activeElement);
    const row = rows[at < 0 ? 0 : at + (event.key === 'ArrowDown' ? 1 : -1)];
    if (row === undefined) return;
    event.preventDefault();
    row.focus();
  }
}

function start() {
  for (const button of document.querySelectorAll('[data-list]')) {
    onClick(button, () => show(button.dataset.list));
  }
  for (const button of document.querySelectorAll('[data-dialog]')) {
    button.addEventListener('click', () => {
      $(button.dataset.dialog).showModal();
      if (button.dataset.dialog === 'reply-dialog') loadOperations().catch(showProblem);
    });
  }
  for (const button of document.querySelectorAll('[data-close]')) {
    button.addEventListener('click', () => button.closest('dialog').close());
  }
  onClick($('more'), () => load(true));
  $('search').addEventListener(
    'input',
    soon(() => load(), 150),
  );
  $('back').addEventListener('click', () => {
    const { row } = selected;
    select(null);
    row?.firstChild.focus();
  });
  $('reply-form').elements.kind.addEventListener('change', showKind);
  document.addEventListener('keydown', onKey);
  onSubmit('receive-form', async ({ sender, receptor, message }) => {
    await ask('/sandbox/received', 'POST', {
      sender: sender.value,
      receptor: receptor.value,
      message: message.value,
    });
    message.value = '';
    await show('received');
  });
  onSubmit('reply-form', async (fields) => {
    const times = fields.always.checked ? null : Number(fields.times.value);
    await ask('/sandbox/replies', 'POST', { operation: fields.operation.value, times, reply: replyOf(fields) });
    await loadReplies();
  });
  onSubmit('reset-form', () => ask('/sandbox', 'DELETE'));
  onSubmit('status-form', ({ status, statustext }) =>
    ask(`/sandbox/messages/${selected.messageid}/status`, 'PUT', {
      status: Number(status.value),
      ...(statustext.value !== '' && { statustext: statustext.value }),
    }),
  );
  // No event tells of replies that were armed elsewhere.
  setInterval(() => {
    if (!document.hidden) loadReplies().catch(showProblem);
  }, 3000);
  showKind();
  showConnection('connecting', false);
  listen();
}

start();
