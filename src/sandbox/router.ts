import type { ServerResponse } from 'node:http';
import { service } from '../../generated/operations';
import { type ContentType, parseContentType } from '../internal/content-type';
import { endpointPath } from '../soap/wsdl';
import { ControlInterface, isControlPath, MAX_CONTROL_BYTES, securityHeaders } from './control/control-interface';
import type { EventStream } from './control/event-stream';
import type { SandboxSettings } from './options';
import { formatEndpointPage } from './page/endpoint-page';
import { type RequestHandler, sendResponse } from './server';
import { type EndpointResult, tooLongResponse } from './service/endpoint';
import type { RunningSandbox } from './service/running-sandbox';
import { decodeBody } from './wire/charset';
import { documentResponse } from './wire/documents';
import type { HttpRequest } from './wire/http-request';
import type { HttpResponse } from './wire/http-response';

/**
 * Passes each request to the SOAP endpoint, its documents, the page or the control interface, and sends the response.
 */
export class Router implements RequestHandler {
  readonly #settings: SandboxSettings;
  readonly #sandbox: RunningSandbox;
  readonly #events: EventStream;
  readonly #control: ControlInterface;
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(settings: SandboxSettings, sandbox: RunningSandbox, events: EventStream) {
    this.#settings = settings;
    this.#sandbox = sandbox;
    this.#events = events;
    this.#control = new ControlInterface(sandbox, [settings.host, ...settings.allowHosts]);
  }

  maxBytes(path: string): number {
    return isControlPath(path) ? MAX_CONTROL_BYTES : this.#settings.maxRequestBytes;
  }

  handle(request: HttpRequest, response: ServerResponse): void {
    this.#attempt(response, () => {
      if (isControlPath(request.path)) this.#respondToControl(request, response);
      else this.#serve(request, response);
    });
  }

  reportFailure(error: unknown): void {
    this.#sandbox.reportFailure(error);
  }

  /** Drops the responses that are still delayed. */
  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #respondToControl(request: HttpRequest, response: ServerResponse): void {
    const given = this.#control.respond(request);
    if (given === 'events') this.#events.attach(response, securityHeaders, request.method === 'HEAD');
    else if (typeof given === 'function')
      response.on(
        'close',
        given((late) => sendResponse(response, late)),
      );
    else sendResponse(response, given);
  }

  /** Serves the endpoint and its documents, and logs the request. */
  #serve(request: HttpRequest, response: ServerResponse): void {
    const { method, url, headers, body } = request;
    const contentType = parseContentType(headers['content-type']);
    const text = body === undefined ? undefined : decodeBody(body, contentType);
    const { call, sent, response: given, summary, delayMs } = this.#respond(request, contentType, text);
    const { requestLog } = this.#sandbox;
    const logged = { method, url, headers, body: text ?? '' };
    const entry = requestLog.add(
      call ? { operation: call.operation, soapVersion: call.version, ...logged } : logged,
      sent,
    );
    this.#after(delayMs, response, () => {
      if (given === undefined) response.destroy();
      else sendResponse(response, given);
      requestLog.finish(entry, given, summary);
    });
  }

  #respond(request: HttpRequest, contentType: ContentType, text: string | undefined): EndpointResult {
    const { method, path, headers, origin } = request;
    if (method === 'POST' && path === endpointPath) {
      const refused = this.#refuseOrigin(request);
      if (refused !== undefined) return { response: refused, summary: `HTTP ${refused.status}`, delayMs: 0 };
      if (text === undefined) return { ...tooLongResponse(contentType), delayMs: 0 };
      return this.#sandbox.endpoint.handle({ contentType, soapAction: headers.soapaction as string | undefined, text });
    }
    const { namespace } = this.#settings;
    const address = `${origin}${service.path}`;
    const formatPage = () =>
      formatEndpointPage(address, { baseUrl: origin, namespace, apiKey: this.#sandbox.exampleKey });
    const response = documentResponse(request, { namespace, address, formatPage });
    return { response, summary: `HTTP ${response.status}`, delayMs: 0 };
  }

  /** SOAP clients send no Origin. A page of another site must not read messages with a key that everybody knows. */
  #refuseOrigin({ headers: { origin }, localAddress }: HttpRequest): HttpResponse | undefined {
    if (origin === undefined) return undefined;
    const host = URL.canParse(origin) ? new URL(origin).host : undefined;
    if (this.#control.isAllowedHost(host, localAddress)) return undefined;
    const body = `the origin ${origin} is not allowed; start the sandbox with --allow-host to allow its host\n`;
    return { status: 403, headers: { 'Content-Type': 'text/plain; charset=utf-8' }, body };
  }

  #after(delayMs: number, response: ServerResponse, act: () => void): void {
    if (delayMs === 0) {
      act();
      return;
    }
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#attempt(response, act);
    }, delayMs);
    this.#timers.add(timer);
  }

  /** Responds to a request. An error that is thrown here has no other handler and would end the process. */
  #attempt(response: ServerResponse, act: () => void): void {
    try {
      act();
    } catch (error) {
      this.reportFailure(error);
      if (response.headersSent) response.destroy();
      else sendResponse(response, { status: 500, headers: {}, body: '' });
    }
  }
}
