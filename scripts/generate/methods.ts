import type { Contract, ModelOperation } from '../../src/contract/model/model';
import type { ContractProblems } from '../../src/contract/model/problems';

/** An operation with the name of its method in the client. Its documentation is without this name. */
export interface NamedOperation extends ModelOperation {
  readonly method: string;
}

/** A contract for which everything is generated. */
export interface NamedContract extends Contract {
  readonly operations: readonly NamedOperation[];
}

/**
 * Names the client's method of an operation. Its documentation may begin with the name and a colon, such as
 * "selectOutbox: Lists …". Otherwise the method has the operation's name without ByApikey, with a small first letter.
 */
export function nameMethod(operation: ModelOperation): NamedOperation {
  const [, named, sentence] = /^\s*([a-z]\w*):\s+(.*)$/s.exec(operation.documentation) ?? [];
  const short = operation.name.replace(/ByApikey$/i, '') || operation.name;
  const method = named ?? short.charAt(0).toLowerCase() + short.slice(1);
  return { ...operation, method, documentation: sentence ?? operation.documentation };
}

/** Reports operations with the same method. */
export function checkMethods({ operations }: Contract, problems: ContractProblems): void {
  const byMethod = new Map<string, NamedOperation>();
  for (const operation of operations.map(nameMethod)) {
    const other = byMethod.get(operation.method);
    byMethod.set(operation.method, other ?? operation);
    if (!other || other.name === operation.name) continue;
    const what = `operation ${operation.name} and operation ${other.name} (line ${other.place.line})`;
    const advice = 'begin the documentation of one of them with another name and a colon';
    problems.add('refused', operation.place, `${what} would share the method ${operation.method}: ${advice}`);
  }
}
