/** Returns an http or https address for a message: without its user name and password, and with its query hidden. */
export function addressWithoutSecrets(address: string): string {
  return withoutQuery(address).replace(/^(https?:[\\/]*)[^\\/?#]*@/i, '$1');
}

/** Hides what may be a key in the query of an address. The names of parameters stay. */
export function withoutQuery(address: string): string {
  const [, start = '', query] = /^([^?#]*)[?#](.*)$/s.exec(address) ?? [];
  return query === undefined ? address : `${start}?${query.split(/[&;#]/).map(hideParameter).join('&')}`;
}

function hideParameter(parameter: string): string {
  const [, name = '', value = parameter] = /^([^=]*=)(.*)$/s.exec(parameter) ?? [];
  return HARMLESS.test(value) ? parameter : `${name}***`;
}

/** Matches a value that is no key: it is too short, or names a WSDL or a part of one. */
const HARMLESS = /^(?:.{0,3}|wsdl|singlewsdl|xsd\d{1,3}|[\w-]{1,60}\.(?:wsdl|xsd))$/i;
