import type { ServerResponse } from 'node:http';
import { service } from '../../generated/operations';
import { parseContentType } from '../soap/http/content-type';
import { controlAnswer, isControlPath, MAX_CONTROL_BYTES, securityHeaders } from './control-server';
import type { Core } from './core';
import { Endpoint, type EndpointResult, tooLongAnswer } from './endpoint';
import { DEFAULT_API_KEY } from './options';
import { type RequestHandler, type ServerRequest, sendAnswer } from './server';
import { decodeBody } from './wire/charset';
import { documentAnswer } from './wire/documents';

/** All that the sandbox serves: the SOAP endpoint, its documents, the page and the control interface. */
export class Site implements RequestHandler {
  readonly #core: Core;
  readonly #endpoint: Endpoint;
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(core: Core) {
    this.#core = core;
    this.#endpoint = new Endpoint(core.settings, core.service, core.replies);
  }

  maxBytes(path: string): number {
    return isControlPath(path) ? MAX_CONTROL_BYTES : this.#core.settings.maxRequestBytes;
  }

  handle(request: ServerRequest, response: ServerResponse): void {
    this.#attempt(response, () => this.#handle(request, response));
  }

  /** Forgets the answers that are still delayed. */
  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #handle(request: ServerRequest, response: ServerResponse): void {
    if (isControlPath(request.path)) {
      const answer = controlAnswer(this.#core, request);
      if (answer === 'events') this.#core.events.attach(response, securityHeaders);
      else sendAnswer(response, answer);
      return;
    }
    const { outbox } = this.#core.state;
    const first = outbox.ring.count;
    const { call, answer, summary, delayMs } = this.#answer(request);
    const { method, url, headers, body } = request;
    const text = body === undefined ? '' : decodeBody(body, parseContentType(headers['content-type']));
    const logged = call
      ? { operation: call.operation, soapVersion: call.version, method, url, headers, body: text }
      : { method, url, headers, body: text };
    const entry = this.#core.requestLog.add(logged, [first, outbox.ring.count]);
    this.#after(delayMs, response, () => {
      if (answer === undefined) response.destroy();
      else sendAnswer(response, answer);
      this.#core.requestLog.finish(entry, answer, summary);
    });
  }

  /** Does what answers a request. Nobody else would catch what it throws, which would end the process. */
  #attempt(response: ServerResponse, act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#core.reportFailure(error);
      if (response.headersSent) response.destroy();
      else sendAnswer(response, { status: 500, headers: {}, body: '' });
    }
  }

  #answer({ method, path, query, headers, body, origin }: ServerRequest): EndpointResult {
    const contentType = headers['content-type'];
    if (method === 'POST' && path === service.path) {
      if (body === undefined) return { ...tooLongAnswer(contentType), delayMs: 0 };
      return this.#endpoint.handle({ contentType, soapAction: headers.soapaction as string | undefined, body });
    }
    const { namespace, apiKeys } = this.#core.settings;
    // The page must not show a key that someone chose.
    const apiKey = apiKeys.includes(DEFAULT_API_KEY) ? DEFAULT_API_KEY : 'YOUR-API-KEY';
    const answer = documentAnswer(method, path, query, { namespace, address: `${origin}${service.path}`, apiKey });
    return { answer, summary: `HTTP ${answer.status}`, delayMs: 0 };
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
}
