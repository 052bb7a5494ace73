import { Service } from '../../client/options/service';
import type { OptionProblem } from '../../errors';
import { JournalError } from '../../journal/errors';
import { showValue } from '../../options/checks';
import type { BulkView } from '../state/bulk-journal';
import type { ListRecord } from '../state/records';
import type { Given } from './given';
import { describeOpenRows } from './open-rows';

/**
 * The change that given rows make:
 * - `new`: the journal has no list yet
 * - `same`: they are those of the journal
 * - `anew`: nothing of the list may have been sent, so it begins anew in the same journal
 * - `replaces`: something may have been sent, so a new list takes the place of the old one
 */
export type ListChange = 'new' | 'same' | 'anew' | 'replaces';

export function hasSameRows(list: ListRecord, { record }: Given): boolean {
  return list.total === record.total && list.sha256 === record.sha256;
}

/** True for lists that are sent alike. */
export function isSameList(one: ListRecord, other: ListRecord): boolean {
  const [before, now] = [one, other].map(({ service: _, id: __, ...others }) => JSON.stringify(others));
  return before === now && new Service(one.service).isSame(new Service(other.service));
}

/** Refuses other requests and another service for the rows of a locked list. @throws {JournalError} with both values */
export function refuseOtherPlan(path: string, list: ListRecord, { record, settings }: Given): void {
  const problems: OptionProblem[] = [];
  for (const name of Object.keys(record.plan) as (keyof ListRecord['plan'])[])
    if (list.plan[name] !== record.plan[name]) problems.push(differ(name, list.plan[name], record.plan[name]));
  if (!settings.serviceMoved) problems.push(...serviceProblems(new Service(list.service), new Service(record.service)));
  refuse(path, problems, STAYS);
}

/**
 * Refuses rows that cannot take the place of those of a journal: while the outcome of a row is open, for another
 * service, and for a program that has not said what becomes of messages that somebody has.
 *
 * @throws {JournalError}
 */
export async function refuseChangedRows(path: string, state: BulkView, given: Given): Promise<void> {
  const list = state.list as ListRecord;
  const { again, serviceMoved } = given.settings;
  const open = (await describeOpenRows(state, given)).map((message) => ({ option: 'input', message }));
  if (open.length > 0) {
    const advice =
      'the outcome of these rows is open: decide them first, or put the file and the fields back as they were';
    refuse(path, [...changedRows(list, given.record), ...open], advice);
  }
  if (!serviceMoved) refuseOtherService(path, new Service(list.service), new Service(given.record.service));
  const advice = 'rows may have been sent, so a new list begins: again says what becomes of messages that somebody has';
  if (again === undefined) refuse(path, changedRows(list, given.record), advice);
}

/** Refuses another service for a locked list. @throws {JournalError} with both values */
export function refuseOtherService(path: string, own: Service, given: Service): void {
  refuse(path, serviceProblems(own, given), STAYS);
}

const STAYS = 'rows may have been sent, so these stay; nothing was changed: leave out what differs';

/** Says what differs between the rows of a list and rows that were given. */
function changedRows(list: ListRecord, record: ListRecord): OptionProblem[] {
  const names = Object.keys({ ...list.fields, ...record.fields });
  const fields = names.filter((name) => list.fields[name] !== record.fields[name]);
  if (list.total !== record.total)
    return [{ option: 'input', message: `this list has ${list.total} rows, and ${record.total} were given` }];
  if (fields.length > 0) return fields.map((name) => differ(name, list.fields[name], record.fields[name]));
  return [{ option: 'input', message: 'a row, or a default of a field, has changed' }];
}

function serviceProblems(own: Service, given: Service): OptionProblem[] {
  return own.differences(given).map((part) => differ(part, own.show(part), given.show(part)));
}

function differ(option: string, own: unknown, given: unknown): OptionProblem {
  const show = (value: unknown) => (value === undefined ? 'none' : showValue(value));
  return { option, message: `this list has ${show(own)}, and ${show(given)} was given` };
}

function refuse(path: string, problems: readonly OptionProblem[], advice: string): void {
  if (problems.length === 0) return;
  throw new JournalError('changed', { problems: [...problems, { option: 'journal', message: `${path}: ${advice}` }] });
}
