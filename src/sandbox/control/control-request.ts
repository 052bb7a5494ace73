import type { ServerResponse } from 'node:http';
import type { HttpResponse } from '../http';
import type { SandboxState } from '../store/state';

/** A request to the control interface, after the checks that all routes share. */
export interface ControlRequest {
  /** Without the question mark. */
  readonly query: string;
  /** The parts of the path at the places of ID, LINE and NUMBER. */
  readonly ids: readonly string[];
  /** The parsed body of a POST or PUT. */
  readonly json: unknown;
  /** The origin that the caller used. */
  readonly origin: string;
  /** The response, for a handler that responds later. */
  readonly response: ServerResponse;
}

/** Handles a request. Undefined is a response without content. @throws {WrongValue} when the request is wrong */
export type ControlHandler = (
  state: SandboxState,
  request: ControlRequest,
) => HttpResponse | Promise<HttpResponse> | 'events' | undefined;
