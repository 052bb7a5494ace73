import type { SoapVersion } from '../../types';

/** What a fault says. Codes are those of SOAP 1.1; SOAP 1.2's Sender and Receiver are written for Client and Server. */
export interface SandboxFault {
  readonly code: string;
  readonly reason: string;
  /** URI of who found the fault. */
  readonly actor?: string | undefined;
  /** XML inside the detail element; empty when undefined. Null leaves the element out, as faults of headers do. */
  readonly detail?: string | null | undefined;
}

/** Why a request is not carried out: by a fault, or by a bare HTTP status with an empty body. */
export type RejectionAnswer =
  | { readonly version: SoapVersion; readonly fault: SandboxFault; readonly upgrade?: true }
  | { readonly status: 400 | 415; readonly version?: SoapVersion };

/** The only thing that reading a request throws. */
export class Rejection extends Error {
  constructor(readonly answer: RejectionAnswer) {
    super('fault' in answer ? answer.fault.reason : `HTTP status ${answer.status}`);
    this.name = 'Refusal';
  }
}

export function faultRejection(version: SoapVersion, code: string, reason: string, detail?: null): Rejection {
  return new Rejection({ version, fault: { code, reason, detail } });
}
