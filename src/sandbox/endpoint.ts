import type { OperationName, SoapVersion } from '../types';
import { parseContentType } from '../xml/content-type';
import type { ArmedReplies, ArmedReply } from './replies';
import { emptyResult, type Service } from './service';
import { type HttpAnswer, soapAnswer } from './wire/http-answer';
import { type IncomingRequest, type OperationCall, readRequest } from './wire/read-request';
import { Rejection } from './wire/rejection';
import { versionOfMediaType } from './wire/route';
import { type SandboxFault, writeFault } from './wire/write-fault';
import { type WritableResponse, writeResponse } from './wire/write-response';

/** What happens to a request: an answer or a dropped connection, after a delay in milliseconds. */
export interface EndpointResult {
  readonly operation?: OperationName;
  readonly answer: HttpAnswer | 'drop';
  readonly delayMs: number;
}

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
      const answer = reply === undefined ? this.#run(call) : this.#answerArmed(call, reply);
      return { operation: call.operation, answer, delayMs: reply?.delayMs ?? 0 };
    } catch (error) {
      const operation = call === undefined ? {} : { operation: call.operation };
      return { ...operation, answer: answerError(error, call?.version ?? '1.1'), delayMs: 0 };
    }
  }

  #run(call: OperationCall): HttpAnswer {
    return this.#answer(call, this.#service.run(call.operation, call.arguments));
  }

  #answer({ version, operation }: OperationCall, response: WritableResponse): HttpAnswer {
    return soapAnswer(200, version, writeResponse(version, this.#namespace, operation, response));
  }

  #answerArmed(call: OperationCall, reply: ArmedReply): HttpAnswer | 'drop' {
    switch (reply.kind) {
      case 'service':
        return this.#run(call);
      case 'drop':
        if (reply.when === 'after') this.#run(call);
        return 'drop';
      case 'fault':
        return faultAnswer(call.version, reply.fault);
      case 'http':
        return reply;
      case 'answer':
        return this.#answer(call, {
          ...reply,
          result: reply.result === undefined ? emptyResult(call.operation) : reply.result,
        });
    }
  }
}

/** The answer to a request that is longer than the sandbox reads. */
export function tooLongAnswer(contentType: string | undefined): HttpAnswer {
  const reason = 'Server was unable to process request. ---> Maximum request length exceeded.';
  return faultAnswer(versionOfMediaType(parseContentType(contentType).mediaType) ?? '1.1', { code: 'Server', reason });
}

function answerError(error: unknown, version: SoapVersion): HttpAnswer {
  if (error instanceof Rejection) return error.answer;
  // A defect of the sandbox: its user must see it, and the caller gets what a broken service answers.
  console.error(error);
  const message = error instanceof Error ? error.message : String(error);
  return faultAnswer(version, { code: 'Server', reason: `Server was unable to process request. ---> ${message}` });
}

function faultAnswer(version: SoapVersion, fault: SandboxFault): HttpAnswer {
  return soapAnswer(500, version, writeFault(version, fault));
}
