import { MAX_DELAY_MS } from '../../internal/signals';
import {
  defaultDelivery,
  type SandboxDelivery,
  type SandboxDeliveryReceptor,
  type SandboxDeliveryStep,
} from '../store/delivery-setting';
import { checkFields, checkInt, checkText, FieldError, wrongField } from './field-error';

/** Checks the setting of the simulated delivery and fills in its defaults. @throws {FieldError} */
export function checkDelivery(value: unknown): SandboxDelivery {
  checkFields('', value, ['enabled', 'steps', 'receptors']);
  const { enabled, steps, receptors } = { ...defaultDelivery, ...value } as SandboxDelivery;
  if (typeof enabled !== 'boolean') throw wrongField('enabled', enabled, 'true or false');
  checkSteps('steps', steps);
  if (!Array.isArray(receptors)) throw wrongField('receptors', receptors, 'a list');
  receptors.forEach((receptor, index) => {
    checkReceptor(`receptors[${index}]`, receptor);
  });
  return { enabled, steps, receptors };
}

function checkReceptor(field: string, receptor: SandboxDeliveryReceptor): void {
  checkFields(field, receptor, ['endsWith', 'steps', 'refuse']);
  const { endsWith, steps, refuse } = receptor;
  if (typeof endsWith !== 'string' || endsWith === '') {
    throw wrongField(`${field}.endsWith`, endsWith, 'a string that is not empty');
  }
  if ((steps === undefined) === (refuse === undefined)) throw new FieldError(field, 'needs either steps or refuse');
  if (refuse === undefined) checkSteps(`${field}.steps`, steps);
  else checkInt(`${field}.refuse`, refuse);
}

function checkSteps(field: string, steps: readonly SandboxDeliveryStep[]): void {
  if (!Array.isArray(steps)) throw wrongField(field, steps, 'a list');
  steps.forEach((step: SandboxDeliveryStep, index) => {
    const path = `${field}[${index}]`;
    checkFields(path, step, ['afterMs', 'status', 'statustext']);
    checkMs(`${path}.afterMs`, step.afterMs);
    if (index > 0 && step.afterMs <= steps[index - 1].afterMs) {
      throw new FieldError(`${path}.afterMs`, 'must be later than the step before it');
    }
    checkInt(`${path}.status`, step.status);
    if (step.statustext !== undefined) checkText(`${path}.statustext`, step.statustext);
  });
}

/** Checks a number of milliseconds for the simulation. */
export function checkMs(field: string, value: unknown): asserts value is number {
  if (!Number.isInteger(value) || (value as number) < 0 || (value as number) > MAX_DELAY_MS) {
    throw wrongField(field, value, `a whole number of milliseconds from 0 to ${MAX_DELAY_MS}`);
  }
}
