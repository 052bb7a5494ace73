import type { ContentType } from '../../internal/content-type';
import type { SoapVersion } from '../../types';
import type { HttpResponse } from '../http';
import type { PreparedReply } from '../replies/prepare-reply';
import type { SentRange } from '../store/request-log';
import type { SandboxState } from '../store/state';
import { soapResponse } from './envelope';
import { emptyResult, runOperation } from './operations';
import { type OperationCall, readRequest, type SoapRequest } from './read-request';
import { Rejection } from './rejection';
import { versionOfMediaType } from './route';
import { type SandboxFault, writeFault } from './write-fault';
import { type WritableResponse, writeResponse } from './write-response';

/** The response that a request is given. */
export interface GivenResponse {
  /** Undefined drops the connection. */
  readonly response: HttpResponse | undefined;
  /** As in SandboxRequest. */
  readonly summary: string;
}

/** The effect of a request to the service, and its response. */
export interface CallResult extends GivenResponse {
  /** Absent when the request could not be read. */
  readonly call?: Pick<OperationCall, 'operation' | 'version'>;
  /** Absent when the request sent nothing. */
  readonly sent?: SentRange | undefined;
  /** Default 0. */
  readonly delayMs?: number;
}

/** Responds to a call: reads the request, carries it out and writes the response. */
export function respondToCall(state: SandboxState, request: SoapRequest): CallResult {
  const { namespace, strict } = state.settings;
  const first = state.sent.nextId;
  let call: OperationCall | undefined;
  let delayMs = 0;
  let given: GivenResponse;
  try {
    call = readRequest(request, namespace, strict);
    const reply = state.replies.use(call.operation) ?? OWN_RESPONSE;
    const own = takesEffect(reply) ? runOperation(state, call.operation, call.arguments) : undefined;
    given = respond(namespace, call, reply, own);
    delayMs = reply.delayMs;
  } catch (error) {
    given = refuse(state, error, call?.version ?? '1.1');
  }
  return { ...(call && { call }), sent: { first, end: state.sent.nextId }, ...given, delayMs };
}

const OWN_RESPONSE: PreparedReply = { kind: 'service', delayMs: 0 };

/** True when the service carries out a request that gets this reply. */
function takesEffect(reply: PreparedReply): boolean {
  return reply.kind === 'service' || (reply.kind === 'drop' && reply.when === 'after');
}

/** @param own the response of the service, if the operation took effect */
function respond(namespace: string, call: OperationCall, reply: PreparedReply, own?: WritableResponse): GivenResponse {
  const { operation, version } = call;
  const write = (response: WritableResponse): GivenResponse => {
    const body = writeResponse(version, namespace, operation, response);
    return { response: soapResponse(200, version, body), summary: `status ${response.status}` };
  };
  switch (reply.kind) {
    case 'service':
      return write(own as WritableResponse);
    case 'drop':
      return { response: undefined, summary: 'dropped' };
    case 'fault':
      return faultResponse(version, reply.fault);
    case 'http':
      return { response: reply.response, summary: `HTTP ${reply.response.status}` };
    case 'response': {
      const { result = emptyResult(operation) } = reply;
      return write({ ...reply, result });
    }
  }
}

function refuse(state: SandboxState, error: unknown, version: SoapVersion): GivenResponse {
  if (error instanceof Rejection) {
    const { response, fault } = error;
    return { response, summary: fault === undefined ? `HTTP ${response.status}` : `fault ${fault.code}` };
  }
  // A defect of the sandbox, or a full disk. The caller gets the response of a broken service.
  const reason = `Server was unable to process request. ---> ${state.reportFailure(error)}`;
  return faultResponse(version, { code: 'Server', reason });
}

/** The response to a request that is longer than the sandbox reads. */
export function tooLongResponse({ mediaType }: ContentType): CallResult {
  const reason = 'Server was unable to process request. ---> Maximum request length exceeded.';
  return faultResponse(versionOfMediaType(mediaType) ?? '1.1', { code: 'Server', reason });
}

function faultResponse(version: SoapVersion, fault: SandboxFault): GivenResponse {
  return { response: soapResponse(500, version, writeFault(version, fault)), summary: `fault ${fault.code}` };
}
