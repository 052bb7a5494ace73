/** Carries a failure through node-soap, which takes a falsy one, such as an abort's reason may be, for success. */
export class CallFailure {
  constructor(readonly reason: unknown) {}
}
