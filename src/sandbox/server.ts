import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { type ContentType, parseContentType } from '../internal/content-type';
import { endpointPath } from '../soap/wsdl';
import { Certificate } from './certificate';
import { ControlInterface, isControlPath, MAX_CONTROL_BYTES } from './control/control-interface';
import { type HttpRequest, type HttpResponse, isOwnHost, sendResponse } from './http';
import type { ResolvedSandboxOptions } from './options';
import { decodeBody } from './soap/charset';
import { documentResponse } from './soap/documents';
import { type CallResult, respondToCall, tooLongResponse } from './soap/endpoint';
import type { SandboxState } from './store/state';

/** The HTTP server: connections, limits and bodies. It sends the response of the service or the control interface. */
export class HttpServer {
  readonly #control: ControlInterface;
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  /** The names under which the sandbox may be called, besides its address and localhost. */
  readonly #hosts: readonly string[];
  readonly #certificate: Certificate | undefined;
  #baseUrl = '';

  constructor(
    private readonly options: ResolvedSandboxOptions,
    private readonly state: SandboxState,
  ) {
    const { tls, host, allowHosts } = options;
    this.#hosts = [host, ...allowHosts];
    this.#certificate = tls && new Certificate(tls.cert);
    this.#control = new ControlInterface(state, this.#hosts, this.#certificate);
    // Node accepts a Uint8Array too, although its types name a Buffer.
    this.#server = tls === undefined ? createServer(limits) : createTlsServer({ ...limits, ...(tls as TlsOptions) });
    this.#server.on('request', (request, response) => this.#receive(request, response));
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  /** @returns the URL without the path of the endpoint */
  async listen(): Promise<string> {
    const { port, host } = this.options;
    this.#server.listen(port, host);
    await once(this.#server, 'listening');
    // Without a listener, a connection that fails for lack of file descriptors would end the process.
    this.#server.on('error', (error) => this.state.reportFailure(error));
    const place = `${formatHost(host)}:${(this.#server.address() as AddressInfo).port}`;
    // A client refuses a certificate that is not for the name that it calls.
    this.#baseUrl = this.#certificate?.validUrl(`https://${place}`) ?? `http://${place}`;
    return this.#baseUrl;
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      // Node's closeAllConnections does not close upgraded connections.
      for (const socket of this.#sockets) socket.destroy();
    });
  }

  /**
   * Reads the whole body before it responds. A caller that still writes when the connection closes would lose the
   * response.
   */
  #receive(request: IncomingMessage, response: ServerResponse): void {
    const { method = '', url = '', headers, socket } = request;
    const [, given = '', query = ''] = TARGET.exec(url) ?? [];
    // IIS serves the path of the service in any case. The contract has one spelling.
    const isEndpoint = !this.options.strict && given.toLowerCase() === endpointPath.toLowerCase();
    const path = isEndpoint ? endpointPath : given;
    const isControl = isControlPath(path);
    const maxBytes = isControl ? MAX_CONTROL_BYTES : this.options.maxRequestBytes;
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= maxBytes) chunks.push(chunk);
      else chunks.length = 0;
    });
    request.on('end', () => {
      const body = length > maxBytes ? undefined : Buffer.concat(chunks);
      const origin = this.#originFor(headers.host);
      const localAddress = socket.localAddress ?? '';
      const whole = { method, url, path, query, headers, body, origin, localAddress };
      this.#attempt(response, () => {
        if (isControl) this.#control.respond(whole, response);
        else this.#serve(whole, response);
      });
    });
    // The caller left before it sent its whole request.
    request.on('error', () => response.destroy());
  }

  /** Serves the endpoint and its documents, and logs the request. */
  #serve(request: HttpRequest, response: ServerResponse): void {
    const { method, url, headers, body } = request;
    const contentType = parseContentType(headers['content-type']);
    const text = body === undefined ? undefined : decodeBody(body, contentType);
    const result = this.#respond(request, contentType, text);
    const { response: given, summary, reason, delayMs = 0 } = result;
    const finish = this.state.requestLog.add({ method, url, headers, body: text ?? '' }, result);
    const send = (): void => {
      try {
        if (given === undefined) response.destroy();
        else sendResponse(response, given);
      } catch (error) {
        // Node refuses some headers of an armed reply only when it sends them.
        finish(FAILED, `HTTP ${FAILED.status}`, error instanceof Error ? error.message : String(error));
        throw error;
      }
      finish(given, summary, reason);
    };
    if (delayMs === 0) {
      send();
      return;
    }
    const leave = (): void => {
      clearTimeout(timer);
      finish(undefined, 'dropped');
    };
    const timer = setTimeout(() => {
      response.off('close', leave);
      this.#attempt(response, send);
    }, delayMs);
    response.on('close', leave);
  }

  #respond(request: HttpRequest, contentType: ContentType, text: string | undefined): CallResult {
    const { method, path, headers } = request;
    if (method === 'POST' && path === endpointPath) {
      const refusal = this.#refuseOrigin(request);
      if (refusal !== undefined) return { response: refusal, summary: `HTTP ${refusal.status}` };
      if (text === undefined) return tooLongResponse(contentType);
      return respondToCall(this.state, { contentType, soapAction: headers.soapaction as string | undefined, text });
    }
    const response = documentResponse(request, this.options.namespace);
    return { response, summary: `HTTP ${response.status}` };
  }

  /** SOAP clients send no Origin. A page of another site must not read messages with a key that everybody knows. */
  #refuseOrigin({ headers: { origin }, localAddress }: HttpRequest): HttpResponse | undefined {
    if (origin === undefined) return undefined;
    const host = URL.canParse(origin) ? new URL(origin).host : undefined;
    if (isOwnHost(host, localAddress, this.#hosts)) return undefined;
    const body = `the origin ${origin} is not allowed; start the sandbox with --allow-host to allow its host\n`;
    return { status: 403, headers: { 'Content-Type': 'text/plain; charset=utf-8' }, body };
  }

  /** Responds to a request. An error that is thrown here has no other handler and would end the process. */
  #attempt(response: ServerResponse, act: () => void): void {
    try {
      act();
    } catch (error) {
      this.state.reportFailure(error);
      if (response.headersSent) response.destroy();
      else sendResponse(response, FAILED);
    }
  }

  #originFor(host: string | undefined): string {
    return host !== undefined && /^[\w.-]+(:\d+)?$|^\[[\da-f:.]+\](:\d+)?$/i.test(host)
      ? this.#baseUrl.replace(/\/\/.*/, `//${host}`)
      : this.#baseUrl;
  }
}

/** The response to a request at which the sandbox itself has failed. */
const FAILED: HttpResponse = { status: 500, headers: {}, body: '' };

/** Path and query of a target, which is a whole URL when the caller uses the sandbox as a proxy. */
const TARGET = /^(?:https?:\/\/[^/?]*)?([^?]*)\??(.*)$/is;

/**
 * Times in milliseconds. A caller that never finishes its request is disconnected. An idle connection stays open for
 * longer than callers keep theirs, so that no caller sends on a connection that the sandbox is closing.
 */
const limits = {
  headersTimeout: 20_000,
  requestTimeout: 120_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 120_000,
} as const;

/** The host that callers use. A wildcard address cannot be connected to. */
function formatHost(host: string): string {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return name.includes(':') ? `[${name}]` : name;
}
