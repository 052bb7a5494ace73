// @ts-check
/** @import { TalkJson } from './records' */
import { attempt } from './acts.mjs';
import { Head } from './head.mjs';
import { html, useLayoutEffect, useRef } from './htm.mjs';
import { count, marked, Pill, StatusPill, UserText } from './parts.mjs';
import { page, set, state, TALK_PAGE } from './state.mjs';
import { dayOf, Time } from './times.mjs';

// An opened conversation. The style sheet lets its pane begin at the newest end and stay there.

/** The messages between a number and a line in both directions. @param {{ talk: TalkJson }} properties */
export function Talk({ talk: { line, number, messages, found } }) {
  const newest = messages[0] && keyOf(messages[0]);
  const last = useRef({ newest, height: 0 });
  useLayoutEffect(() => {
    const pane = document.getElementById('detail');
    if (pane === null) return;
    const isNew = last.current.newest !== newest;
    // The pane scrolls from its end: what is new there would move what is read above.
    if (isNew && pane.scrollTop < 0) pane.scrollTop -= pane.scrollHeight - last.current.height;
    last.current = { newest, height: pane.scrollHeight };
  }, [messages]);
  let day = '';
  const left = found - messages.length;
  const bubbles = messages.toReversed().flatMap((message) => {
    const isSent = message.direction === 'sent';
    const earlier = day;
    day = dayOf(message.date) || day;
    const pill = isSent
      ? html`<${StatusPill} message=${message} />`
      : !message.isread && html`<${Pill} tone="unread" text="unread" />`;
    const key = keyOf(message);
    return [
      day !== earlier && html`<li class="day quiet" key=${`day ${key}`}>${day}</li>`,
      html`<li class=${isSent ? 'out' : 'in'} key=${key}>
        <p dir="auto">${marked(message.message ?? '', 'text')}</p>
        <small class="quiet"><span class="unseen">${message.direction}</span> <${Time} date=${message.date} /> ${pill}</small>
      </li>`,
    ];
  });
  const showEarlier = () => {
    set({ talkLimit: state.talkLimit + TALK_PAGE });
    page.load();
  };
  return html`<${Head}><h2><${UserText} text=${number} /></h2><p class="quiet">with line <${UserText} text=${line} />, ${count(found, 'message')}</p><//>
    ${left > 0 && html`<p class="earlier"><button type="button" onClick=${showEarlier}>Show ${count(Math.min(left, TALK_PAGE), 'earlier message')}</button></p>`}
    <ol id="talk">${bubbles}</ol>
    <${Write} line=${line} number=${number} />`;
}

/** The ids of sent and received messages begin with the same number. @param {TalkJson['messages'][number]} message */
function keyOf({ direction, messageid }) {
  return `${direction} ${messageid}`;
}

/** A form for another message of a conversation. @param {{ line: string, number: string }} properties */
function Write({ line, number }) {
  const onSubmit = async (/** @type {SubmitEvent & { currentTarget: HTMLFormElement }} */ event) => {
    event.preventDefault();
    const form = event.currentTarget;
    const body = { sender: number, receptor: line, message: new FormData(form).get('message') };
    const words = `A message from ${number} to line ${line} was received.`;
    if (!(await attempt(words, '/sandbox/received', 'POST', body))) return;
    form.reset();
    document.getElementById('detail')?.scrollTo(0, 0);
  };
  return html`<form id="write" onSubmit=${onSubmit}>
    <input name="message" aria-label=${`Another text from ${number}`} placeholder="Another text" dir="auto" autocomplete="off" required />
    <button type="submit" class="main">Receive it</button>
  </form>`;
}
