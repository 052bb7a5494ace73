import type { WSDL } from 'soap/lib/wsdl';
import { operations, service } from '../../../generated/operations';
import { XSD_NAMESPACE } from '../../xml/namespaces';
import type { Call } from '../call';
import { writeRequest } from '../request/write-request';

/** The name under which node-soap finds the response of every operation. */
const RESPONSE = 'response';

/**
 * The members of a WSDL that node-soap's Client uses, made from the operation table instead of by parsing. The Client
 * finds its ports and operations here, and has request bodies written by our codec. Parsing the WSDL would cost each
 * client 13 ms, and node-soap's own reading and writing loses digits and text.
 */
export class GeneratedWsdl
  implements Pick<WSDL, 'definitions' | 'options' | 'xmlnsInEnvelope' | 'objectToDocumentXML' | 'xmlToObject'>
{
  readonly definitions: WSDL['definitions'];
  /** The Client puts its own options in here. */
  readonly options: WSDL['options'] = {};
  /** Text that node-soap puts into the envelope's tag. node-soap declares xsi itself. */
  readonly xmlnsInEnvelope = `xmlns:xsd="${XSD_NAMESPACE}"`;

  constructor(namespace: string, address: string) {
    this.definitions = definitionsOf(namespace, address) as WSDL['definitions'];
  }

  /** Writes the body of a request. node-soap passes on the options that the stub's method was called with: our call. */
  objectToDocumentXML(
    _operation: string,
    request: Readonly<Record<string, unknown>>,
    _prefix: string,
    _namespace: string | undefined,
    _type: string | undefined,
    { plan }: Call,
  ): string {
    return writeRequest(plan, request);
  }

  /** The response is already read; node-soap only looks for its element in the Body. */
  xmlToObject(response: unknown): unknown {
    return { Body: { [RESPONSE]: response } };
  }
}

/** Writes the definitions that node-soap's Client looks at. The two ports differ only in the Client's options. */
function definitionsOf(namespace: string, address: string): object {
  const methods = Object.fromEntries(
    Object.keys(operations).map((name) => [
      name,
      {
        $name: name,
        soapAction: namespace + name,
        style: 'document',
        input: { $name: name },
        output: { $name: RESPONSE },
      },
    ]),
  );
  const port = { location: address, binding: { methods } };
  const ports = Object.fromEntries(Object.values(service.ports).map((name) => [name, port]));
  return { $targetNamespace: namespace, xmlns: {}, services: { [service.name]: { ports } } };
}
