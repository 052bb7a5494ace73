import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const root = resolve(__dirname, '../..');
export const wsdlPath = join(root, 'wsdl/messaging.v1.wsdl');
export const wsdl = readFileSync(wsdlPath, 'utf8');

/** The WSDL with one place changed, which must be there. */
export function change(from: string, to: string, text = wsdl): string {
  if (!text.includes(from)) throw new Error(`the WSDL does not hold ${from}`);
  return text.replace(from, () => to);
}

/** An xsd:element of the WSDL, with its documentation. */
export function documented(name: string, type: string, attributes = ''): string {
  const [found] =
    new RegExp(`${element(name, type, attributes).slice(0, -2)}>[\\s\\S]*?</xsd:element>`).exec(wsdl) ?? [];
  if (!found) throw new Error(`the WSDL has no element ${name}`);
  return found;
}

/** An xsd:element. */
export function element(name: string, type: string, attributes = ''): string {
  return `<xsd:element name="${name}" type="${type}"${attributes && ` ${attributes}`}/>`;
}

export const credential = element('apikey', 'xsd:string', 'minOccurs="0"');

/**
 * The WSDL with one operation more, in both bindings.
 *
 * @param request elements of the request before status
 * @param result type of the result
 * @param types what the schema gets besides
 */
export function addOperation(name: string, request: string, result: string, types = '', text = wsdl): string {
  const status = element('status', 'xsd:int') + element('statusmessage', 'xsd:string', 'minOccurs="0"');
  const message = (local: string, content: string) =>
    `<xsd:element name="${local}"><xsd:complexType><xsd:sequence>${content}${status}</xsd:sequence></xsd:complexType></xsd:element>\n`;
  const part = (local: string, content: string) =>
    `<wsdl:message name="${local}"><wsdl:part name="parameters" element="tns:${content}"/></wsdl:message>\n`;
  const bound = (prefix: string) =>
    `<wsdl:operation name="${name}"><${prefix}:operation soapAction="http://messaging.example/${name}" style="document"/>` +
    `<wsdl:input><${prefix}:body use="literal"/></wsdl:input><wsdl:output><${prefix}:body use="literal"/></wsdl:output></wsdl:operation>\n`;
  const elements = message(name, request) + message(`${name}Response`, result);
  let changed = change('</xsd:schema>', `${types}${elements}</xsd:schema>`, text);
  changed = change(
    '<wsdl:portType name="v1Soap">',
    `${part(`${name}In`, name)}${part(`${name}Out`, `${name}Response`)}<wsdl:portType name="v1Soap">` +
      `<wsdl:operation name="${name}"><wsdl:input message="tns:${name}In"/><wsdl:output message="tns:${name}Out"/></wsdl:operation>\n`,
    changed,
  );
  for (const prefix of ['soap', 'soap12']) {
    const start = `<${prefix}:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>`;
    changed = change(start, start + bound(prefix), changed);
  }
  return changed;
}
