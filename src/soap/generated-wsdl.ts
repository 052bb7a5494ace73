import type { WSDL } from 'soap/lib/wsdl';
import { operations, service } from '../../generated/operations';
import { XSD_NAMESPACE } from '../xml/namespaces';
import type { Call } from './exchange';
import { writeOperation } from './write';

/**
 * What node-soap's Client uses of its WSDL, made from the operation table instead of by parsing: the Client finds its ports
 * and operations here, and has bodies written and answers read by our codec. Parsing the WSDL would cost each client 13 ms,
 * and node-soap's own reading and writing loses digits and text.
 */
export class GeneratedWsdl
  implements Pick<WSDL, 'definitions' | 'options' | 'xmlnsInEnvelope' | 'objectToDocumentXML' | 'xmlToObject'>
{
  readonly definitions: WSDL['definitions'];
  /** The Client puts its own in here. */
  readonly options: WSDL['options'] = {};
  /** Text that node-soap puts into the envelope's tag; it declares xsi itself. */
  readonly xmlnsInEnvelope = `xmlns:xsd="${XSD_NAMESPACE}"`;

  constructor(namespace: string, address: string) {
    this.definitions = definitionsOf(namespace, address) as unknown as WSDL['definitions'];
  }

  /** The part of node-soap's class that its Client uses. */
  static asNodeSoap(wsdl: GeneratedWsdl): WSDL {
    return wsdl as unknown as WSDL;
  }

  objectToDocumentXML(
    _name: string,
    params: Readonly<Record<string, unknown>>,
    _prefix: string,
    _namespace?: string,
    _type?: string,
    call?: Call,
  ): string {
    const { context, request } = (call as Call).plan;
    return writeOperation(context, request, params);
  }

  /** The answer was read while it arrived (exchange.ts): node-soap hands on what our HTTP client gave it as the body. */
  xmlToObject(envelope: unknown): unknown {
    return envelope;
  }
}

/** Where node-soap's Client finds the answer in a body. One name for all operations, since a name made for each call is slow. */
export const ANSWER = 'answer';

/** What node-soap's Client looks at. Both ports are there, as in the WSDL; they differ only in what the client is told. */
function definitionsOf(namespace: string, address: string): object {
  const methods = Object.fromEntries(
    Object.keys(operations).map((name) => [
      name,
      {
        $name: name,
        soapAction: namespace + name,
        style: 'document',
        input: { $name: name },
        output: { $name: ANSWER },
      },
    ]),
  );
  const port = { location: address, binding: { methods } };
  const ports = Object.fromEntries(Object.values(service.ports).map((name) => [name, port]));
  return { $targetNamespace: namespace, xmlns: {}, services: { [service.name]: { ports } } };
}
