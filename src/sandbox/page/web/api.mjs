// @ts-check

/**
 * Calls the control interface.
 *
 * @param {string} path
 * @param {'GET' | 'POST' | 'PUT' | 'DELETE'} [method]
 * @param {object} [body]
 * @returns {Promise<any>} the JSON of the response; null for HTTP status 204 or 404
 */
export async function ask(path, method = 'GET', body = undefined) {
  const headers = method === 'GET' ? {} : { 'Content-Type': 'application/json' };
  const text = body === undefined ? null : JSON.stringify(body);
  const response = await fetch(path, { method, headers, body: text }).catch(() => {
    // The browser's own words are `Failed to fetch`.
    throw new Error('the sandbox does not respond');
  });
  if (response.status === 204 || response.status === 404) return null;
  const json = await response.json();
  if (!response.ok) throw new Error(json.error);
  return json;
}

const EVENTS = ['sent', 'status', 'received', 'request', 'removed', 'replies', 'delivery', 'reset'];
/** The time after which a browser connects again that has given up, in milliseconds. */
const RETRY_MS = 2000;
/** A browser that connects again within this time was only disconnected from the events, in milliseconds. */
const LOST_MS = 1500;

/**
 * Listens to the events of the sandbox while the page is visible: a browser has six connections for all its tabs.
 *
 * @param {() => void} onChange is called for each event, and whenever the connection opens
 * @param {(connection: 'live' | 'lost') => void} onConnection
 */
export function listen(onChange, onConnection) {
  /** @type {EventSource | undefined} */
  let events;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let retry;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let losing;
  function follow() {
    clearTimeout(retry);
    events?.close();
    if (document.hidden) return;
    const opened = new EventSource('/sandbox/events');
    events = opened;
    for (const name of EVENTS) opened.addEventListener(name, onChange);
    opened.onopen = () => {
      clearTimeout(losing);
      losing = undefined;
      onConnection('live');
      // No event tells what happened before the connection opened.
      onChange();
    };
    opened.onerror = () => {
      losing ??= setTimeout(onConnection, LOST_MS, 'lost');
      // A browser gives up when a proxy or another service responds in place of the sandbox.
      if (opened.readyState === EventSource.CLOSED) retry = setTimeout(follow, RETRY_MS);
    };
  }
  document.addEventListener('visibilitychange', follow);
  follow();
}
