// @ts-check
/** @import { SandboxDelivery } from '../../store/delivery' */
/** @import { Item, ReplyJson, Row, SentJson } from './records' */
/** @import { View } from './view.mjs' */

// The state of the page. An event or a user changes it; everything that is shown follows from it.

/** The number of rows that are loaded at first, and whenever the end of the list comes into sight. */
export const PAGE = 50;
/** The number of messages of a conversation that are loaded at first, and with each press of the button for more. */
export const TALK_PAGE = 100;

/** A wide page shows a list and an item side by side. */
export const wide = matchMedia('(min-width: 901px)');

export const state = {
  /** What the user chose to see. */
  view: /** @type {View} */ ({ list: 'sent', id: '', search: '' }),
  /** `started` changes with each start and each reset, after which ids begin again. */
  overview: {
    started: '',
    endpoint: '',
    messages: 0,
    /** @type {Record<string, number>} The number of messages in each status. */
    statuses: {},
    received: 0,
    requests: 0,
    credit: '0',
  },
  /** @type {ReplyJson[]} */
  replies: [],
  /** @type {SandboxDelivery} */
  delivery: { enabled: false, steps: [], receptors: [] },
  /** @type {Row[] | null} The rows of the view; null before they are loaded. */
  rows: null,
  /** The number of rows that are asked for. */
  limit: PAGE,
  isComplete: false,
  /** The id of the row at which the keyboard enters the list; empty for the opened or the first one. */
  cursor: '',
  /**
   * The messages or requests that the search finds, in all and by status or result. The chosen status does not
   * count.
   */
  found: { total: 0, chips: /** @type {Record<string, number>} */ ({}) },
  /** The number of messages when the list was last loaded from its top. */
  seen: 0,
  /** The messages of the unfolded calls, by call. */
  unfolded: /** @type {Record<string, { limit: number, messages: SentJson[] }>} */ ({}),
  /** @type {Item | null | undefined} The item that is shown beside the list; null for an id that is not known. */
  item: undefined,
  /** The number of messages of the opened conversation that are asked for. */
  talkLimit: TALK_PAGE,
  /** The facts of the service that never change. */
  service: {
    /** @type {string[]} */
    operations: [],
    /** Commands that send and receive a first message. */
    examples: { cli: '', curl: '', receive: '' },
    /** @type {[status: number, text: string][]} */
    statuses: [],
  },
  /** @type {'connecting' | 'live' | 'lost'} */
  connection: 'connecting',
  /** The last failure, in words. */
  problem: '',
  /** @type {{ words: string, undo: string, view: View } | null} What the user has done last, and how to undo it. */
  done: null,
  /** @type {(() => object) | null} The component of the open dialog. */
  dialog: null,
  now: Date.now(),
};

/** Draws the state, and loads everything that is shown at once. Other modules know how. */
export const page = { draw: () => {}, load: () => {} };

/** @param {Partial<typeof state>} changes */
export function set(changes) {
  Object.assign(state, changes);
  page.draw();
}

/** Shows for a while why something failed. @param {Error} error */
export function showProblem({ message }) {
  set({ problem: message });
  setTimeout(() => state.problem === message && set({ problem: '' }), 10_000);
}
