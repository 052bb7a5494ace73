import type { IExOptions } from 'soap';
import type { Call } from '../call';

/** node-soap's options of a call. node-soap hands them on to our WSDL and to our HTTP client as they are. */
interface CallExOptions extends IExOptions {
  /** The name of the exchange in node-soap's events. node-soap would make a random one, which costs time. */
  readonly exchangeId: string;
  readonly call: Call;
}

/** Puts a call into node-soap's options of a call. */
export function exOptionsOf(operation: string, call: Call): CallExOptions {
  return { exchangeId: operation, call };
}

/** Takes the call out of node-soap's options of a call. */
export function callOf(options: IExOptions | undefined): Call {
  return (options as CallExOptions).call;
}
