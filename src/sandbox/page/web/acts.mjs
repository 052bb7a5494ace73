// @ts-check
import { change } from './api.mjs';
import { set, showProblem, state } from './state.mjs';
import { show } from './view.mjs';

// What a user does at the sandbox. A line says what was done, and undoes it where it can be undone.

/**
 * Changes something, and says so.
 *
 * @param {string | ((json: any) => string)} words a sentence, also made from the JSON of the response
 * @param {Parameters<typeof change>} request
 */
export async function act(words, ...request) {
  const { view } = state;
  const { json, undo } = await change(...request);
  set({ done: { words: typeof words === 'string' ? words : words(json), undo, view }, problem: '' });
}

/** Does the same, and shows why it failed. @param {Parameters<typeof act>} parameters */
export function attempt(...parameters) {
  return act(...parameters).then(
    () => true,
    (error) => {
      showProblem(error);
      return false;
    },
  );
}

/** Undoes what the user has done last, and opens again what it was done to. */
export async function undo() {
  const { done } = state;
  if (done === null) return;
  const isUndone = await attempt(`Undone: ${done.words}`, done.undo, 'POST', {});
  if (isUndone && state.view.list === done.view.list && done.view.id !== '') show({ id: done.view.id });
}
