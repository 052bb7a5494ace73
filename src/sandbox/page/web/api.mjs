// @ts-check

/**
 * Asks the control interface.
 *
 * @param {string} path
 * @returns {Promise<any>} the JSON of the response; null for HTTP status 404
 */
export async function ask(path) {
  const response = await request(path, 'GET');
  if (response.status === 404) return null;
  const json = await response.json();
  if (!response.ok) throw new Error(json.error);
  return json;
}

/**
 * Changes something through the control interface.
 *
 * @param {string} path
 * @param {'POST' | 'PUT' | 'DELETE'} method
 * @param {object} [body]
 * @returns {Promise<{ json: any, undo: string }>} the JSON of the response, and the path that undoes the change, if any
 */
export async function change(path, method, body = undefined) {
  const response = await request(path, method, body);
  const json = response.status === 204 ? null : await response.json();
  if (!response.ok) throw new Error(json.error);
  return { json, undo: response.headers.get('Undo') ?? '' };
}

/** @param {string} path @param {string} method @param {object} [body] */
function request(path, method, body = undefined) {
  const headers = { 'Content-Type': 'application/json' };
  const options = { method, headers, body: JSON.stringify(body), signal: AbortSignal.timeout(SILENCE_MS) };
  return fetch(path, options).catch(() => {
    // The browser's own words are `Failed to fetch`.
    throw new Error('the sandbox does not respond');
  });
}

/** The time between two attempts to connect, in milliseconds. */
const RETRY_MS = 1000;
/** The time without an event after which the sandbox is not live. It sends one at least every 15 seconds. */
const SILENCE_MS = 30_000;

/**
 * Listens to the events of the sandbox while the page is visible: a browser has six connections for all its tabs.
 *
 * @param {() => void} onChange is called for each change, and whenever the connection opens
 * @param {(connection: 'connecting' | 'live' | 'lost') => void} onConnection
 */
export function listen(onChange, onConnection) {
  /** @type {EventSource | undefined} */
  let events;
  function follow() {
    events?.close();
    if (document.hidden) return;
    const opened = new EventSource('/sandbox/events');
    events = opened;
    let isLive = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let silence;
    const live = () => {
      isLive = true;
      onConnection('live');
      clearTimeout(silence);
      silence = setTimeout(() => events === opened && onConnection('lost'), SILENCE_MS);
    };
    opened.onmessage = ({ data }) => {
      live();
      if (JSON.parse(data).changed.length > 0) onChange();
    };
    opened.onopen = () => {
      live();
      // No event tells what happened before the connection opened.
      onChange();
    };
    opened.onerror = () => {
      // The sandbox may have closed only the events of a page that reads them too slowly.
      onConnection(isLive ? 'connecting' : 'lost');
      clearTimeout(silence);
      // A browser gives up when a proxy or another service responds in place of the sandbox.
      opened.close();
      setTimeout(() => events === opened && follow(), RETRY_MS);
    };
  }
  document.addEventListener('visibilitychange', follow);
  follow();
}
