import {
  BOTH_SIDES,
  type Extension,
  hasValue,
  type Message,
  type ModelField,
  type ModelOperation,
  mayBeNull,
  type RecordType,
  type WireSide,
} from '../model/model';
import { describeField } from './describe';
import type { DifferenceList, NewDifference } from './differences';
import { requestTypeChange, responseTypeChange } from './types';

/** Compares the request and the response of an operation. */
export function compareMessages(
  name: string,
  before: ModelOperation,
  after: ModelOperation,
  list: DifferenceList,
): void {
  const request = new MessageComparison(list, name, `request of ${name}`);
  request.compareExtensions(before.extensions, after.extensions, BOTH_SIDES);
  request.compareElement(before.request, after.request, 'requests');
  request.compareExtensions(before.request.extensions, after.request.extensions, ['requests']);
  request.compareRequest(before.request.fields, after.request.fields);
  const response = new MessageComparison(list, name, `response of ${name}`);
  response.compareElement(before.response, after.response, 'responses');
  response.compareExtensions(before.response.extensions, after.response.extensions, ['responses']);
  response.compareResponse(before.response.fields, after.response.fields);
}

/** @param sides the sides that an extension can break there. An attribute of a record that is only read breaks no request. */
export function compareExtensions(
  operations: readonly string[],
  before: readonly Extension[],
  after: readonly Extension[],
  list: DifferenceList,
  sides: readonly WireSide[],
): void {
  const known = new Set(before.map(({ name }) => name));
  for (const extension of after) {
    if (known.has(extension.name)) continue;
    const breaks = extension.breaks.filter((side) => sides.includes(side));
    const why = breaks.length > 0 ? 'the client does not follow it' : 'the client ignores it';
    list.add({ where: 'messages', before: 'none', after: extension.name, breaks, why, operations });
  }
  const kept = new Set(after.map(({ name }) => name));
  for (const { name } of before) {
    if (kept.has(name)) continue;
    list.add({ where: 'messages', before: name, after: 'none', why: 'the client does not use it', operations });
  }
}

type Breaks = NonNullable<NewDifference['breaks']>;

/** Compares one message, or one record in it. */
class MessageComparison {
  readonly #list: DifferenceList;
  readonly #operation: string;
  readonly #where: string;

  constructor(list: DifferenceList, operation: string, where: string) {
    this.#list = list;
    this.#operation = operation;
    this.#where = where;
  }

  compareElement(before: Message, after: Message, side: WireSide): void {
    if (before.element === after.element) return;
    const why = `the ${side === 'requests' ? 'service' : 'client'} looks for another element`;
    this.#add(before.element, after.element || 'none', [side], why);
  }

  compareExtensions(before: readonly Extension[], after: readonly Extension[], sides: readonly WireSide[]): void {
    compareExtensions([this.#operation], before, after, this.#list, sides);
  }

  compareRequest(before: readonly ModelField[], after: readonly ModelField[]): void {
    const others = new Map(after.map((field) => [field.name, field]));
    for (const field of before) {
      const other = others.get(field.name);
      const why = 'the service does not know the element, and drops it or refuses the request';
      if (other) this.#compareRequestField(field, other);
      else this.#addField(field, undefined, ['requests', 'callers'], why);
    }
    const known = new Set(before.map(({ name }) => name));
    for (const field of after) {
      if (known.has(field.name)) continue;
      const breaks: Breaks = field.optional ? ['callers'] : ['requests', 'callers'];
      const why = field.optional
        ? 'the service takes requests without it; once generated, calls have to give a value, or null to leave it out'
        : 'the service needs the element, and the client does not send it';
      this.#addField(undefined, field, breaks, why);
    }
    this.#compareOrder(before, after, ['requests'], 'the service reads the elements in its own order');
  }

  #compareRequestField(before: ModelField, after: ModelField): void {
    const change = requestTypeChange(before.type, after.type);
    if (change) this.#addField(before, after, change.breaks ? ['requests', 'callers'] : [], change.why);
    // The API key is always sent.
    if (before.optional && !after.optional && before.name !== 'apikey') {
      this.#addField(before, after, ['requests', 'callers'], 'the service refuses a call that leaves it out with null');
    } else if (before.optional !== after.optional) {
      const why = before.optional ? 'the client always sends it' : 'once generated, calls may leave it out with null';
      this.#addField(before, after, [], why);
    }
    if (mayBeNull(before) !== mayBeNull(after) && !change) {
      const breaks: Breaks = mayBeNull(before) ? ['requests', 'callers'] : [];
      this.#addField(
        before,
        after,
        breaks,
        breaks.length > 0 ? 'the service refuses null' : 'once generated, calls may give null',
      );
    }
  }

  compareResponse(before: readonly ModelField[], after: readonly ModelField[]): void {
    const others = new Map(after.map((field) => [field.name, field]));
    for (const field of before) {
      const other = others.get(field.name);
      if (other) this.#compareResponseField(field, other);
      else this.#addField(field, undefined, ['responses', 'callers'], 'the client expects the element');
    }
    const known = new Set(before.map(({ name }) => name));
    for (const field of after) {
      if (!known.has(field.name)) this.#addField(undefined, field, [], 'the client ignores unknown elements');
    }
    this.#compareOrder(before, after, [], 'the client reads elements in any order');
  }

  #compareResponseField(before: ModelField, after: ModelField): void {
    const change = responseTypeChange(before.type, after.type);
    if (change) {
      const breaks: Breaks = change.breaks ? ['responses', 'callers'] : change.retypes ? ['callers'] : [];
      this.#addField(before, after, breaks, change.why);
      return;
    }
    this.#compareRecords(before, after);
    // An absent list is an empty one.
    const mayMiss = ({ optional, nillable, type }: ModelField) => optional || (nillable && !hasValue(type));
    if (mayMiss(before) !== mayMiss(after) && before.type.kind !== 'list') {
      const breaks: Breaks = mayMiss(after) ? ['responses', 'callers'] : [];
      this.#addField(
        before,
        after,
        breaks,
        breaks.length > 0 ? 'the client needs the element' : 'the element is always there',
      );
    }
    if (mayBeNull(before) !== mayBeNull(after)) {
      const breaks: Breaks = mayBeNull(after) ? ['responses', 'callers'] : [];
      const why = breaks.length > 0 ? 'the client expects a value, not xsi:nil' : 'the element is never nil';
      this.#addField(before, after, breaks, why);
    }
  }

  #compareRecords(before: ModelField, after: ModelField): void {
    const [ours, theirs] = [recordOf(before), recordOf(after)];
    if (!ours || !theirs) return;
    const record = new MessageComparison(this.#list, this.#operation, `record ${ours.name ?? before.name}`);
    record.compareExtensions(ours.extensions, theirs.extensions, ['responses']);
    record.compareResponse(ours.fields, theirs.fields);
  }

  #compareOrder(before: readonly ModelField[], after: readonly ModelField[], breaks: Breaks, why: string): void {
    const common = (fields: readonly ModelField[], others: readonly ModelField[]): string => {
      const names = new Set(others.map(({ name }) => name));
      return fields.flatMap(({ name }) => (names.has(name) ? name : [])).join(', ');
    };
    const [ours, theirs] = [common(before, after), common(after, before)];
    if (ours !== theirs) this.#add(ours, theirs, breaks, why);
  }

  #addField(before: ModelField | undefined, after: ModelField | undefined, breaks: Breaks, why: string): void {
    const field = (before ?? after)?.name as string;
    const texts = [before, after].map((side) => (side ? describeField(side) : 'none')) as [string, string];
    const where = `${this.#where}, element ${field}`;
    this.#list.add({ where, before: texts[0], after: texts[1], breaks, why, operations: [this.#operation], field });
  }

  #add(before: string, after: string, breaks: Breaks, why: string): void {
    this.#list.add({ where: this.#where, before, after, breaks, why, operations: [this.#operation] });
  }
}

function recordOf({ type }: ModelField): RecordType | undefined {
  const value = type.kind === 'list' ? type.item.type : type;
  return value.kind === 'record' ? value : undefined;
}
