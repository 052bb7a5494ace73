import { WSDL } from 'soap/lib/wsdl';
import { type OperationName, operations, service } from '../../generated/operations';
import type { Call } from './exchange';
import { XSD_NAMESPACE } from './versions';
import { writeOperation } from './write';
import { escapeAttribute } from './xml';

/**
 * node-soap's WSDL, made from the operation table instead of by parsing: its `Client` finds its ports and operations here,
 * and has bodies written and answers read by our codec. Parsing the WSDL would cost each client 13 ms, and node-soap's own
 * reading and writing loses digits and text.
 */
export class TableWsdl extends WSDL {
  /** The namespace as an attribute's value. */
  readonly #xmlns: string;

  constructor(namespace: string, address: string) {
    super({}, '', {});
    this.#xmlns = escapeAttribute(namespace);
    this.definitions = definitionsOf(namespace, address) as unknown as WSDL['definitions'];
    // Text that node-soap puts into the envelope's tag; it declares xsi itself.
    this.xmlnsInEnvelope = `xmlns:xsd="${XSD_NAMESPACE}"`;
  }

  /** The constructor schedules this for what a parsed WSDL includes; here everything is in place. */
  override processIncludes(): void {}

  override objectToDocumentXML(
    name: string,
    params: Readonly<Record<string, unknown>>,
    _prefix: string,
    _namespace?: string,
    _type?: string,
    call?: Call,
  ): string {
    return writeOperation((call as Call).context, name as OperationName, this.#xmlns, params);
  }

  /** The answer was read while it arrived (exchange.ts): node-soap hands on what our HTTP client gave it as the body. */
  override xmlToObject(envelope: unknown): unknown {
    return envelope;
  }
}

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
        output: { $name: `${name}Response` },
      },
    ]),
  );
  const port = { location: address, binding: { methods } };
  const ports = Object.fromEntries(Object.values(service.ports).map((name) => [name, port]));
  return { $targetNamespace: namespace, xmlns: {}, services: { [service.name]: { ports } } };
}
