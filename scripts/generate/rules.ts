import { OptionConflict, optionNames } from '../../src/cli/fields/option-names';
import {
  type Contract,
  type Message,
  type ModelField,
  type ModelOperation,
  mayBeNull,
  type Place,
  splitAddress,
} from '../../src/contract/model/model';
import type { ContractProblems } from '../../src/contract/model/problems';
import { checkMethods } from './methods';
import { checkNames } from './names';

/** The elements of requests that the client fills in itself. */
export const clientElements: ReadonlySet<string> = new Set(['apikey', 'status', 'statusmessage']);

/** Reports what the client, the command line and the sandbox need from a contract, beyond the rules of WSDL. */
export function checkRules(contract: Contract, problems: ContractProblems): void {
  const refuse: Refuse = (place, text) => problems.add('refused', place, text);
  for (const operation of contract.operations) checkOperation(contract, operation, refuse);
  checkNames(contract, problems);
  checkMethods(contract, problems);
  checkAddresses(contract, refuse);
}

type Refuse = (place: Place, text: string) => void;

function checkOperation({ namespace }: Contract, operation: ModelOperation, refuse: Refuse): void {
  const { name, request, response, soapActions } = operation;
  checkElement('request', name, name, request, refuse);
  checkElement('response', name, `${name}Response`, response, refuse);
  for (const [version, { text, place }] of Object.entries(soapActions)) {
    const expected = namespace + name;
    const what = `soapAction of ${name} for SOAP ${version} is ${text || 'missing'}`;
    if (text !== expected) refuse(place, `${what}: the client sends ${expected}, which the service has to accept`);
  }
  if (request.element) {
    checkRequest(name, request, refuse);
    checkOptions(name, request, refuse);
  }
  if (response.element) checkResponse(name, response, refuse);
}

function checkElement(kind: string, name: string, expected: string, { element, place }: Message, refuse: Refuse): void {
  if (element === expected || element === '') return;
  refuse(place, `the ${kind} element of ${name} is named ${element}: the service has to name it ${expected}`);
}

function checkRequest(name: string, { fields, place }: Message, refuse: Refuse): void {
  if (!endsWithStatus(fields)) {
    const what = `the request of ${name} does not end with status (xsd:int) and statusmessage (xsd:string)`;
    refuse(wrongStatus(fields) ?? place, `${what}: the service has to accept them there`);
  }
  for (const field of fields) {
    const { type, place } = field;
    const item = type.kind === 'list' ? type.item : field;
    const label = `element ${name}/${field.name}`;
    if (item.type.kind === 'record') {
      refuse(place, `${label} of the request is a record: the service has to use plain values and lists of them`);
    }
    if (type.kind === 'list' && mayBeNull(item)) {
      refuse(item.definition, `${label} of the request has items that may be nil: remove nillable from ${item.name}`);
    }
    if (field.omittable && !field.optional) {
      refuse(
        place,
        `${label} is optional by its xsd:appinfo, and required by the schema: write minOccurs="0" in this file`,
      );
    }
    if (field.name === 'apikey' && !isText(field)) {
      refuse(field.definition, `${label} is not a plain xsd:string: the service has to take a string without xsi:nil`);
    }
  }
}

/** The names of options are made from the names of fields, so different fields may have the same option. */
function checkOptions(name: string, { fields, place }: Message, refuse: Refuse): void {
  const own = fields.filter((field) => !clientElements.has(field.name));
  try {
    optionNames(own.map((field) => field.name));
  } catch (error) {
    if (!(error instanceof OptionConflict)) throw error;
    const places = own.filter((field) => error.fields.includes(field.name)).map((field) => field.place);
    const lines = places.map(({ line }) => line).join(' and ');
    const what = `${name}: ${error.message} (lines ${lines})`;
    refuse(places.at(-1) ?? place, `${what}: the service has to rename one of them`);
  }
}

function checkResponse(name: string, { fields, place }: Message, refuse: Refuse): void {
  if (fields.length !== 3 || fields[0]?.name !== `${name}Result` || !endsWithStatus(fields)) {
    const expected = `${name}Result, status (xsd:int) and statusmessage (xsd:string)`;
    const what = `the response of ${name} is not ${expected}`;
    refuse(wrongStatus(fields) ?? place, `${what}: the service has to send exactly these elements`);
  } else if (fields[1]?.optional) {
    // Such a response would be neither a success nor a refusal.
    refuse(fields[1].place, `the status of the response of ${name} may be absent: the service has to send it always`);
  }
}

/** The place of a status or statusmessage that has another type, or may be nil. */
function wrongStatus(fields: readonly ModelField[]): Place | undefined {
  const isWrong = (field: ModelField) =>
    (field.name === 'status' && !isStatus(field)) || (field.name === 'statusmessage' && !isText(field));
  return fields.find(isWrong)?.definition;
}

function endsWithStatus(fields: readonly ModelField[]): boolean {
  const [status, statusmessage] = fields.slice(-2);
  const isRight = status !== undefined && isStatus(status);
  return status?.name === 'status' && isRight && statusmessage?.name === 'statusmessage' && isText(statusmessage);
}

function isStatus({ type, nillable }: ModelField): boolean {
  return type.kind === 'integer' && type.type === 'int' && !nillable;
}

function isText({ type, nillable }: ModelField): boolean {
  return type.kind === 'text' && !nillable;
}

function checkAddresses({ bindings }: Contract, refuse: Refuse): void {
  const { '1.1': first, '1.2': second } = bindings;
  for (const { port, address, place } of Object.values(bindings)) {
    // A binding without a port has been reported.
    const text = port === '' ? undefined : addressProblem(address);
    if (text) refuse(place, `port ${port}: the address "${address}" ${text}`);
  }
  if (first?.port && first.port === second?.port) {
    refuse(second.place, `two ports are named ${second.port}: rename one of them in this file`);
  }
  if (first && second && first.address !== second.address) {
    refuse(second.place, 'the two ports have different addresses: write one address in both');
  }
}

/** Describes the fault of an address. The client sends path and query unchanged, so they must be spelt as in a URL. */
function addressProblem(address: string): string | undefined {
  const parts = splitAddress(address);
  if (!parts) return 'is not an absolute http or https URL: write the URL of the service';
  const { pathname, search, hash } = new URL(address);
  if (hash !== '' || address.endsWith('#')) return 'has a fragment, which is never sent: remove it';
  const sent = pathname + search;
  return sent === parts.path ? undefined : `is not spelt as it is sent: write ${parts.origin}${sent}`;
}
