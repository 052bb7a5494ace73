import type { SoapVersion } from '../../types';
import { type HttpAnswer, soapAnswer } from './http-answer';
import { type SandboxFault, writeFault } from './write-fault';

/** A request that cannot be carried out, with its answer. The only error that reading a request throws. */
export class Rejection extends Error {
  constructor(
    readonly answer: HttpAnswer,
    readonly fault?: SandboxFault,
  ) {
    super(fault?.reason ?? `HTTP status ${answer.status}`);
    this.name = 'Rejection';
  }
}

/** @param upgrade lists the supported SOAP versions in a header */
export function faultRejection(version: SoapVersion, fault: SandboxFault, upgrade = false): Rejection {
  return new Rejection(soapAnswer(500, version, writeFault(version, fault, upgrade), 'private'), fault);
}
