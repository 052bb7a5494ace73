import type { WSDL } from 'soap/lib/wsdl';
import { operations, service } from '../../../generated/operations';
import { XSD_NAMESPACE } from '../../xml/namespaces';
import type { Call } from '../call';
import { writeRequest } from '../request/write-request';

/** The name under which node-soap finds the response of every operation. */
const RESPONSE = 'response';

/**
 * Makes the members of a WSDL that node-soap's Client uses, from the operation table instead of by parsing. Parsing the
 * WSDL would cost each client 13 ms, and node-soap's own reading and writing loses digits and text.
 */
export function generatedWsdl(namespace: string, address: string): WSDL {
  const methods = Object.keys(operations).map((name) => [
    name,
    {
      $name: name,
      soapAction: namespace + name,
      style: 'document',
      input: { $name: name },
      output: { $name: RESPONSE },
    },
  ]);
  // The two ports differ only in the Client's options.
  const port = { location: address, binding: { methods: Object.fromEntries(methods) } };
  const ports = Object.fromEntries(Object.values(service.ports).map((name) => [name, port]));
  const definitions = { $targetNamespace: namespace, xmlns: {}, services: { [service.name]: { ports } } };
  const wsdl: { readonly [K in keyof WSDL]?: unknown } = {
    definitions,
    // The Client puts its own options in here.
    options: {},
    // Text that node-soap puts into the envelope's tag. node-soap declares xsi itself.
    xmlnsInEnvelope: `xmlns:xsd="${XSD_NAMESPACE}"`,
    // node-soap passes on the options that the stub's method was called with: our call.
    objectToDocumentXML: (
      _name: string,
      request: object,
      _prefix: string,
      _namespace: string,
      _type: string,
      call: Call,
    ) => writeRequest(call.plan, request as Readonly<Record<string, unknown>>),
    // The response is already read; node-soap only looks for its element in the Body.
    xmlToObject: (response: unknown) => ({ Body: { [RESPONSE]: response } }),
  };
  return wsdl as WSDL;
}
