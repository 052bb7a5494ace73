import { namespaceOfSchema, schemaOf } from './definitions';
import type { Scope } from './extensions';
import { isTrue, labelOf } from './wsdl-names';
import type { XmlElement } from './xml-tree';

export const USE_SEQUENCE = 'the service has to use a plain sequence of elements';

/** Says what to do about a part of a complex type that is neither a sequence nor an element. */
export function adviceOn({ local }: XmlElement): string {
  switch (local) {
    case 'any':
      return 'remove it from this file';
    case 'group':
      return 'write the elements of the group in its place';
    case 'complexContent':
      return 'write the elements of both types in one sequence';
    default:
      return USE_SEQUENCE;
  }
}

/** Checks the attributes of a complexType. */
export function checkType(element: XmlElement, scope: Scope): void {
  for (const [name, advice] of [
    ['mixed', 'remove it if the service sends no text there'],
    ['abstract', 'name the type that the service uses'],
  ] as const) {
    if (isTrue(element.attributes.get(name))) scope.add(element, `${name}="true" of ${labelOf(element)}`, advice);
  }
}

/**
 * Checks the attributes and the namespace of an element.
 *
 * @param definition the element that `element` refers to; as a rule the element itself
 */
export function checkElement(element: XmlElement, definition: XmlElement, name: string, scope: Scope): void {
  const both = [element.attributes, definition.attributes];
  const names = new Set(both.flatMap((attributes) => [...attributes.keys()]));
  const others = [...names].filter((attribute) => !FIELD_ATTRIBUTES.has(attribute));
  if (both.some((attributes) => isTrue(attributes.get('abstract')))) others.push('abstract');
  if (others.length > 0) {
    const what = `attribute ${others.join(', ')} of element ${name}`;
    // A default is the value of an empty element, which the client does not send.
    const breaks = others.every((attribute) => attribute === 'default') ? (['responses'] as const) : undefined;
    scope.add(element, what, 'remove it if the service works without it', breaks);
  }
  checkNamespace(element, definition, scope);
}

/** The attributes that an element may have. Others, such as default and fixed, change what its content means. */
const FIELD_ATTRIBUTES: ReadonlySet<string> = new Set(
  'name ref type minOccurs maxOccurs nillable form id abstract'.split(' '),
);

function checkNamespace(site: XmlElement, definition: XmlElement, scope: Scope): void {
  const schema = schemaOf(definition);
  const namespace = namespaceOfSchema(schema);
  const form = definition === site ? definition.attributes.get('form') : 'qualified';
  if ((form ?? schema.attributes.get('elementFormDefault')) !== 'qualified') {
    scope.add(form === undefined ? schema : definition, 'an element without a namespace', QUALIFY);
  } else if (namespace !== scope.namespace) {
    const advice = `the service has to use ${scope.namespace} for all elements`;
    scope.add(schema, `an element in namespace ${namespace}`, advice);
  }
}

const QUALIFY = 'the service has to qualify its elements (elementFormDefault="qualified" on the schema, and no form)';
