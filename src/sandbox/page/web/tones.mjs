// @ts-check

/** The tones of the statuses. A tone is a class that gives a state its colour. @type {Record<string, string>} */
const TONES = { 2: 'plan', 4: 'way', 6: 'bad', 10: 'good', 11: 'bad', 14: 'bad' };

/** The tone of a status. Statuses that are not known are neutral. @param {number | string} status */
export function toneOf(status) {
  return TONES[status] ?? 'none';
}
