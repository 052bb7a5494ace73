import type { SaxesTagNS } from 'saxes';
import { operations } from '../../../generated/operations';
import { parseContentType } from '../../internal/content-type';
import type { Element, ListElement } from '../../soap/element';
import { soapVersions } from '../../soap/versions';
import type { OperationName, SoapVersion } from '../../types';
import { XSI_NAMESPACE } from '../../xml/namespaces';
import { isOperationName } from './arguments';
import { isNil } from './attributes';
import type { SoapRequest } from './route';

// The rules of the contract that an ASMX service does not check: the headers match the envelope and the body, the body
// holds one operation element, and this element holds each of its elements once and in order. Nothing else is allowed.
// The rules do not look at prefixes, at an `action` parameter that names the operation, nor at unused declarations of
// namespaces: none of them changes the meaning of a request, and the libraries of other languages write them in their
// own way. Each function describes a departure from the contract, or returns undefined.

export function headersProblem({ contentType, soapAction }: SoapRequest, version: SoapVersion): string | undefined {
  const { mediaType, parameters } = contentType;
  const wanted = parseContentType(soapVersions[version].contentType);
  if (mediaType !== wanted.mediaType) {
    return `the envelope is SOAP ${version}, but the Content-Type is ${mediaType} instead of ${wanted.mediaType}`;
  }
  const charset = parameters.get('charset');
  if (charset?.toLowerCase() !== wanted.parameters.get('charset')) {
    return `the Content-Type says ${charset === undefined ? 'no charset' : `charset ${charset}`} instead of utf-8`;
  }
  if (version === '1.2') return soapAction === undefined ? undefined : 'SOAP 1.2 has no SOAPAction header';
  if (soapAction === undefined) return 'the SOAPAction header is missing';
  return /^".*"$/.test(soapAction) ? undefined : `the SOAPAction header ${soapAction} is not a quoted string`;
}

export function partProblem(tag: SaxesTagNS): string {
  return `the envelope holds ${nameOf(tag)} besides one Header and, after it, one Body`;
}

export function headerProblem(tag: SaxesTagNS): string {
  return `the envelope has the header ${nameOf(tag)}, but the contract has no headers`;
}

/** @param isSecond true for an element after the operation */
export function operationProblem(
  tag: SaxesTagNS,
  routed: OperationName,
  namespace: string,
  version: SoapVersion,
  { contentType }: SoapRequest,
  isSecond: boolean,
): string | undefined {
  if (isSecond) return `the body holds ${nameOf(tag)} besides ${routed}`;
  if (tag.uri !== namespace || !isOperationName(tag.local)) {
    return `the body holds ${nameOf(tag)}, which is not an operation in namespace ${namespace}`;
  }
  if (tag.local !== routed) {
    const where = version === '1.1' ? 'the SOAPAction header' : 'the action parameter';
    return `${where} names ${routed}, but the body holds ${tag.local}`;
  }
  const action = version === '1.2' ? contentType.parameters.get('action') : undefined;
  return action === undefined || action === `${namespace}${routed}`
    ? attributeProblem(tag)
    : `the action parameter ${action} is not ${namespace}${routed}`;
}

/** @param seen the names of the elements before it */
export function fieldProblem(
  tag: SaxesTagNS,
  element: Element | undefined,
  seen: ReadonlySet<string>,
): string | undefined {
  if (element === undefined) return `${nameOf(tag)} is not an element of the request`;
  if (seen.has(element.name)) return `${element.name} occurs twice`;
  if (isNil(tag) && !element.nillable) return `${element.name} is nil, which the WSDL does not allow`;
  return attributeProblem(tag);
}

export function itemProblem(tag: SaxesTagNS, { name, item }: ListElement, namespace: string): string | undefined {
  return tag.uri === namespace && tag.local === item.name
    ? attributeProblem(tag)
    : `${name} holds ${nameOf(tag)}, but its items are ${item.name}`;
}

/** @param where names the element that holds text between its elements */
export function textProblem(text: string, where: string): string | undefined {
  const words = text.trim();
  return words === ''
    ? undefined
    : `${where} holds the text ${JSON.stringify(words.slice(0, 40))} between its elements`;
}

/** @param seen the names of the elements that were read, of which none is repeated or unknown */
export function orderProblem(operation: OperationName, seen: ReadonlySet<string>): string | undefined {
  const names = operations[operation].request.map(({ name }) => name);
  const missing = names.find((name) => !seen.has(name));
  if (missing !== undefined) return `${missing} is missing`;
  const order = [...seen];
  const wrong = order.findIndex((name, index) => name !== names[index]);
  return wrong < 0 ? undefined : `${order[wrong]} is in the place of ${names[wrong]}`;
}

/** The contract has no attributes, but XML Schema allows its own on every element. */
function attributeProblem({ local, attributes }: SaxesTagNS): string | undefined {
  const foreign = Object.entries(attributes).find(([, { uri }]) => uri !== XSI_NAMESPACE && uri !== XMLNS_NAMESPACE);
  return foreign && `${local} has the attribute ${foreign[0]}, but the contract has no attributes`;
}

/** The namespace of declarations of namespaces. */
const XMLNS_NAMESPACE = 'http://www.w3.org/2000/xmlns/';

function nameOf({ local, uri }: SaxesTagNS): string {
  return uri === '' ? `${local} (no namespace)` : `${local} (namespace ${uri})`;
}
