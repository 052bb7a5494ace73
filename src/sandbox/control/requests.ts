import type { HttpResponse } from '../http';
import type { LoggedRequest, SandboxRequest } from '../store/request-log';
import type { SandboxState } from '../store/state';
import type { ControlRequest } from './control-request';
import { requestJson, writeJson } from './json';
import { hasPart, isInTime, listResponse } from './lists';
import { withoutKeys } from './mask-keys';
import { type Filter, filterParameters, parameters, readParameters } from './parameters';

// The requests of the control interface.

const { result, limit, before } = parameters;

/** Lists the requests that are kept. */
export function listRequests({ requestLog, mask }: SandboxState, { query }: ControlRequest): HttpResponse {
  const given = readParameters(query, { ...filterParameters, result, limit, before });
  const found = requestLog.entries.flatMap((entry) => (matches(entry, given, mask) ? entry.request : []));
  const results: Record<string, number> = {};
  for (const each of found) if (each.result !== undefined) results[each.result] = (results[each.result] ?? 0) + 1;
  const chosen = given.result === undefined ? found : found.filter((each) => each.result === given.result);
  const counts = { found: chosen.length, results };
  const write = (request: SandboxRequest) => writeJson(requestJson(request), mask);
  return listResponse('requests', chosen, given, ({ id }) => BigInt(id), write, counts);
}

function matches({ request, given = {} }: LoggedRequest, filter: Filter, mask: SandboxState['mask']): boolean {
  const { search, sender, receptor, message } = filter;
  const has = (name: string, part: string) => part === '' || textsOf(given[name]).some((text) => hasPart(text, part));
  if (!isInTime(request.date, filter)) return false;
  if (!has('sender', sender) || !has('receptor', receptor) || !has('message', message)) return false;
  if (search === '') return true;
  // The search must not find an API key. Masking takes long, and adds nothing to a text but asterisks.
  const holds = (text: string, shown: () => string) =>
    (search.includes('*') || hasPart(text, search)) && hasPart(mask(shown()), search);
  const fields = Object.entries(given).flatMap(([name, value]) => (name === 'apikey' ? [] : textsOf(value)));
  if (fields.some((text) => holds(text, () => text))) return true;
  return holds(exchangeOf(request), () => exchangeOf(withoutKeys(request)));
}

/** The exchange of a request as text. No text is kept: all of them together may be too long. */
function exchangeOf(request: SandboxRequest): string {
  const { operation = '', summary = '', reason = '', method, url, headers, body, response } = request;
  return [
    ...[operation, summary, reason, `${method} ${url} HTTP/1.1`, ...linesOf(headers), body],
    ...(response ? [`HTTP/1.1 ${response.status}`, ...linesOf(response.headers), response.body] : []),
  ].join('\n');
}

function linesOf(headers: SandboxRequest['headers']): string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}

/** The values of a field, of which a list has several. */
function textsOf(value: unknown): string[] {
  return [value].flat().flatMap((each) => (each === null || each === undefined ? [] : String(each)));
}
