import { versions } from '../soap/versions';
import type { OperationName, SoapVersion } from '../types';
import { parseContentType } from '../xml/content-type';
import type { ArmedReplies, ArmedReply } from './replies';
import { emptyResult, type Service } from './service';
import { type IncomingRequest, type OperationCall, readRequest } from './wire/read-request';
import { Rejection, type RejectionAnswer, type SandboxFault } from './wire/rejection';
import { writeFault, writeResponse } from './wire/write-answer';

/** An HTTP answer, ready to be sent. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** What becomes of a request: an answer or a dropped connection, after a delay in milliseconds. */
export interface EndpointResult {
  readonly operation?: OperationName;
  readonly answer: HttpAnswer | 'drop';
  readonly delayMs: number;
}

/** The SOAP endpoint, apart from HTTP: one request in, one outcome out. */
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
      return { ...operation, answer: answerError(error, call?.version ?? variantOf(request)), delayMs: 0 };
    }
  }

  #run(call: OperationCall): HttpAnswer {
    return this.#answer(call, this.#service.run(call.operation, call.arguments));
  }

  #answer({ version, operation }: OperationCall, answer: Parameters<typeof writeResponse>[3]): HttpAnswer {
    const body = writeResponse(version, this.#namespace, operation, answer);
    return { status: 200, headers: headersOf(version, true), body };
  }

  #answerArmed(call: OperationCall, reply: ArmedReply): HttpAnswer | 'drop' {
    switch (reply.kind) {
      case 'service':
        return this.#run(call);
      case 'drop':
        if (reply.when === 'after') this.#run(call);
        return 'drop';
      case 'fault':
        return answerFault(call.version, reply.fault);
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
export function answerTooLong(request: Pick<IncomingRequest, 'contentType'>): HttpAnswer {
  const reason = 'Server was unable to process request. ---> Maximum request length exceeded.';
  return answerFault(variantOf(request), { code: 'Server', reason });
}

function answerError(error: unknown, version: SoapVersion): HttpAnswer {
  if (error instanceof Rejection) return answerRefusal(error.answer);
  // A mistake of the sandbox: its user must see it, and the caller gets the answer of a service that broke.
  console.error(error);
  const what = error instanceof Error ? error.message : String(error);
  return answerFault(version, { code: 'Server', reason: `Server was unable to process request. ---> ${what}` });
}

function answerRefusal(answer: RejectionAnswer): HttpAnswer {
  if ('fault' in answer) {
    const body = writeFault(answer.version, answer.fault, answer.upgrade);
    return { status: 500, headers: headersOf(answer.version, false), body };
  }
  const headers = answer.version === undefined ? { 'Cache-Control': 'private' } : headersOf(answer.version, false);
  return { status: answer.status, headers, body: '' };
}

function answerFault(version: SoapVersion, fault: SandboxFault): HttpAnswer {
  return { status: 500, headers: headersOf(version, true), body: writeFault(version, fault) };
}

function headersOf(version: SoapVersion, carriedOut: boolean): Record<string, string> {
  return {
    'Cache-Control': carriedOut ? 'private, max-age=0' : 'private',
    'Content-Type': versions[version].contentType,
  };
}

function variantOf({ contentType }: Pick<IncomingRequest, 'contentType'>): SoapVersion {
  const { mediaType } = parseContentType(contentType);
  return mediaType === parseContentType(versions['1.2'].contentType).mediaType ? '1.2' : '1.1';
}
