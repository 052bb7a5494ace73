import { kebabCase } from '../../src/cli/fields/option-names';
import type { Contract, ModelField, ModelOperation } from '../../src/contract/model/model';
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

/** The members of the client beside the methods of operations. A test compares them with the client. */
export const ownMembers: readonly string[] = [
  ...['constructor', 'baseUrl', 'namespace', 'idleTimeoutMs', 'track', 'call', 'close'],
  // Whatever waits for the client would call it.
  'then',
];

/** The commands beside those of operations, and the topics of `help`. A test compares them with the command line. */
export const ownCommands: readonly string[] = [
  ...['call', 'track', 'bulk', 'inbox', 'sandbox', 'wsdl', 'contract', 'setup', 'config', 'doctor', 'completion'],
  ...['help', 'settings', 'exit-codes'],
];

/** Reports methods and commands that two operations would share, or that the package has itself. */
export function checkMethods({ operations }: Contract, problems: ContractProblems): void {
  const members = [...ownMembers, ...Object.getOwnPropertyNames(Object.prototype)].map((name) => `method ${name}`);
  const own = [...members, ...ownCommands.map((name) => `command ${name}`)];
  const owners = new Map<string, NamedOperation | 'the package'>(own.map((name) => [name, 'the package']));
  for (const operation of operations.map(nameMethod)) {
    const claims = namesOf(operation);
    const name = claims.find((claim) => owners.has(claim));
    const owner = name && owners.get(name);
    for (const claim of claims) if (!owners.has(claim)) owners.set(claim, operation);
    if (owner === 'the package') {
      const advice = 'begin its documentation with another name and a colon';
      problems.add(
        'refused',
        operation.place,
        `operation ${operation.name} would have the ${name} of ${owner}: ${advice}`,
      );
    } else if (owner && owner.name !== operation.name) {
      const what = `operation ${operation.name} and operation ${owner.name} (line ${owner.place.line})`;
      const advice = 'begin the documentation of one of them with another name and a colon';
      problems.add('refused', operation.place, `${what} would share the ${name}: ${advice}`);
    }
  }
}

/** The names that an operation has in the package: its method, the method of its stream, and its command. */
function namesOf({ method, response }: NamedOperation): readonly string[] {
  const stream = listsRecords(response.fields) ? [`method ${method}Stream`] : [];
  return [`method ${method}`, ...stream, `command ${kebabCase(method)}`];
}

/** True for a result that is a list of records, which a second method streams. */
export function listsRecords([result]: readonly ModelField[]): boolean {
  return result?.type.kind === 'list' && result.type.item.type.kind === 'record';
}
