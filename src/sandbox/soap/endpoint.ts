import type { ContentType } from '../../internal/content-type';
import type { SoapVersion } from '../../types';
import type { ArmedReply, Reply } from '../replies/replies';
import type { SandboxState } from '../store/state';
import { FaultRejection, faultResponse } from './fault';
import { emptyResult, runOperation, STATUS_OK } from './operations';
import { type OperationCall, readRequest } from './read-request';
import { type SoapRequest, versionOfMediaType } from './request';
import { type GivenResponse, soapResponse } from './response';
import { writeResponse } from './write-response';

/** The effect of a request to the service, and its response. */
export interface CallResult extends GivenResponse {
  /** Absent when the request could not be read. */
  readonly call?: OperationCall | undefined;
  /** The id of the call that sent messages. Absent when the request sent none. */
  readonly sent?: bigint | undefined;
  /** The id of the armed reply that was given. Absent for the service's own response. */
  readonly reply?: string | undefined;
  /** Default 0. */
  readonly delayMs?: number | undefined;
}

/** Responds to a call: reads the request, carries it out and writes the response. */
export function respondToCall(state: SandboxState, request: SoapRequest): CallResult {
  const { namespace, strict } = state.options;
  const next = state.sent.nextId;
  let call: OperationCall | undefined;
  let armed: ArmedReply | undefined;
  let given: GivenResponse;
  try {
    call = readRequest(request, namespace, strict);
    armed = state.replies.use(call.operation, call.arguments);
    given = respond(state, call, armed?.reply ?? {});
  } catch (error) {
    // Another error is a response that cannot be written, a defect of the sandbox or a full disk.
    given = error instanceof FaultRejection ? error.given : failure(call?.version ?? '1.1', state.reportFailure(error));
  }
  const sent = state.sent.nextId === next ? undefined : next;
  const { response, summary, reason } = given;
  // Without a spread, which costs several microseconds when properties follow it.
  return { response, summary, reason, call, sent, reply: armed?.id, delayMs: armed?.reply.delayMs };
}

/** @param reply the armed reply, or an empty object for the service's own response */
function respond(state: SandboxState, call: OperationCall, reply: Partial<Reply>): GivenResponse {
  const { operation, version } = call;
  // The defaults beside a result are those of success.
  const { fault, http, drop, result, status, statusmessage = result === undefined ? '' : 'ok' } = reply;
  if (fault !== undefined) return faultResponse(version, fault);
  if (http !== undefined) {
    const { headers = {}, body = '' } = http;
    return { response: { status: http.status, headers, body }, summary: `HTTP ${http.status}` };
  }
  if (drop === 'before') return DROPPED;
  const written =
    result === undefined && status === undefined
      ? runOperation(state, operation, call.arguments)
      : { result: result === undefined ? emptyResult(operation) : result, status: status ?? STATUS_OK, statusmessage };
  if (drop === 'after') return DROPPED;
  const body = writeResponse(version, state.options.namespace, operation, written);
  const reason = written.status === STATUS_OK ? undefined : (written.statusmessage ?? undefined);
  return { response: soapResponse(200, version, body), summary: `status ${written.status}`, reason };
}

const DROPPED: GivenResponse = { response: undefined, summary: 'dropped' };

/** The response of a broken service. */
function failure(version: SoapVersion, why: string): GivenResponse {
  return faultResponse(version, { code: 'Server', reason: `Server was unable to process request. ---> ${why}` });
}

/** The response to a request that is longer than the sandbox reads. */
export function tooLongResponse({ mediaType }: ContentType): CallResult {
  return failure(versionOfMediaType(mediaType) ?? '1.1', 'Maximum request length exceeded.');
}
