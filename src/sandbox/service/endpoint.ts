import type { ContentType } from '../../internal/content-type';
import type { SoapVersion } from '../../types';
import { type HttpResponse, soapResponse } from '../wire/http-response';
import { type OperationCall, readRequest, type SoapRequest } from '../wire/read-request';
import { Rejection } from '../wire/rejection';
import { versionOfMediaType } from '../wire/route';
import { type SandboxFault, writeFault } from '../wire/write-fault';
import { type WritableResponse, writeResponse } from '../wire/write-response';
import type { ArmedReplies } from './armed-replies';
import type { PreparedReply } from './prepare-reply';
import { emptyResult, type SentRange, type Service } from './service';

/** The response that a request is given. */
export interface GivenResponse {
  /** Undefined drops the connection. */
  readonly response: HttpResponse | undefined;
  /** As in SandboxRequest. */
  readonly summary: string;
}

/** The effect of a request to the endpoint, and its response. */
export interface EndpointResult extends GivenResponse {
  /** Absent when the request could not be read. */
  readonly call?: Pick<OperationCall, 'operation' | 'version'>;
  /** Absent when the request did not take effect. */
  readonly sent?: SentRange | undefined;
  readonly delayMs: number;
}

/** The SOAP endpoint without HTTP: it reads a request, carries it out and writes the response. */
export class Endpoint {
  readonly #namespace: string;
  readonly #strict: boolean;
  readonly #service: Service;
  readonly #replies: ArmedReplies;
  readonly #reportFailure: (error: unknown) => string;

  /** @param reportFailure shows a failure to the user of the sandbox and returns its message */
  constructor(
    settings: { readonly namespace: string; readonly strict: boolean },
    service: Service,
    replies: ArmedReplies,
    reportFailure: (error: unknown) => string,
  ) {
    this.#namespace = settings.namespace;
    this.#strict = settings.strict;
    this.#service = service;
    this.#replies = replies;
    this.#reportFailure = reportFailure;
  }

  handle(request: SoapRequest): EndpointResult {
    let call: OperationCall | undefined;
    let sent: SentRange | undefined;
    try {
      call = readRequest(request, this.#namespace, this.#strict);
      const reply = this.#replies.use(call.operation) ?? OWN_RESPONSE;
      let own: WritableResponse | undefined;
      if (takesEffect(reply)) ({ response: own, sent } = this.#service.run(call.operation, call.arguments));
      return { call, sent, ...this.#respond(call, reply, own), delayMs: reply.delayMs };
    } catch (error) {
      return { ...(call && { call }), sent, ...this.#refuse(error, call?.version ?? '1.1'), delayMs: 0 };
    }
  }

  #respond(call: OperationCall, reply: PreparedReply, own: WritableResponse | undefined): GivenResponse {
    switch (reply.kind) {
      case 'service':
        return this.#write(call, own as WritableResponse);
      case 'drop':
        return { response: undefined, summary: 'dropped' };
      case 'fault':
        return faultResponse(call.version, reply.fault);
      case 'http':
        return { response: reply.response, summary: `HTTP ${reply.response.status}` };
      case 'response': {
        const { result = emptyResult(call.operation) } = reply.response;
        return this.#write(call, { ...reply.response, result });
      }
    }
  }

  #write({ version, operation }: OperationCall, response: WritableResponse): GivenResponse {
    const body = writeResponse(version, this.#namespace, operation, response);
    return { response: soapResponse(200, version, body), summary: `status ${response.status}` };
  }

  #refuse(error: unknown, version: SoapVersion): GivenResponse {
    if (error instanceof Rejection) {
      const { response, fault } = error;
      return { response, summary: fault === undefined ? `HTTP ${response.status}` : `fault ${fault.code}` };
    }
    // A defect of the sandbox, or a full disk. The caller gets the response of a broken service.
    const reason = `Server was unable to process request. ---> ${this.#reportFailure(error)}`;
    return faultResponse(version, { code: 'Server', reason });
  }
}

const OWN_RESPONSE: PreparedReply = { kind: 'service', delayMs: 0 };

/** True when the service carries out a request that gets this reply. */
function takesEffect(reply: PreparedReply): boolean {
  return reply.kind === 'service' || (reply.kind === 'drop' && reply.when === 'after');
}

/** The response to a request that is longer than the sandbox reads. */
export function tooLongResponse({ mediaType }: ContentType): GivenResponse {
  const reason = 'Server was unable to process request. ---> Maximum request length exceeded.';
  return faultResponse(versionOfMediaType(mediaType) ?? '1.1', { code: 'Server', reason });
}

function faultResponse(version: SoapVersion, fault: SandboxFault): GivenResponse {
  return { response: soapResponse(500, version, writeFault(version, fault)), summary: `fault ${fault.code}` };
}
