import { isRangeWithin } from '../../xml/integers';

/** The types of XML Schema for texts, each with the type that it restricts. */
const textTypes: Readonly<Record<string, string | undefined>> = {
  normalizedString: 'string',
  token: 'normalizedString',
  language: 'token',
  NMTOKEN: 'token',
  Name: 'token',
  NCName: 'Name',
  ID: 'NCName',
  IDREF: 'NCName',
  ENTITY: 'NCName',
};

/** True when each value of one type of XML Schema is also a value of the other type. */
export function isTypeWithin(inner: string, outer: string): boolean {
  if (inner === outer || isRangeWithin(inner, outer)) return true;
  const restricted = Object.hasOwn(textTypes, inner) ? textTypes[inner] : undefined;
  return restricted !== undefined && isTypeWithin(restricted, outer);
}
