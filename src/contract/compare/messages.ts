import { describeField } from '../model/describe';
import {
  BOTH_SIDES,
  type Extension,
  hasValue,
  type ModelField,
  type ModelOperation,
  type RecordType,
  type WireSide,
} from '../model/model';
import type { DifferenceList, Side } from './differences';
import { typeChange } from './types';

/** Compares the request and the response of an operation. */
export function compareMessages(before: ModelOperation, after: ModelOperation, list: DifferenceList): void {
  const { name } = before;
  addExtensions([name], before.extensions, after.extensions, list);
  for (const side of BOTH_SIDES) {
    const kind = side === 'requests' ? 'request' : 'response';
    const comparison = new Comparison(list, name, side, `${kind} of ${name}`);
    const [ours, theirs] = [before[kind], after[kind]];
    if (ours.element !== theirs.element) {
      const why = `the ${side === 'requests' ? 'service' : 'client'} looks for another element`;
      comparison.add(ours.element, theirs.element || 'none', [side], why);
    }
    addExtensions([name], ours.extensions, theirs.extensions, list, [side]);
    comparison.compareFields(ours.fields, theirs.fields);
  }
}

/**
 * Adds the extensions that only the other contract has. A generated contract has none, because the generator refuses them.
 *
 * @param sides the sides that an extension can break there. An attribute of a record that is only read breaks no request.
 */
export function addExtensions(
  operations: readonly string[],
  before: readonly Extension[],
  after: readonly Extension[],
  list: DifferenceList,
  sides = BOTH_SIDES,
): void {
  const known = new Set(before.map(({ name }) => name));
  for (const extension of after) {
    if (known.has(extension.name)) continue;
    const breaks = extension.breaks.filter((side) => sides.includes(side));
    const why = breaks.length > 0 ? 'the client does not follow it' : 'the client ignores it';
    list.add({ where: 'messages', before: 'none', after: extension.name, breaks, why, operations });
  }
}

/** Compares the elements of one message, or of one record in it. */
class Comparison {
  readonly #list: DifferenceList;
  readonly #operation: string;
  readonly #side: WireSide;
  readonly #where: string;

  constructor(list: DifferenceList, operation: string, side: WireSide, where: string) {
    this.#list = list;
    this.#operation = operation;
    this.#side = side;
    this.#where = where;
  }

  add(before: string, after: string, breaks: readonly Side[], why: string, field?: string): void {
    const where = field === undefined ? this.#where : `${this.#where}, element ${field}`;
    const operations = [this.#operation];
    this.#list.add({ where, before, after, breaks, why, operations, ...(field !== undefined && { field }) });
  }

  compareFields(before: readonly ModelField[], after: readonly ModelField[]): void {
    const [ours, theirs] = [byName(before), byName(after)];
    for (const field of before) {
      const other = theirs.get(field.name);
      if (other) this.#compareField(field, other);
      else this.#addField(field, undefined, [this.#side, 'callers'], WORDS[this.#side].removed);
    }
    for (const field of after) if (!ours.has(field.name)) this.#addNewField(field);
    const order = before.flatMap(({ name }) => (theirs.has(name) ? name : [])).join(', ');
    const otherOrder = after.flatMap(({ name }) => (ours.has(name) ? name : [])).join(', ');
    const breaks = this.#isRequest ? [this.#side] : [];
    if (order !== otherOrder) this.add(order, otherOrder, breaks, WORDS[this.#side].order);
  }

  get #isRequest(): boolean {
    return this.#side === 'requests';
  }

  #addNewField(field: ModelField): void {
    if (!this.#isRequest) {
      this.#addField(undefined, field, [], 'the client ignores unknown elements');
    } else if (field.optional) {
      const why =
        'the service takes requests without it; once generated, calls have to give a value, or null to leave it out';
      this.#addField(undefined, field, ['callers'], why);
    } else {
      const why = 'the service needs the element, and the client does not send it';
      this.#addField(undefined, field, ['requests', 'callers'], why);
    }
  }

  #compareField(before: ModelField, after: ModelField): void {
    const change = typeChange(before.type, after.type, this.#side);
    if (change) this.#addField(before, after, change.breaks, change.why);
    if (change?.isBreaking) return;
    const [ours, theirs] = [recordOf(before), recordOf(after)];
    if (ours && theirs) {
      const record = new Comparison(this.#list, this.#operation, this.#side, `record ${ours.name ?? before.name}`);
      addExtensions([this.#operation], ours.extensions, theirs.extensions, this.#list, [this.#side]);
      record.compareFields(ours.fields, theirs.fields);
    }
    // The client reads nil by our own type: as null or, for a text, record or list, as an absent element.
    const isNull = ({ nillable }: ModelField) => nillable && hasValue(before.type);
    const isAbsent = (field: ModelField) => {
      if (this.#isRequest) return field.optional;
      // An absent list is an empty one.
      return before.type.kind !== 'list' && (field.optional || (field.nillable && !isNull(field)));
    };
    this.#compareChoice(before, after, isAbsent, WORDS[this.#side].absent);
    this.#compareChoice(before, after, isNull, WORDS[this.#side].nil);
  }

  /** Compares whether an element may be absent or nil. The difference breaks when only the sender allows it. */
  #compareChoice(
    before: ModelField,
    after: ModelField,
    allows: (field: ModelField) => boolean,
    { lost, gained }: Choice,
  ): void {
    if (allows(before) === allows(after)) return;
    const isBroken = this.#isRequest ? allows(before) : allows(after);
    if (isBroken && this.#isRequest && before.name === 'apikey') {
      this.#addField(before, after, [], 'the client always sends it');
    } else {
      this.#addField(before, after, isBroken ? [this.#side, 'callers'] : [], isBroken ? lost : gained);
    }
  }

  #addField(before: ModelField | undefined, after: ModelField | undefined, breaks: readonly Side[], why: string): void {
    const [from, to] = [before, after].map((field) => (field ? describeField(field) : 'none')) as [string, string];
    this.add(from, to, breaks, why, (before ?? after)?.name);
  }
}

/** The reasons of a difference: when only the sender allows something, and when only the receiver does. */
interface Choice {
  readonly lost: string;
  readonly gained: string;
}

const WORDS = {
  requests: {
    removed: 'the service does not know the element, and drops it or refuses the request',
    order: 'the service reads the elements in its own order',
    absent: {
      lost: 'the service refuses a call that leaves it out with null',
      gained: 'once generated, calls may leave it out with null',
    },
    nil: { lost: 'the service refuses null', gained: 'once generated, calls may give null' },
  },
  responses: {
    removed: 'the client expects the element',
    order: 'the client reads elements in any order',
    absent: { lost: 'the client needs the element', gained: 'the element is always there' },
    nil: { lost: 'the client expects a value, not xsi:nil', gained: 'the element is never nil' },
  },
} as const;

function byName(fields: readonly ModelField[]): ReadonlyMap<string, ModelField> {
  return new Map(fields.map((field) => [field.name, field]));
}

function recordOf({ type }: ModelField): RecordType | undefined {
  const value = type.kind === 'list' ? type.item.type : type;
  return value.kind === 'record' ? value : undefined;
}
