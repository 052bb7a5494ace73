import { type ModelField, mayBeNull } from '../../src/contract/model/model';
import { ContractError, ContractProblems } from '../../src/contract/model/problems';
import { readWsdl } from '../../src/contract/read/read-contract';
import { type NamedContract, nameMethod } from './methods';
import { checkRules } from './rules';

/** @throws {ContractError} with everything that the client, the command line or the sandbox would handle wrongly */
export function readContractFor(wsdl: string, file: string): NamedContract {
  const { contract, problems } = readWsdl(wsdl, file);
  const all = new ContractProblems(problems);
  checkRules(contract, all);
  if (all.sorted().length > 0) throw new ContractError(all.sorted());
  const operations = contract.operations.map(nameMethod).map((operation) => ({
    ...operation,
    request: { ...operation.request, fields: operation.request.fields.map((field) => resolveNil(field, false)) },
    response: { ...operation.response, fields: operation.response.fields.map((field) => resolveNil(field, true)) },
  }));
  return { ...contract, operations };
}

/**
 * Replaces xsi:nil by what the generated types have. A nil number, boolean or enumeration is null. A nil text, list or
 * record in a response counts as absent. A request never has a nil text, list or record, because a call leaves out such
 * an element.
 */
function resolveNil(field: ModelField, inResponse: boolean): ModelField {
  const { type } = field;
  if (mayBeNull(field)) return field;
  const resolved = { ...field, optional: field.optional || (inResponse && field.nillable), nillable: false };
  if (type.kind === 'list') return { ...resolved, type: { ...type, item: resolveNil(type.item, inResponse) } };
  if (type.kind !== 'record') return resolved;
  return { ...resolved, type: { ...type, fields: type.fields.map((inner) => resolveNil(inner, inResponse)) } };
}
