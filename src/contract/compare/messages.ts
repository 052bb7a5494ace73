import type { Feature, Message, ModelField, ModelOperation, RecordType } from '../model/model';
import { isValue, mayBeNull } from '../model/values';
import { describeField } from './describe';
import type { DifferenceList, NewDifference } from './differences';
import { answerTypeChange, requestTypeChange } from './types';

/** Compares what an operation sends and gets. */
export function compareMessages(
  name: string,
  before: ModelOperation,
  after: ModelOperation,
  list: DifferenceList,
): void {
  const request = new MessageComparison(list, name, `request of ${name}`);
  request.compareFeatures(before.features, after.features);
  request.compareElement(before.request, after.request, 'requests');
  request.compareFeatures(before.request.features, after.request.features, ['requests']);
  request.compareRequest(before.request.fields, after.request.fields);
  const answer = new MessageComparison(list, name, `answer of ${name}`);
  answer.compareElement(before.response, after.response, 'answers');
  answer.compareFeatures(before.response.features, after.response.features, ['answers']);
  answer.compareAnswer(before.response.fields, after.response.fields);
}

/** @param sides what a feature can break here: the attribute of a record that is only ever read breaks no request */
export function compareFeatures(
  operations: readonly string[],
  before: readonly Feature[],
  after: readonly Feature[],
  list: DifferenceList,
  sides: Breaks = ['requests', 'answers'],
): void {
  const known = new Set(before.map(({ name }) => name));
  for (const feature of after) {
    if (known.has(feature.name)) continue;
    const breaks = (['requests', 'answers'] as const).filter((side) => sides.includes(side) && feature[side]);
    const why = breaks.length > 0 ? 'the client does not follow it' : 'the client ignores it';
    list.add({ where: 'messages', before: 'none', after: feature.name, breaks, why, operations });
  }
  const kept = new Set(after.map(({ name }) => name));
  for (const { name } of before) {
    if (kept.has(name)) continue;
    list.add({ where: 'messages', before: name, after: 'none', why: 'the client does not use it', operations });
  }
}

type Breaks = NonNullable<NewDifference['breaks']>;

/** One message, or one record in it. */
class MessageComparison {
  readonly #list: DifferenceList;
  readonly #operation: string;
  readonly #where: string;

  constructor(list: DifferenceList, operation: string, where: string) {
    this.#list = list;
    this.#operation = operation;
    this.#where = where;
  }

  compareElement(before: Message, after: Message, side: 'requests' | 'answers'): void {
    if (before.element === after.element) return;
    const why = side === 'requests' ? 'the service looks for another element' : 'the client looks for another element';
    this.#add(before.element, after.element || 'none', [side], why);
  }

  compareFeatures(before: readonly Feature[], after: readonly Feature[], sides?: Breaks): void {
    compareFeatures([this.#operation], before, after, this.#list, sides);
  }

  compareRequest(before: readonly ModelField[], after: readonly ModelField[]): void {
    const others = new Map(after.map((field) => [field.name, field]));
    for (const field of before) {
      const other = others.get(field.name);
      if (other) this.#compareRequestField(field, other);
      else
        this.#addField(
          field,
          undefined,
          ['requests', 'callers'],
          'the service does not know it, and drops or refuses what is sent',
        );
    }
    const known = new Set(before.map(({ name }) => name));
    for (const field of after) {
      if (known.has(field.name)) continue;
      if (field.optional) {
        const why = 'requests without it are taken; once generated, calls have to give it, or null to leave it out';
        this.#addField(undefined, field, ['callers'], why);
      } else {
        this.#addField(
          undefined,
          field,
          ['requests', 'callers'],
          'the service needs it, and the client does not send it',
        );
      }
    }
    this.#compareOrder(before, after, ['requests'], 'the service reads the elements in its own order');
  }

  #compareRequestField(before: ModelField, after: ModelField): void {
    const change = requestTypeChange(before.type, after.type);
    if (change) this.#addField(before, after, change.breaks ? ['requests', 'callers'] : [], change.why);
    // The API key is always sent.
    if (before.optional && !after.optional && before.name !== 'apikey') {
      this.#addField(before, after, ['requests', 'callers'], 'a call that leaves it out with null is refused');
    } else if (before.optional !== after.optional) {
      this.#addField(
        before,
        after,
        [],
        before.optional ? 'it is always sent' : 'null may leave it out, once generated',
      );
    }
    if (mayBeNull(before) !== mayBeNull(after) && !change) {
      const breaks: Breaks = mayBeNull(before) ? ['requests', 'callers'] : [];
      this.#addField(before, after, breaks, breaks.length ? 'null is refused' : 'it may be null, once generated');
    }
  }

  compareAnswer(before: readonly ModelField[], after: readonly ModelField[]): void {
    const others = new Map(after.map((field) => [field.name, field]));
    for (const field of before) {
      const other = others.get(field.name);
      if (other) this.#compareAnswerField(field, other);
      else this.#addField(field, undefined, ['answers', 'callers'], 'the client expects it');
    }
    const known = new Set(before.map(({ name }) => name));
    for (const field of after) {
      if (!known.has(field.name)) this.#addField(undefined, field, [], 'the client ignores unknown elements');
    }
    this.#compareOrder(before, after, [], 'the client reads elements in any order');
  }

  #compareAnswerField(before: ModelField, after: ModelField): void {
    const change = answerTypeChange(before.type, after.type);
    if (change) {
      this.#addField(
        before,
        after,
        change.breaks ? ['answers', 'callers'] : change.retypes ? ['callers'] : [],
        change.why,
      );
      return;
    }
    this.#compareRecords(before, after);
    // An absent list is an empty one.
    const mayMiss = ({ optional, nillable, type }: ModelField) => optional || (nillable && !isValue(type));
    if (mayMiss(before) !== mayMiss(after) && before.type.kind !== 'list') {
      const breaks: Breaks = mayMiss(after) ? ['answers', 'callers'] : [];
      this.#addField(before, after, breaks, breaks.length ? 'the client relies on it' : 'it is always there');
    }
    if (mayBeNull(before) !== mayBeNull(after)) {
      const breaks: Breaks = mayBeNull(after) ? ['answers', 'callers'] : [];
      this.#addField(
        before,
        after,
        breaks,
        breaks.length ? 'the client expects a value, not xsi:nil' : 'it is never nil',
      );
    }
  }

  #compareRecords(before: ModelField, after: ModelField): void {
    const [ours, theirs] = [recordOf(before), recordOf(after)];
    if (!ours || !theirs) return;
    const record = new MessageComparison(this.#list, this.#operation, `record ${ours.name ?? before.name}`);
    record.compareFeatures(ours.features, theirs.features, ['answers']);
    record.compareAnswer(ours.fields, theirs.fields);
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
