import { parseContentType } from '../soap/http/content-type';
import { FieldError } from './checks';
import { controlRoutes, jsonAnswer } from './control';
import type { Core } from './core';
import { pageAnswer } from './page-files';
import { readQuery } from './query';
import type { ServerRequest } from './server';
import type { HttpAnswer } from './wire/http-answer';

/** Longest body of a request to the control interface, in bytes. */
export const MAX_CONTROL_BYTES = 16_777_216;

/** Whether a path belongs to the page or the control interface. */
export function isControlPath(path: string): boolean {
  return path === '/' || path === '/sandbox' || path.startsWith('/sandbox/');
}

/**
 * Answers a request to the page or the control interface. It is safe from web pages of other origins: DNS rebinding fails
 * at the Host header, a page cannot set the Content-Type of a change without asking first, and no CORS header allows it.
 */
export function controlAnswer(core: Core, request: ServerRequest): HttpAnswer | 'events' {
  const answer = route(core, request);
  return answer === 'events' ? answer : { ...answer, headers: { ...securityHeaders, ...answer.headers } };
}

/** For every answer of the page and the control interface. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
};

function route(core: Core, request: ServerRequest): HttpAnswer | 'events' {
  const { method, path, headers } = request;
  if (!isAllowedHost(core, request)) {
    return problem(
      403,
      `the host ${headers.host ?? ''} is not allowed; start the sandbox with --allow-host to allow it`,
    );
  }
  const page = pageAnswer(path);
  if (page !== undefined) return method === 'GET' ? page : wrongMethod(['GET']);
  for (const [pattern, methods] of controlRoutes) {
    const match = pattern.exec(path);
    if (match === null) continue;
    const handler = Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (handler === undefined) return wrongMethod(Object.keys(methods));
    const isChange = method !== 'GET';
    if (isChange && parseContentType(headers['content-type']).mediaType !== 'application/json') {
      return problem(415, 'a change needs the header Content-Type: application/json');
    }
    if (request.body === undefined) return problem(413, `the body is longer than ${MAX_CONTROL_BYTES} bytes`);
    try {
      // A change takes no parameters: one that asks for a part must not change everything.
      if (isChange) readQuery(request.query, []);
      const json = method === 'POST' || method === 'PUT' ? parseBody(request.body) : undefined;
      return handler(core, { query: request.query, id: match[1] ?? '', json, origin: request.origin });
    } catch (error) {
      if (error instanceof FieldError) return problem(400, error.message);
      // A defect of the sandbox, or a full disk.
      console.error(error);
      return problem(500, error instanceof Error ? error.message : String(error));
    }
  }
  return problem(404, `unknown path ${path}`);
}

/** A name that a foreign page controls could be made to lead here, an address or localhost could not. */
function isAllowedHost({ settings }: Core, { headers, localAddress }: ServerRequest): boolean {
  const [, name = ''] = /^([^:[\]]+|\[[^\]]*\])(?::\d+)?$/.exec(headers.host ?? '') ?? [];
  const address = localAddress.replace(/^::ffff:/, '');
  const own = ['localhost', '127.0.0.1', '[::1]', settings.host, address, `[${address}]`, ...settings.allowHosts];
  return name !== '' && own.some((one) => one.toLowerCase() === name.toLowerCase());
}

function parseBody(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (error) {
    throw new FieldError('', `the body is not JSON in UTF-8: ${(error as Error).message}`);
  }
}

function wrongMethod(allowed: readonly string[]): HttpAnswer {
  const { status, headers, body } = problem(
    405,
    `only ${allowed.join(' and ')} ${allowed.length === 1 ? 'is' : 'are'} allowed here`,
  );
  return { status, headers: { ...headers, Allow: allowed.join(', ') }, body };
}

function problem(status: number, error: string): HttpAnswer {
  return jsonAnswer(status, { error });
}
