import { type Contract, type ModelField, mayBeNull } from '../../src/contract/model/model';

/**
 * Replaces xsi:nil by what the generated types have. A nil number, boolean or enumeration is null. A nil text, list or record in a
 * response counts as absent. A request never has a nil text, list or record, because a call leaves out such an element.
 */
export function resolveNil(contract: Contract): Contract {
  const operations = contract.operations.map((operation) => ({
    ...operation,
    request: { ...operation.request, fields: operation.request.fields.map((field) => resolve(field, false)) },
    response: { ...operation.response, fields: operation.response.fields.map((field) => resolve(field, true)) },
  }));
  return { ...contract, operations };
}

function resolve(field: ModelField, inResponse: boolean): ModelField {
  const { type } = field;
  if (mayBeNull(field)) return field;
  const optional = field.optional || (inResponse && field.nillable);
  const resolved = { ...field, optional, nillable: false };
  if (type.kind === 'list') return { ...resolved, type: { ...type, item: resolve(type.item, inResponse) } };
  if (type.kind !== 'record') return resolved;
  return { ...resolved, type: { ...type, fields: type.fields.map((inner) => resolve(inner, inResponse)) } };
}
