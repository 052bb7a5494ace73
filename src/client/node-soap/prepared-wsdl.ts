import type { IExOptions } from 'soap';
import type { WSDL } from 'soap/lib/wsdl';
import { operations, service } from '../../../generated/operations';
import { XSD_NAMESPACE } from '../../xml/namespaces';
import { writeRequest } from '../request/write-request';
import { callOf } from './call-options';

/** The name under which node-soap finds the response of every operation. */
const RESPONSE = 'response';

/**
 * The WSDL of the generated client. It is made from the operation table: parsing the WSDL would cost each client 13 ms,
 * and node-soap's own reading and writing loses digits and text. node-soap's Client uses these five members of a WSDL
 * and no other:
 *
 * - `definitions`, from which its constructor makes the methods, and which gives each call its names
 * - `options`, in which it keeps the options that it was created with
 * - `xmlnsInEnvelope`, a text that it puts into the envelope's tag
 * - `objectToDocumentXML`, which writes the Body of a request
 * - `xmlToObject`, which reads a response
 */
export class PreparedWsdl implements Pick<WSDL, 'options' | 'xmlnsInEnvelope' | 'objectToDocumentXML' | 'xmlToObject'> {
  readonly definitions: object;
  readonly options: WSDL['options'] = {};
  /** node-soap itself declares xsi. */
  readonly xmlnsInEnvelope = `xmlns:xsd="${XSD_NAMESPACE}"`;

  constructor(namespace: string, address: string) {
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
    this.definitions = { $targetNamespace: namespace, xmlns: {}, services: { [service.name]: { ports } } };
  }

  objectToDocumentXML(
    _name: string,
    request: Readonly<Record<string, unknown>>,
    _prefix: string,
    _namespace?: string,
    _type?: string,
    options?: IExOptions,
  ): string {
    return writeRequest(callOf(options).plan, request);
  }

  /** Returns a response that the HTTP client has read. node-soap only looks for its element in the Body. */
  xmlToObject(response: unknown): object {
    return { Body: { [RESPONSE]: response } };
  }
}
