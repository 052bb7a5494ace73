import { soapVersions } from '../../soap/versions';
import type { SoapVersion } from '../../types';
import type { FaultReply } from '../replies/replies';
import { envelopes, escapeResponse } from './envelope';

/** The content of a fault. A detail of null leaves the element out, as the fault of a header requires. */
export type SandboxFault = Omit<FaultReply['fault'], 'detail'> & { readonly detail?: string | null };

/** Writes a fault in the form of a SOAP version. `upgrade` adds a header with the supported versions. */
export function writeFault(version: SoapVersion, fault: SandboxFault, upgrade = false): string {
  const { start, open, close } = envelopes[version];
  const { prefix } = soapVersions[version];
  const code = escapeResponse(version === '1.2' ? (newCodes.get(fault.code) ?? fault.code) : oldCode(fault.code));
  const reason = escapeResponse(fault.reason);
  const content =
    version === '1.1'
      ? `<faultcode>${prefix}:${code}</faultcode><faultstring>${reason}</faultstring>` +
        element('faultactor', fault.actor) +
        detailElement('detail', fault.detail)
      : `<${prefix}:Code><${prefix}:Value>${prefix}:${code}</${prefix}:Value></${prefix}:Code>` +
        `<${prefix}:Reason><${prefix}:Text xml:lang="en">${reason}</${prefix}:Text></${prefix}:Reason>` +
        element(`${prefix}:Node`, fault.actor) +
        // ASMX writes a detail that the service gave unqualified in SOAP 1.2 too.
        detailElement(fault.detail ? 'detail' : `${prefix}:Detail`, fault.detail);
  const head = upgrade ? open.replace(start, `${start}${upgradeHeader}`) : open;
  return `${head}<${prefix}:Fault>${content}</${prefix}:Fault>${close}`;
}

const upgradeHeader =
  `<soap:Header><soap12:Upgrade xmlns:soap12="${soapVersions['1.2'].namespace}">` +
  '<soap12:SupportedEnvelope qname="soap:Envelope" /><soap12:SupportedEnvelope qname="soap12:Envelope" />' +
  '</soap12:Upgrade></soap:Header>';

/** The fault codes that SOAP 1.2 renamed. */
const newCodes: ReadonlyMap<string, string> = new Map([
  ['Client', 'Sender'],
  ['Server', 'Receiver'],
]);

function oldCode(code: string): string {
  for (const [old, renamed] of newCodes) if (renamed === code) return old;
  return code;
}

function element(name: string, text: string | undefined): string {
  return text === undefined ? '' : `<${name}>${escapeResponse(text)}</${name}>`;
}

function detailElement(name: string, xml: string | null | undefined): string {
  if (xml === null) return '';
  return xml ? `<${name}>${xml}</${name}>` : `<${name} />`;
}
