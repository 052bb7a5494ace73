import type { SoapVersion } from '../types';

/** What a fault says. Codes are those of SOAP 1.1; SOAP 1.2's Sender and Receiver are written for Client and Server. */
export interface Fault {
  readonly code: string;
  readonly reason: string;
  /** URI of who found the fault. */
  readonly actor?: string | undefined;
  /** XML inside the detail element; empty when undefined. Null leaves the element out, as faults of headers do. */
  readonly detail?: string | null | undefined;
}

/** Why a request is not carried out: by a fault, or by a bare HTTP status with an empty body. */
export type RefusalAnswer =
  | { readonly version: SoapVersion; readonly fault: Fault; readonly upgrade?: true }
  | { readonly status: 400 | 415; readonly version?: SoapVersion };

/** The only thing that reading a request throws. */
export class Refusal extends Error {
  constructor(readonly answer: RefusalAnswer) {
    super('fault' in answer ? answer.fault.reason : `HTTP status ${answer.status}`);
    this.name = 'Refusal';
  }
}

export function faultRefusal(version: SoapVersion, code: string, reason: string, detail?: null): Refusal {
  return new Refusal({ version, fault: { code, reason, detail } });
}
