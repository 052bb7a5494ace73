import { describeField } from '../model/describe';
import {
  BOTH_SIDES,
  type Elements,
  type Extension,
  hasValue,
  type ModelField,
  type ModelOperation,
  type RecordType,
  type WireSide,
} from '../model/model';
import type { DifferenceList, DifferencePlace, Side } from './differences';
import { typeChange } from './types';

/** Compares the request and the response of an operation. */
export function compareMessages(before: ModelOperation, after: ModelOperation, list: DifferenceList): void {
  const operations = [before.name];
  addExtensions({ where: 'operations', operations }, after.extensions, list);
  for (const side of BOTH_SIDES) {
    const kind = side === 'requests' ? 'request' : 'response';
    const [ours, theirs] = [before[kind], after[kind]];
    const comparison = new ElementsComparison(list, side, { where: `${kind} of ${before.name}`, operations });
    if (ours.element !== theirs.element) {
      const why = `the ${side === 'requests' ? 'service' : 'client'} looks for another element`;
      comparison.add(ours.element, theirs.element || 'none', [side], why);
    }
    comparison.compareElements(ours, theirs);
  }
}

/**
 * Adds the extensions of the other contract. Our own contract has none, because the generator refuses them.
 *
 * @param sides the sides on which the extensions stand: what is only read breaks no request
 */
export function addExtensions(
  place: DifferencePlace,
  extensions: readonly Extension[],
  list: DifferenceList,
  sides = BOTH_SIDES,
): void {
  for (const extension of extensions) {
    const breaks = sides.filter((side) => extension.mayBreak.includes(side));
    const why = breaks.length > 0 ? 'not known to this client: it may break' : 'the client ignores it';
    list.add(place, 'none', extension.name, breaks, why);
  }
}

/** Compares the elements of one message, or of one record in it. */
class ElementsComparison {
  readonly #isRequest: boolean;

  constructor(
    private readonly list: DifferenceList,
    private readonly side: WireSide,
    private readonly place: DifferencePlace,
  ) {
    this.#isRequest = side === 'requests';
  }

  add(before: string, after: string, breaks: readonly Side[], why: string, place = this.place): void {
    this.list.add(place, before, after, breaks, why);
  }

  compareElements(before: Elements, after: Elements): void {
    addExtensions(this.place, after.extensions, this.list, [this.side]);
    const [ours, theirs] = [byName(before.fields), byName(after.fields)];
    for (const field of before.fields) {
      const other = theirs.get(field.name);
      if (other) this.#compareField(field, other, ours);
      else this.#addRemovedField(field);
    }
    for (const field of after.fields) if (!ours.has(field.name)) this.#addNewField(field);
    const order = before.fields.flatMap(({ name }) => (theirs.has(name) ? name : [])).join(', ');
    const otherOrder = after.fields.flatMap(({ name }) => (ours.has(name) ? name : [])).join(', ');
    if (order === otherOrder) return;
    if (this.#isRequest) this.add(order, otherOrder, ['requests'], 'the service reads the elements in its own order');
    else this.add(order, otherOrder, [], 'the client reads elements in any order');
  }

  #addRemovedField(field: ModelField): void {
    if (this.#isRequest) {
      const why = 'the service does not know the element, and drops it or refuses the request';
      this.#addField(field, undefined, ['requests', 'callers'], why);
    } else if (field.type.kind === 'list') {
      // No error shows that the ids of sent messages are missing.
      this.#addField(field, undefined, ['responses', 'callers'], 'the client reads an empty list in its place');
    } else if (field.optional) {
      const why = 'the client reads a response without it; once generated, code that uses it has to change';
      this.#addField(field, undefined, ['callers'], why);
    } else {
      this.#addField(field, undefined, ['responses', 'callers'], 'the client needs the element');
    }
  }

  #addNewField(field: ModelField): void {
    if (!this.#isRequest) {
      this.#addField(undefined, field, [], 'the client ignores unknown elements');
    } else if (field.optional && field.omittable) {
      this.#addField(undefined, field, [], 'the service takes requests without it');
    } else if (field.optional) {
      const why =
        'the service takes requests without it; once generated, calls have to give a value, or null to leave it out';
      this.#addField(undefined, field, ['callers'], why);
    } else {
      const why = 'the service needs the element, and the client does not send it';
      this.#addField(undefined, field, ['requests', 'callers'], why);
    }
  }

  /** @param ours the elements that the client sends or reads beside the element */
  #compareField(before: ModelField, after: ModelField, ours: ReadonlyMap<string, ModelField>): void {
    const { type } = after;
    const ofList = type.kind === 'list' ? type.item.extensions : [];
    addExtensions(this.#placeOf(before), [...after.extensions, ...ofList], this.list, [this.side]);
    const change = typeChange(before.type, after.type, this.side);
    if (change) this.#addField(before, after, change.breaks, change.why);
    if (change?.breaks.includes(this.side)) return;
    const [record, other] = [recordOf(before), recordOf(after)];
    if (record && other) {
      const place = { where: `record ${record.name ?? before.name}`, operations: this.place.operations };
      if (record.name !== other.name) {
        const why = 'the same on the wire; once generated, its type has another name';
        this.add(record.name ?? 'no name', other.name ?? 'no name', ['callers'], why, place);
      }
      new ElementsComparison(this.list, this.side, place).compareElements(record, other);
    }
    if (this.#isRequest) this.#compareSentField(before, after, ours);
    else this.#compareReadField(before, after);
  }

  /** Compares whether calls may leave out an element of a request, or send it as nil. */
  #compareSentField(before: ModelField, after: ModelField, ours: ReadonlyMap<string, ModelField>): void {
    const others = after.choice?.filter((name) => name !== before.name && ours.has(name)) ?? [];
    const mayBeAbsent = after.optional && !after.choice;
    if (others.length > 0) {
      this.#addBreak(before, after, `the service takes it without ${others.join(', ')} only, and calls send both`);
    } else if (before.optional !== mayBeAbsent) {
      if (mayBeAbsent) this.#addField(before, after, [], 'once generated, calls may leave it out with null');
      else if (before.name === 'apikey') this.#addField(before, after, [], 'the client always sends it');
      else this.#addBreak(before, after, 'the service refuses a call that leaves it out with null');
    } else if (after.choice) {
      this.#addField(before, after, [], 'the service takes it alone');
    }
    if (!hasValue(before.type) || before.nillable === after.nillable) return;
    if (after.nillable) this.#addField(before, after, [], 'once generated, calls may give null');
    else this.#addBreak(before, after, 'the service refuses null');
  }

  /** Compares whether an element of a response may be absent or nil. */
  #compareReadField(before: ModelField, after: ModelField): void {
    // The client reads nil by our own type: as null or, for a text, record or list, as an absent element.
    const isNull = hasValue(before.type);
    const mayBeAbsent = before.type.kind === 'list' || before.optional || (before.nillable && !isNull);
    if (before.optional !== after.optional || after.choice) {
      if (!after.optional) this.#addField(before, after, [], 'the element is always there');
      else if (mayBeAbsent) this.#addField(before, after, [], 'the client reads a response without it');
      else this.#addBreak(before, after, 'the client needs the element');
    }
    if (before.nillable === after.nillable) return;
    if (!after.nillable) this.#addField(before, after, [], 'the element is never nil');
    else if (isNull) this.#addBreak(before, after, 'the client expects a value, not xsi:nil');
    else if (mayBeAbsent) this.#addField(before, after, [], 'the client reads nil as an absent element');
    else this.#addBreak(before, after, 'the client needs the element');
  }

  #addBreak(before: ModelField, after: ModelField, why: string): void {
    this.#addField(before, after, [this.side, 'callers'], why);
  }

  #addField(before: ModelField | undefined, after: ModelField | undefined, breaks: readonly Side[], why: string): void {
    const [from, to] = [before, after].map((field) => (field ? describeField(field) : 'none')) as [string, string];
    this.add(from, to, breaks, why, this.#placeOf((before ?? after) as ModelField));
  }

  #placeOf({ name }: ModelField): DifferencePlace {
    const { where, operations } = this.place;
    return { where: `${where}, element ${name}`, operations, field: name };
  }
}

function byName(fields: readonly ModelField[]): ReadonlyMap<string, ModelField> {
  return new Map(fields.map((field) => [field.name, field]));
}

function recordOf({ type }: ModelField): RecordType | undefined {
  const value = type.kind === 'list' ? type.item.type : type;
  return value.kind === 'record' ? value : undefined;
}
