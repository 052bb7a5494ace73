import type { WSDL } from 'soap/lib/wsdl';
import { XSD_NAMESPACE } from '../../xml/namespaces';
import type { OperationPlan } from '../call/plan';
import { operations, service } from '../elements/legacy-fields';
import { writeOperation } from '../request/write';
import { responseNameOf } from '../response/schema';

/**
 * What node-soap's Client uses of its WSDL, made from the operation table instead of by parsing. The Client finds its ports
 * and operations here, and has request bodies written by our codec. Parsing the WSDL would cost each client 13 ms, and
 * node-soap's own reading and writing loses digits and text.
 */
export class GeneratedWsdl
  implements Pick<WSDL, 'definitions' | 'options' | 'xmlnsInEnvelope' | 'objectToDocumentXML' | 'xmlToObject'>
{
  readonly definitions: WSDL['definitions'];
  /** The Client puts its own options in here. */
  readonly options: WSDL['options'] = {};
  /** Text that node-soap puts into the envelope's tag. node-soap declares xsi itself. */
  readonly xmlnsInEnvelope = `xmlns:xsd="${XSD_NAMESPACE}"`;
  readonly #planOf: (operation: string) => OperationPlan;

  constructor(namespace: string, address: string, planOf: (operation: string) => OperationPlan) {
    this.definitions = definitionsOf(namespace, address) as WSDL['definitions'];
    this.#planOf = planOf;
  }

  /** The part of node-soap's class that its Client uses. */
  static asNodeSoap(wsdl: GeneratedWsdl): WSDL {
    return wsdl as unknown as WSDL;
  }

  objectToDocumentXML(operation: string, params: Readonly<Record<string, unknown>>): string {
    const { context, request } = this.#planOf(operation);
    return writeOperation(context, request, params);
  }

  /** The answer was read while it arrived (exchange.ts): node-soap hands on what our HTTP client gave it as the body. */
  xmlToObject(envelope: unknown): unknown {
    return envelope;
  }
}

/** What node-soap's Client looks at. Both ports are there, as in the WSDL; they differ only in the Client's options. */
function definitionsOf(namespace: string, address: string): object {
  const methods = Object.fromEntries(
    Object.keys(operations).map((name) => [
      name,
      {
        $name: name,
        soapAction: namespace + name,
        style: 'document',
        input: { $name: name },
        output: { $name: responseNameOf(name) },
      },
    ]),
  );
  const port = { location: address, binding: { methods } };
  const ports = Object.fromEntries(Object.values(service.ports).map((name) => [name, port]));
  return { $targetNamespace: namespace, xmlns: {}, services: { [service.name]: { ports } } };
}
