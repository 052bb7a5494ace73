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
  const options = { method, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(path, options).catch(() => {
    // The browser's own words are `Failed to fetch`.
    throw new Error('the sandbox does not respond');
  });
  if (response.status === 204 || response.status === 404) return null;
  const json = await response.json();
  if (!response.ok) throw new Error(json.error);
  return json;
}

const EVENTS = ['sent', 'status', 'received', 'request', 'removed', 'replies', 'delivery', 'reset'];
/** The time between two attempts to connect, in milliseconds. */
const RETRY_MS = 1000;

/**
 * Listens to the events of the sandbox while the page is visible: a browser has six connections for all its tabs.
 *
 * @param {() => void} onChange is called for each event, and whenever the connection opens
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
    for (const name of EVENTS) opened.addEventListener(name, onChange);
    let isLive = false;
    opened.onopen = () => {
      isLive = true;
      onConnection('live');
      // No event tells what happened before the connection opened.
      onChange();
    };
    opened.onerror = () => {
      // The sandbox may have closed only the events of a page that reads them too slowly.
      onConnection(isLive ? 'connecting' : 'lost');
      // A browser gives up when a proxy or another service responds in place of the sandbox.
      opened.close();
      setTimeout(() => events === opened && follow(), RETRY_MS);
    };
  }
  document.addEventListener('visibilitychange', follow);
  follow();
}
