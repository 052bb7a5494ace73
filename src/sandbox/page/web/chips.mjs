// @ts-check
/** @import { View } from './view.mjs' */
import { html } from './htm.mjs';
import { ranked, textOfStatus } from './parts.mjs';
import { withField } from './query.mjs';
import { state } from './state.mjs';
import { toneOf } from './tones.mjs';
import { isFiltered, queryOf, RESULTS, show, statusWords } from './view.mjs';

// A chip for each state that is found, in one row. A chip writes its state into the search.

export function Chips() {
  const { list } = state.view;
  const { status } = queryOf();
  const { total, chips } = state.found;
  // The chip that filters stays when nothing has its state any more.
  const counts = { ...(status && { [status]: 0 }), ...chips };
  const noun = list === 'sent' ? 'message' : 'request';
  const all = isFiltered() ? 'found' : total === 1 ? noun : `${noun}s`;
  // A wheel that turns in one direction only reaches the end of the row too.
  const onWheel = (/** @type {WheelEvent & { currentTarget: HTMLElement }} */ { currentTarget, deltaX, deltaY }) => {
    if (deltaX === 0) currentTarget.scrollLeft += deltaY;
  };
  return html`<div class="chips" role="group" aria-label=${list === 'sent' ? 'Statuses' : 'Results'} onWheel=${onWheel}>
    <${Chip} value="" number=${total} text=${all} isBad=${false} />
    ${ordered(list, counts).map(
      ([value, number]) => html`<${Chip} key=${value} value=${value} number=${number}
        text=${list === 'sent' ? textOfStatus(value) : RESULTS[value]} isBad=${isBad(list, value)} />`,
    )}
  </div>`;
}

/** @param {{ value: string, number: number, text: string | undefined, isBad: boolean }} properties */
function Chip({ value, number, text, isBad }) {
  const { list, search } = state.view;
  const choose = () => {
    const [word = value] = Object.entries(statusWords(list)).find(([, one]) => one === value) ?? [];
    show({ search: withField(search, 'status', word) });
  };
  return html`<button type="button" class=${isBad ? 'chip bad' : 'chip'} aria-pressed=${queryOf().status === value} onClick=${choose}>
    <b>${number.toLocaleString()}</b> <span>${text}</span>
  </button>`;
}

/** @param {View['list']} list @param {string} value */
function isBad(list, value) {
  return list === 'sent' ? toneOf(value) === 'bad' : value !== 'done';
}

/**
 * The states with their numbers: the one that most have, so that it is in sight, then the bad ones.
 *
 * @param {View['list']} list
 * @param {Record<string, number>} counts
 */
function ordered(list, counts) {
  const entries = list === 'sent' ? ranked(counts) : Object.entries(counts);
  const most = Math.max(...entries.map(([, number]) => number));
  const [first] = entries.filter(([, number]) => number === most);
  const others = entries.filter((entry) => entry !== first);
  const bad = others.filter(([value]) => isBad(list, value));
  return [...(first ? [first] : []), ...bad, ...others.filter((entry) => !bad.includes(entry))];
}
