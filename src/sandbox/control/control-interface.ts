import type { ServerResponse } from 'node:http';
import { parseContentType } from '../../internal/content-type';
import { abbreviate } from '../../internal/text';
import { refuseValue, WrongValue } from '../../options/table';
import type { Certificate } from '../certificate';
import { type HttpRequest, type HttpResponse, isOwnHost, isReading, sendResponse } from '../http';
import { pageResponse } from '../page/page-files';
import type { SandboxState } from '../store/state';
import type { ControlHandler } from './control-request';
import { EventStream } from './event-stream';
import { controlRoutes, routesWithParameters } from './handlers';
import { NO_CONTENT, problem } from './json';
import { readParameters } from './parameters';

/** The longest body of a request to the control interface, in bytes. */
export const MAX_CONTROL_BYTES = 16_777_216;

/** True for a path of the page or the control interface. */
export function isControlPath(path: string): boolean {
  return path === '/' || path === '/sandbox' || path.startsWith('/sandbox/');
}

const routes = Object.entries(controlRoutes).map(
  ([path, methods]) =>
    [new RegExp(`^${path.replace('ID', '([^/]+)').replace('LINE/NUMBER', '([^/]*)/([^/]*)')}$`), methods] as const,
);

/** The headers of every response of the page and the control interface. */
const securityHeaders: Readonly<Record<string, string>> = {
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
  readonly #events: EventStream;

  /**
   * @param hosts the names under which the sandbox may be called, besides its address and localhost
   * @param certificate that of a sandbox that serves https
   */
  constructor(
    private readonly state: SandboxState,
    private readonly hosts: readonly string[],
    private readonly certificate: Certificate | undefined,
  ) {
    this.#events = new EventStream(state);
  }

  respond(request: HttpRequest, response: ServerResponse): void {
    for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
    const given = this.#route(request, response);
    if (given instanceof Promise) void given.then((later) => sendResponse(response, later));
    else if (given !== 'events') sendResponse(response, given ?? NO_CONTENT);
    else {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      if (request.method === 'HEAD') response.end();
      else this.#events.attach(response);
    }
  }

  #route(request: HttpRequest, response: ServerResponse): ReturnType<ControlHandler> {
    const { method, path, headers, query, origin, localAddress } = request;
    if (!isOwnHost(headers.host, localAddress, this.hosts)) {
      return problem(403, `the host ${headers.host ?? ''} is not allowed: start the sandbox with --allow-host`);
    }
    const { options, exampleKey: apiKey } = this.state;
    const baseUrl = this.certificate?.validUrl(origin) ?? origin;
    const certificate = this.certificate?.ownAuthority;
    const page = pageResponse(path, { baseUrl, namespace: options.namespace, apiKey, certificate });
    if (page !== undefined) return isReading(method) ? page : wrongMethod(['GET']);
    for (const [pattern, methods] of routes) {
      const match = pattern.exec(path);
      if (match === null) continue;
      const name = method === 'HEAD' ? 'GET' : method;
      const handler = Object.hasOwn(methods, name) ? methods[name] : undefined;
      if (handler === undefined) return wrongMethod(Object.keys(methods));
      if (!isReading(method) && parseContentType(headers['content-type']).mediaType !== 'application/json') {
        return problem(415, 'a change needs the header Content-Type: application/json');
      }
      if (request.body === undefined) return problem(413, `the body is longer than ${MAX_CONTROL_BYTES} bytes`);
      try {
        // A change that asks for a part must not change everything.
        if (!routesWithParameters.has(handler)) readParameters(query, {});
        const json = method === 'POST' || method === 'PUT' ? parseBody(request.body) : undefined;
        return handler(this.state, { query, ids: match.slice(1).map(decodePart), json, origin, response });
      } catch (error) {
        if (error instanceof WrongValue) return problem(400, abbreviate(this.state.mask(error.message), 1000));
        // A defect of the sandbox, or a full disk.
        return problem(500, this.state.reportFailure(error));
      }
    }
    return problem(404, `unknown path ${path}`);
  }
}

/** A part of a path as text; the part itself when it cannot be decoded. */
function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function parseBody(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (error) {
    return refuseValue(`the body is not JSON in UTF-8: ${(error as Error).message}`);
  }
}

function wrongMethod(methods: readonly string[]): HttpResponse {
  const allowed = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method));
  const { status, headers, body } = problem(405, `use ${methods.join(' or ')} here`);
  return { status, headers: { ...headers, Allow: allowed.join(', ') }, body };
}
