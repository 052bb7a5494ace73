// @ts-check
/** @import { DeliveryJson, StepJson } from './records' */
import { onSubmit, soon } from './actions.mjs';
import { ask } from './api.mjs';
import { byId, fieldIn, make } from './dom.mjs';
import { ownText } from './parts.mjs';

// The simulated delivery: its switch in the header and its dialog.

const form = byId('delivery-form', HTMLFormElement);
const enabled = byId('delivery-enabled', HTMLInputElement);
const advance = byId('advance-form', HTMLFormElement);

/** @type {DeliveryJson | null} */
let setting = null;

export async function loadDelivery() {
  setting = /** @type {DeliveryJson} */ (await ask('/sandbox/delivery'));
  show(setting);
}

export const loadDeliverySoon = soon(loadDelivery, 50);

export function startDelivery() {
  enabled.addEventListener('change', () => form.requestSubmit());
  onSubmit(form, async () => {
    if (setting === null) await loadDelivery();
    await ask('/sandbox/delivery', 'PUT', { ...setting, enabled: enabled.checked });
  });
  onSubmit(advance, () =>
    ask('/sandbox/delivery/advance', 'POST', { ms: Number(fieldIn(advance, 'seconds').value) * 1000 }),
  );
}

/** @param {DeliveryJson} delivery */
function show({ enabled: isOn, steps, receptors }) {
  enabled.checked = isOn;
  byId('delivery-state', HTMLElement).textContent = isOn ? 'on' : 'off';
  byId('delivery-button', HTMLElement).classList.toggle('on', isOn);
  byId('delivery-steps', HTMLElement).replaceChildren(
    ...receptors.flatMap((one) =>
      row(
        `…${one.endsWith}`,
        one.steps ? describeSteps(one.steps) : `the whole call is refused with status ${one.refuse}`,
      ),
    ),
    ...row('any other', describeSteps(steps)),
  );
}

/**
 * @param {string} ending
 * @param {string} course
 */
function row(ending, course) {
  return [make('dt', {}, ownText(ending)), make('dd', {}, ownText(course))];
}

/** @param {readonly StepJson[]} steps */
function describeSteps(steps) {
  const texts = steps.map(({ afterMs, status, statustext }) => {
    const name = statustext ? `${status} ${statustext}` : String(status);
    return `${name} after ${afterMs / 1000} s`;
  });
  return texts.length === 0 ? 'no change' : texts.join(', ');
}
