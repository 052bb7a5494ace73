import type { Contract, ModelField, ModelOperation, Place, Type } from '../../src/contract/model/model';
import type { ContractProblems } from '../../src/contract/model/problems';
import { isDeviceName } from '../../src/internal/file-names';
import { findTypeNameErrors } from './compile';
import { hasPromiseMethod, isMember } from './members';

/** A construct that a generated type, or a member of node-soap's client, is named after. */
interface Named {
  readonly label: string;
  readonly place: Place;
  /** True when the name is on the wire, so that only the service can change it. */
  readonly isOnWire: boolean;
}

/** Reports the names that TypeScript, JavaScript, node-soap or a file system cannot keep as they are. */
export function checkNames(contract: Contract, problems: ContractProblems): void {
  const checker = new NameChecker(problems);
  for (const operation of contract.operations) checker.checkOperation(operation);
  checker.checkClient(contract);
}

class NameChecker {
  readonly #problems: ContractProblems;
  readonly #taken = new Map<string, Named>();
  /** The generated types by their names. */
  readonly #types = new Map<string, Named>();
  /** The names of the types that the generated client declares or imports. */
  readonly #clientTypes = new Set<string>();

  constructor(problems: ContractProblems) {
    this.#problems = problems;
  }

  checkOperation({ name, place, request, response }: ModelOperation): void {
    const named = { label: `operation ${name}`, place, isOnWire: true };
    this.#addMember(name, named);
    this.#addMember(`${name}Async`, named);
    if (!isMember(name) && !hasPromiseMethod(name)) {
      this.#refuse(
        named,
        'node-soap makes no promise method for a name with other characters than A to Z, digits and _',
      );
    }
    this.#addClientType(name, named);
    this.#addClientType(`${name}Response`, { ...named, label: `response element ${name}Response` });
    for (const field of [...request.fields, ...response.fields]) this.#checkField(field);
  }

  /** Adds a member that node-soap puts on its client for a construct. Equal members would replace each other. */
  #addMember(name: string, named: Named): void {
    if (isMember(name)) this.#refuse(named, `node-soap's client has a member ${name} of its own`);
    this.#claim(`the member ${name} of node-soap's client`, name, named);
  }

  /** Adds a type, which is also the name of a file. */
  #addType(name: string, named: Named, folder = 'definitions'): void {
    if (isDeviceName(name)) this.#refuse(named, 'Windows allows no file of this name');
    this.#claim('a file', `${folder}/${name.toLowerCase()}.ts`, named);
    this.#types.set(name, named);
  }

  /** Adds a type that the generated client declares or imports. */
  #addClientType(name: string, named: Named, folder?: string): void {
    this.#addType(name, named, folder);
    this.#claim('a type of the generated client', `type ${name}`, named);
    this.#clientTypes.add(name);
  }

  /** Checks the names of the generated client and its parts, and then what TypeScript says of all types. */
  checkClient({ service, servicePlace, portType, portTypePlace }: Contract): void {
    // Without a port there is no service, which has been reported.
    if (service !== '') {
      const named = { label: `service ${service}`, place: servicePlace, isOnWire: false };
      this.#addMember(service, named);
      this.#addClientType(service, named, 'services');
    }
    this.#addClientType(portType, { label: `portType ${portType}`, place: portTypePlace, isOnWire: false }, 'ports');
    for (const name of ['SoapClient', 'ISoapExOptions', 'Promise', `${service}Client`]) {
      if (!this.#clientTypes.has(name)) continue;
      this.#refuse(this.#types.get(name) as Named, `the generated client has a type ${name} of its own`);
    }
    for (const [name, error] of findTypeNameErrors([...this.#types.keys()])) {
      this.#refuse(this.#types.get(name) as Named, `TypeScript refuses a type of this name (${error})`);
    }
  }

  #checkField({ name, type, place }: ModelField): void {
    const named = { label: `element ${name}`, place, isOnWire: true };
    if (isInherited(name)) this.#refuse(named, 'every JavaScript object has a property of this name');
    this.#checkFieldType(type, named);
  }

  #checkFieldType(type: Type, element: Named): void {
    if (type.kind !== 'list' && type.kind !== 'record') return;
    const fields = type.kind === 'list' ? [type.item] : type.fields;
    if (type.name === undefined) {
      const text = `${element.label} has an inline complexType: give the type a name, and use this name as the type`;
      this.#problems.add('refused', element.place, text);
    } else {
      // Two types may have one name in two namespaces. The place of a list's item tells them apart.
      const place = type.kind === 'list' ? type.item.place : type.place;
      const named = { label: `complexType ${type.name}`, place, isOnWire: false };
      this.#addType(type.name, named);
      if (isInherited(type.name)) this.#refuse(named, 'every JavaScript object has a property of this name');
    }
    if (type.kind === 'record' && fields.length === 0) {
      const text = `complexType ${type.name} has no elements: the service has to send some`;
      this.#problems.add('refused', type.place, text);
    }
    for (const field of fields) this.#checkField(field);
  }

  #refuse({ label, place, isOnWire }: Named, why: string): void {
    const advice = isOnWire ? 'the service has to choose another name' : 'choose another name in this file';
    this.#problems.add('refused', place, `${label}: ${why}: ${advice}`);
  }

  /** Reserves a key, and reports another construct that has it. */
  #claim(what: string, key: string, named: Named): void {
    const other = this.#taken.get(key) ?? named;
    this.#taken.set(key, other);
    if (other.label === named.label && other.place === named.place) return;
    const isOnWire = other.isOnWire && named.isOnWire;
    const advice = isOnWire ? 'the service has to rename one of them' : 'rename one of them in this file';
    const text = `${named.label} and ${other.label} (line ${other.place.line}) would share ${what}: ${advice}`;
    this.#problems.add('refused', named.place, text);
  }
}

/** True for a name that each object inherits. An absent element of this name would read as the inherited function. */
function isInherited(name: string): boolean {
  return name in Object.prototype;
}
