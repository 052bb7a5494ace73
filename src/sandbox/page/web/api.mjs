// @ts-check

/**
 * Calls the control interface.
 *
 * @param {string} path
 * @param {'GET' | 'POST' | 'PUT' | 'DELETE'} [method]
 * @param {object} [body]
 * @returns {Promise<any>} the JSON of the response, or null without one
 */
export async function ask(path, method = 'GET', body = undefined) {
  const headers = method === 'GET' ? {} : { 'Content-Type': 'application/json' };
  const text = body === undefined ? null : JSON.stringify(body);
  const response = await fetch(path, { method, headers, body: text }).catch(() => {
    // The browser's own words are `Failed to fetch`.
    throw new Error('the sandbox does not respond');
  });
  if (response.status === 204) return null;
  const json = await response.json();
  if (!response.ok) throw new Error(json.error);
  return json;
}

/**
 * Listens to the events of the sandbox, and connects again when the connection ends.
 *
 * @param {Record<string, (data: any) => void>} handlers by the name of the event
 * @param {(isConnected: boolean) => void} onConnection is called whenever the connection opens or fails
 */
export function listen(handlers, onConnection) {
  const events = new EventSource('/sandbox/events');
  for (const [name, handle] of Object.entries(handlers)) {
    events.addEventListener(name, ({ data }) => handle(JSON.parse(data)));
  }
  events.addEventListener('open', () => onConnection(true));
  events.addEventListener('error', () => {
    onConnection(false);
    // A browser gives up when a proxy or another service responds in place of the sandbox.
    if (events.readyState === EventSource.CLOSED) setTimeout(() => listen(handlers, onConnection), 2000);
  });
}
