import { parseContentType } from '../soap/http/content-type';
import type { SoapVersion } from '../types';
import type { ArmedReplies } from './armed-replies';
import type { PreparedReply } from './prepare-reply';
import { emptyResult, type Service } from './service';
import { type HttpAnswer, soapAnswer } from './wire/http-answer';
import { type IncomingRequest, type OperationCall, readRequest } from './wire/read-request';
import { Rejection } from './wire/rejection';
import { versionOfMediaType } from './wire/route';
import { type SandboxFault, writeFault } from './wire/write-fault';
import { type WritableResponse, writeResponse } from './wire/write-response';

/** What happens to a request. */
export interface EndpointResult {
  /** Absent when the request could not be read. */
  readonly call?: Pick<OperationCall, 'operation' | 'version'>;
  /** Undefined drops the connection. */
  readonly answer: HttpAnswer | undefined;
  /** As in SandboxRequest. */
  readonly summary: string;
  readonly delayMs: number;
}

type EndpointAnswer = Pick<EndpointResult, 'answer' | 'summary'>;

/** The SOAP endpoint without HTTP: it reads a request, carries it out and gives the answer. */
export class Endpoint {
  readonly #namespace: string;
  readonly #strict: boolean;
  readonly #service: Service;
  readonly #replies: ArmedReplies;

  constructor(settings: { namespace: string; strict: boolean }, service: Service, replies: ArmedReplies) {
    this.#namespace = settings.namespace;
    this.#strict = settings.strict;
    this.#service = service;
    this.#replies = replies;
  }

  handle(request: IncomingRequest): EndpointResult {
    let call: OperationCall | undefined;
    try {
      call = readRequest(request, this.#namespace, this.#strict);
      const reply = this.#replies.take(call.operation);
      const result = reply === undefined ? this.#run(call) : this.#reply(call, reply);
      return { call, ...result, delayMs: reply?.delayMs ?? 0 };
    } catch (error) {
      return { ...(call && { call }), ...errorAnswer(error, call?.version ?? '1.1'), delayMs: 0 };
    }
  }

  #run(call: OperationCall): EndpointAnswer {
    return this.#respond(call, this.#service.run(call.operation, call.arguments));
  }

  #respond({ version, operation }: OperationCall, response: WritableResponse): EndpointAnswer {
    const body = writeResponse(version, this.#namespace, operation, response);
    return { answer: soapAnswer(200, version, body), summary: `status ${response.status}` };
  }

  #reply(call: OperationCall, reply: PreparedReply): EndpointAnswer {
    switch (reply.kind) {
      case 'service':
        return this.#run(call);
      case 'drop':
        if (reply.when === 'after') this.#run(call);
        return { answer: undefined, summary: 'dropped' };
      case 'fault':
        return faultAnswer(call.version, reply.fault);
      case 'http':
        return { answer: reply.answer, summary: `HTTP ${reply.answer.status}` };
      case 'response': {
        const { result = emptyResult(call.operation) } = reply.response;
        return this.#respond(call, { ...reply.response, result });
      }
    }
  }
}

/** The answer to a request that is longer than the sandbox reads. */
export function tooLongAnswer(contentType: string | undefined): EndpointAnswer {
  const reason = 'Server was unable to process request. ---> Maximum request length exceeded.';
  return faultAnswer(versionOfMediaType(parseContentType(contentType).mediaType) ?? '1.1', { code: 'Server', reason });
}

function errorAnswer(error: unknown, version: SoapVersion): EndpointAnswer {
  if (error instanceof Rejection) {
    const { answer, fault } = error;
    return { answer, summary: fault === undefined ? `HTTP ${answer.status}` : `fault ${fault.code}` };
  }
  // A defect of the sandbox: its user must see it, and the caller gets what a broken service answers.
  console.error(error);
  const message = error instanceof Error ? error.message : String(error);
  return faultAnswer(version, { code: 'Server', reason: `Server was unable to process request. ---> ${message}` });
}

function faultAnswer(version: SoapVersion, fault: SandboxFault): EndpointAnswer {
  return { answer: soapAnswer(500, version, writeFault(version, fault)), summary: `fault ${fault.code}` };
}
