import type { Contract, ModelField } from '../../src/contract/model/model';
import { mayBeNull } from '../../src/contract/model/values';

/**
 * The contract as its types see xsi:nil. A number, boolean or enumeration is then null. A string, list or record that is nil in an
 * answer counts as absent; a request has no nil ones, since leaving an element out is the only way to give nothing.
 */
export function resolveNil(contract: Contract): Contract {
  const operations = contract.operations.map((operation) => ({
    ...operation,
    request: { ...operation.request, fields: operation.request.fields.map((field) => resolve(field, false)) },
    response: { ...operation.response, fields: operation.response.fields.map((field) => resolve(field, true)) },
  }));
  return { ...contract, operations };
}

function resolve(field: ModelField, inAnswer: boolean): ModelField {
  const { type } = field;
  if (mayBeNull(field)) return field;
  const optional = field.optional || (inAnswer && field.nillable);
  const resolved = { ...field, optional, nillable: false };
  if (type.kind === 'list') return { ...resolved, type: { ...type, item: resolve(type.item, inAnswer) } };
  if (type.kind !== 'record') return resolved;
  return { ...resolved, type: { ...type, fields: type.fields.map((inner) => resolve(inner, inAnswer)) } };
}
