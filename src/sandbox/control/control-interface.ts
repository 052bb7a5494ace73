import { parseContentType } from '../../internal/content-type';
import { pageResponse } from '../page/page-files';
import { FieldError } from '../service/field-error';
import type { RunningSandbox } from '../service/running-sandbox';
import type { HttpRequest } from '../wire/http-request';
import type { HttpResponse } from '../wire/http-response';
import { controlRoutes, removeMessages } from './handlers';
import { jsonResponse } from './json';
import { readQuery } from './query';
import type { LateResponse } from './wait-for-message';

/** The longest body of a request to the control interface, in bytes. */
export const MAX_CONTROL_BYTES = 16_777_216;

/** True for a path of the page or the control interface. */
export function isControlPath(path: string): boolean {
  return path === '/' || path === '/sandbox' || path.startsWith('/sandbox/');
}

/** The headers of every response of the page and the control interface. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
};

/**
 * The page and the control interface. They are safe from web pages of other origins: DNS rebinding fails at the Host
 * header, a page cannot send the Content-Type of a change without the permission of the sandbox, and no CORS header
 * grants this permission.
 */
export class ControlInterface {
  readonly #sandbox: RunningSandbox;
  readonly #hosts: readonly string[];

  /** @param hosts the names under which the sandbox may be called, besides its address and localhost */
  constructor(sandbox: RunningSandbox, hosts: readonly string[]) {
    this.#sandbox = sandbox;
    this.#hosts = hosts;
  }

  /** @returns `events` when the response is the stream of events */
  respond(request: HttpRequest): HttpResponse | LateResponse | 'events' {
    const response = this.#route(request);
    if (response === 'events') return response;
    if (typeof response === 'function') return (respond) => response((late) => respond(secure(late)));
    return secure(response);
  }

  #route(request: HttpRequest): HttpResponse | LateResponse | 'events' {
    const { method, path, headers, query, origin } = request;
    if (!this.isAllowedHost(headers.host, request.localAddress)) {
      return problem(
        403,
        `the host ${headers.host ?? ''} is not allowed; start the sandbox with --allow-host to allow it`,
      );
    }
    const { settings, exampleKey } = this.#sandbox;
    const page = pageResponse(path, { baseUrl: origin, namespace: settings.namespace, apiKey: exampleKey });
    if (page !== undefined) return isReading(method) ? page : wrongMethod(['GET']);
    for (const [pattern, methods] of controlRoutes) {
      const match = pattern.exec(path);
      if (match === null) continue;
      const name = method === 'HEAD' ? 'GET' : method;
      const handler = Object.hasOwn(methods, name) ? methods[name] : undefined;
      if (handler === undefined) return wrongMethod(Object.keys(methods));
      const isChange = !isReading(method);
      if (isChange && parseContentType(headers['content-type']).mediaType !== 'application/json') {
        return problem(415, 'a change needs the header Content-Type: application/json');
      }
      if (request.body === undefined) return problem(413, `the body is longer than ${MAX_CONTROL_BYTES} bytes`);
      try {
        // No other change takes parameters: a change that asks for a part must not change everything.
        if (isChange && handler !== removeMessages) readQuery(query, []);
        const json = method === 'POST' || method === 'PUT' ? parseBody(request.body) : undefined;
        return handler(this.#sandbox, { query, id: match[1] ?? '', json, origin });
      } catch (error) {
        if (error instanceof FieldError) return problem(400, error.message);
        // A defect of the sandbox, or a full disk.
        return problem(500, this.#sandbox.reportFailure(error));
      }
    }
    return problem(404, `unknown path ${path}`);
  }

  /** Refuses other names, which a foreign page could make lead here. Nobody else controls an address or localhost. */
  isAllowedHost(host: string | undefined, localAddress: string): boolean {
    const [, name = ''] = /^([^:[\]]+|\[[^\]]*\])(?::\d+)?$/.exec(host ?? '') ?? [];
    const address = localAddress.replace(/^::ffff:/, '');
    const own = ['localhost', '127.0.0.1', '[::1]', address, `[${address}]`, ...this.#hosts];
    return name !== '' && own.some((host) => host.toLowerCase() === name.toLowerCase());
  }
}

function secure(response: HttpResponse): HttpResponse {
  return { ...response, headers: { ...securityHeaders, ...response.headers } };
}

function parseBody(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (error) {
    throw new FieldError('', `the body is not JSON in UTF-8: ${(error as Error).message}`);
  }
}

/** Node leaves out the body of a response to HEAD. */
function isReading(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

function wrongMethod(methods: readonly string[]): HttpResponse {
  const allowed = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method));
  const { status, headers, body } = problem(
    405,
    `only ${methods.join(' and ')} ${methods.length === 1 ? 'is' : 'are'} allowed here`,
  );
  return { status, headers: { ...headers, Allow: allowed.join(', ') }, body };
}

function problem(status: number, error: string): HttpResponse {
  return jsonResponse(status, { error });
}
