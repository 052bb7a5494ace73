// @ts-check

// The search: any text, and fields such as `to:0912` and `after:2026-11-24`. Each list knows some of the fields.

/** @typedef {'sent' | 'received' | 'requests'} ListName */
/** @typedef {Readonly<Record<string, string>>} Values */

const PARTS = {
  to: 'to: a part of the receptor',
  from: 'from: a part of the sender',
  text: 'text: a part of the text; "in quotes" when it has blanks',
};
const DATES = {
  before: 'before: a date such as 2026-11-24, 2026-11 or today',
  after: 'after: the first date that counts, such as 2026-11-24, 2026-11 or yesterday',
};

/** What each field of each list takes, in words. @type {Readonly<Record<ListName, Values>>} */
const FIELDS = {
  sent: { ...PARTS, status: 'status: a number, or one of these words: ', ...DATES },
  received: { ...PARTS, ...DATES },
  requests: { ...PARTS, status: 'status: one of these words: ', ...DATES },
};

/** The parameters of the control interface for the fields. */
const PARAMETERS = { to: 'receptor', from: 'sender', text: 'message' };

/**
 * What a search asks for.
 *
 * @typedef {object} Query
 * @property {string} search the text without the fields
 * @property {Values} fields the fields with their values, as they are given
 * @property {string} status the value of the status in the control interface; empty for every status
 * @property {Values} parameters all parameters of the control interface but that of the status
 * @property {string} problem why the search is not understood; empty for one that is
 */

/**
 * Reads a search. A field without a value is still being written, and chooses nothing.
 *
 * @param {ListName} list
 * @param {string} text
 * @param {Values} statuses the values of the status by the words for them
 * @returns {Query}
 */
export function readQuery(list, text, statuses) {
  /** @type {Record<string, string>} */
  const fields = {};
  const words = [];
  const problems = [];
  let from = 0;
  for (const { 0: token, 1: given = '', 2: quoted = '', index } of text.matchAll(FIELD)) {
    const name = given.toLowerCase();
    if (!Object.hasOwn(FIELDS[list], name)) continue;
    if (Object.hasOwn(fields, name)) problems.push(`${name}: is given twice.`);
    fields[name] = quoted.replace(/^"([^"]*)"?$/, '$1');
    words.push(text.slice(from, index).trim());
    from = index + token.length;
  }
  const search = [...words, text.slice(from).trim()].filter((word) => word !== '').join(' ');
  const { status = '', after = '', before = '', ...parts } = fields;
  const [start, end] = [after, before].map((date) => (date === '' ? 0 : startOf(date)));
  if (Number.isNaN(start)) problems.push(DATES.after);
  if (Number.isNaN(end)) problems.push(DATES.before);
  const value = status === '' ? '' : statusOf(list, status, statuses);
  if (value === undefined) problems.push(`${FIELDS[list].status}${Object.keys(statuses).join(', ')}`);
  const named = Object.entries(parts).map(([name, part]) => [PARAMETERS[/** @type {'to'} */ (name)], part]);
  const parameters = { ...Object.fromEntries(named), search };
  if (start) parameters.startUnixdate = String(start / 1000);
  // The last second that counts.
  if (end) parameters.endUnixdate = String(end / 1000 - 1);
  return { search, fields, status: value ?? '', parameters, problem: problems[0] ?? '' };
}

/** A field at the beginning of a word, with its value. */
const FIELD = /(?<!\S)([a-z]+):("[^"]*"?|\S*)/gi;

/** @param {ListName} list @param {string} text @param {Values} statuses */
function statusOf(list, text, statuses) {
  const word = text.toLowerCase();
  if (Object.hasOwn(statuses, word)) return statuses[word];
  return list === 'sent' && /^-?\d{1,9}$/.test(text) ? text : undefined;
}

/**
 * The beginning of a year, a month, a day or a minute in milliseconds; NaN for a text that names none.
 *
 * @param {string} text
 */
function startOf(text) {
  const today = new Date();
  today.setHours(0, 0, 0, 0);
  if (text.toLowerCase() === 'today') return today.getTime();
  if (text.toLowerCase() === 'yesterday') return today.setDate(today.getDate() - 1);
  const [, ...parts] = /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d):(\d\d))?)?)?$/.exec(text) ?? [];
  const [year = Number.NaN, month = 1, day = 1, hour = 0, minute = 0] = parts.map((part) =>
    part ? Number(part) : undefined,
  );
  const date = new Date(year, month - 1, day, hour, minute);
  // The 31st of November would be another day.
  const isSame = date.getFullYear() === year && date.getMonth() === month - 1 && date.getDate() === day;
  return isSame && date.getHours() === hour ? date.getTime() : Number.NaN;
}

/**
 * Says which fields a list knows, when a search ends with a colon.
 *
 * @param {ListName} list
 * @param {string} text
 * @param {Values} statuses
 */
export function hintOf(list, text, statuses) {
  const [, name] = /(?<!\S)([^\s:]*):$/.exec(text) ?? [];
  if (name === undefined) return '';
  const known = FIELDS[list];
  const own = known[name.toLowerCase()] ?? '';
  const all = Object.keys(known).map((field) => `${field}:`);
  const taken = own.endsWith(' ') ? `${own}${Object.keys(statuses).join(', ')}` : own;
  return `${taken === '' ? '' : `${taken}. `}The search knows ${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
}

/**
 * A search with another value of a field, or without the field.
 *
 * @param {string} text
 * @param {string} name
 * @param {string} value empty for a search without the field
 */
export function withField(text, name, value) {
  const rest = text.replace(FIELD, (token, field) => (field.toLowerCase() === name ? '' : token)).trim();
  if (value === '') return rest;
  const field = `${name}:${/[\s"]/.test(value) ? `"${value.replaceAll('"', '')}"` : value}`;
  return rest === '' ? field : `${rest} ${field}`;
}
