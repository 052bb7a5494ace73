import type { Contract } from '../../src/contract/model/model';
import { escapeAttribute } from '../../src/xml/escape';
import { resolveReferences } from '../../src/xml/references';

/**
 * Writes the text of generated/wsdl.ts: the hand-written WSDL as a function of a namespace and an address. It puts them where the
 * WSDL has its own namespace and address as the value of an attribute. An equal text in another place stays as it is.
 */
export function writeWsdl(wsdl: string, { namespace }: Contract): string {
  const text = withoutComments(wsdl).replace(TAG, (tag: string, name: string | undefined) =>
    name === undefined
      ? tag
      : tag.replace(ATTRIBUTE, (...[whole, attribute, quoted]: string[]) => {
          const value = resolveReferences((quoted as string).slice(1, -1)) ?? '';
          const marked = mark(localNameOf(name), attribute as string, value, namespace);
          return marked === undefined ? (whole as string) : `${attribute}="${marked}"`;
        }),
  );
  return `/**
 * Gives the hand-written WSDL of a service, without its comments.
 *
 * @param namespace escaped for an attribute in double quotes
 * @param address escaped likewise
 */
export function insertIntoWsdl(namespace: string, address: string): string {
  return ${templateLiteral(text).replaceAll(NAMESPACE_MARK, insertion('namespace')).replaceAll(ADDRESS_MARK, insertion('address'))};
}
`;
}

/** Characters that no XML document can contain. They mark the places until the text is TypeScript. */
const NAMESPACE_MARK = '\0';
const ADDRESS_MARK = '\x01';

/** Matches a start tag with its name, and what can contain a text like a start tag. */
const TAG = /<!\[CDATA\[[\s\S]*?\]\]>|<\?[\s\S]*?\?>|<([^\s/>!?]+)(?:[^"'>]|"[^"]*"|'[^']*')*>/g;
const ATTRIBUTE = /([^\s="']+)\s*=\s*("[^"]*"|'[^']*')/g;

/** Gives the escaped value with its mark; undefined for an attribute with neither the namespace nor the address. */
function mark(element: string, attribute: string, value: string, namespace: string): string | undefined {
  if (element === 'address' && attribute === 'location') return ADDRESS_MARK;
  if (attribute === 'soapAction' && value.startsWith(namespace)) {
    return NAMESPACE_MARK + escapeAttribute(value.slice(namespace.length));
  }
  const holdsNamespace = /^(?:targetNamespace|namespace|xmlns(?::.*)?)$/.test(attribute);
  return holdsNamespace && value === namespace ? NAMESPACE_MARK : undefined;
}

/** Gives the text that inserts a variable: "${namespace}". */
function insertion(name: string): string {
  return `\${${name}}`;
}

function localNameOf(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** Removes the comments, which are for the maintainer. A CDATA section may hold a text that looks like a comment. */
function withoutComments(xml: string): string {
  const stripped = xml.replace(/<!\[CDATA\[[\s\S]*?\]\]>|[ \t]*<!--[\s\S]*?-->(?:\r?\n)?/g, (match) =>
    match.startsWith('<![') ? match : '',
  );
  return stripped.replace(/\n(?:[ \t]*\r?\n){2,}/g, '\n\n');
}

function templateLiteral(text: string): string {
  return `\`${text.replaceAll(/[`\\]|\$\{/g, '\\$&')}\``;
}
