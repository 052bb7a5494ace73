import type { SaxesTagNS } from 'saxes';
import { operations } from '../../../generated/operations';
import type { Operation } from '../../soap/element';
import type { OperationName, SoapVersion } from '../../types';
import { XSI_NAMESPACE } from '../../xml/namespaces';
import { type SoapRequest, versionOfMediaType } from './request';

// The rules of the contract that an ASMX service does not check, besides that the contract has every element which is
// read, and no other one. They do not look at prefixes nor at unused declarations of namespaces: neither changes the
// meaning of a request, and the libraries of other languages write them in their own way.

/** @param action the namespace and the operation */
export function findHeaderProblem(
  { contentType: { mediaType, parameters }, soapAction }: SoapRequest,
  version: SoapVersion,
  action: string,
): string | undefined {
  if (versionOfMediaType(mediaType) !== version) return `an envelope of SOAP ${version} has Content-Type ${mediaType}`;
  const charset = parameters.get('charset') ?? 'none';
  if (charset.toLowerCase() !== 'utf-8') return `the charset of the Content-Type is ${charset} instead of utf-8`;
  if (version === '1.1') {
    if (soapAction === undefined) return 'the SOAPAction header is missing';
    return /^".*"$/.test(soapAction) ? undefined : `the SOAPAction header ${soapAction} is not a quoted string`;
  }
  if (soapAction !== undefined) return 'SOAP 1.2 has no SOAPAction header';
  const given = parameters.get('action') ?? action;
  return given === action ? undefined : `the action parameter ${given} is not ${action}`;
}

/** @param names the elements of the operation in the order of the request, of which none is unknown or repeated */
export function findOrderProblem(operation: OperationName, names: readonly string[]): string | undefined {
  const { request }: Operation = operations[operation];
  const wanted = request.filter(({ name, omittable }) => !omittable || names.includes(name)).map(({ name }) => name);
  const missing = wanted.find((name) => !names.includes(name));
  if (missing !== undefined) return `${missing} is missing`;
  const wrong = names.findIndex((name, index) => name !== wanted[index]);
  return wrong < 0 ? undefined : `${names[wrong]} is in the place of ${wanted[wrong]}`;
}

/** The contract has no attributes, but XML Schema allows its own on every element. */
export function findAttributeProblem({ local, attributes }: SaxesTagNS): string | undefined {
  const foreign = Object.entries(attributes).find(([, { uri }]) => uri !== XSI_NAMESPACE && uri !== XMLNS_NAMESPACE);
  return foreign && `${local} has the attribute ${foreign[0]}, but the contract has no attributes`;
}

/** The namespace of declarations of namespaces. */
const XMLNS_NAMESPACE = 'http://www.w3.org/2000/xmlns/';
