import type { SaxesAttributeNS, SaxesTagNS } from 'saxes';
import { soapVersions } from '../../soap/versions';
import type { SoapVersion } from '../../types';
import { XSI_NAMESPACE } from '../../xml/namespaces';

/** True for an element with `xsi:nil="true"`. */
export function isNil(tag: SaxesTagNS): boolean {
  return isTrue(attribute(tag, XSI_NAMESPACE, 'nil'));
}

/** True for a header block that is meant for this service and must be understood. */
export function mustBeUnderstood(tag: SaxesTagNS, version: SoapVersion): boolean {
  const { namespace } = soapVersions[version];
  if (!isTrue(attribute(tag, namespace, 'mustUnderstand'))) return false;
  const role = attribute(tag, namespace, version === '1.1' ? 'actor' : 'role')?.trim();
  return !role || ownRoles[version].has(role);
}

/** The roles of the service itself. A header without a role is for the service too. */
const ownRoles: Readonly<Record<SoapVersion, ReadonlySet<string>>> = {
  '1.1': new Set(['http://schemas.xmlsoap.org/soap/actor/next']),
  '1.2': new Set(['next', 'ultimateReceiver'].map((role) => `${soapVersions['1.2'].namespace}/role/${role}`)),
};

function isTrue(value: string | undefined): boolean {
  const text = value?.trim();
  return text === 'true' || text === '1';
}

function attribute(tag: SaxesTagNS, namespace: string, name: string): string | undefined {
  const attributes: Record<string, SaxesAttributeNS> = tag.attributes;
  for (const key in attributes) {
    const found = attributes[key];
    if (found?.local === name && found.uri === namespace) return found.value;
  }
  return undefined;
}
