import { nonEmptyText, trueOrFalse } from '../../options/checks';
import { listOf, readNamed, readOptions, refuseValue } from '../../options/table';
import { readInt, readMs, readResponseText } from '../fields';

/** How messages change their status by themselves: the setting of the simulated delivery. */
export interface SandboxDelivery {
  /** Default true. */
  readonly enabled: boolean;
  /**
   * The statuses that each message gets, in the order of their times. Default: 4 `sent` after 1 s, 10 `delivered` after
   * 3 s.
   */
  readonly steps: readonly SandboxDeliveryStep[];
  /**
   * The receptors whose messages take other steps, or are refused. The first that fits counts. Default: the endings
   * 9901 to 9905.
   */
  readonly receptors: readonly SandboxDeliveryReceptor[];
}

/** One change of a status in the simulated delivery. */
export interface SandboxDeliveryStep {
  /** Milliseconds from the time of sending, or from the date of a scheduled message. */
  readonly afterMs: number;
  /** xsd:int. */
  readonly status: number;
  /** Default: the sandbox's own text for the status. */
  readonly statustext?: string;
}

/** Receptors with this ending: their messages take these steps, or their whole call is refused with this status. */
export type SandboxDeliveryReceptor = { readonly endsWith: string } & (
  | { readonly steps: readonly SandboxDeliveryStep[]; readonly refuse?: never }
  | { readonly refuse: number; readonly steps?: never }
);

const sent: SandboxDeliveryStep = { afterMs: 1_000, status: 4, statustext: 'sent' };

/** The default setting, which is in force once the simulation is switched on. */
export const defaultDelivery: SandboxDelivery = {
  enabled: true,
  steps: [sent, { afterMs: 3_000, status: 10, statustext: 'delivered' }],
  receptors: [
    { endsWith: '9901', steps: [sent, { afterMs: 3_000, status: 11, statustext: 'undelivered' }] },
    { endsWith: '9902', steps: [{ afterMs: 1_000, status: 6, statustext: 'failed' }] },
    { endsWith: '9903', steps: [{ afterMs: 1_000, status: 14, statustext: 'blocked' }] },
    // Never final.
    { endsWith: '9904', steps: [sent] },
    { endsWith: '9905', refuse: 411 },
  ],
};

/** The setting of a sandbox that is not told to simulate delivery. */
export const offDelivery: SandboxDelivery = { ...defaultDelivery, enabled: false };

/** The part of the setting for a receptor with an ending of its own. */
export function receptorRule(
  { receptors }: SandboxDelivery,
  receptor: string | null | undefined,
): SandboxDeliveryReceptor | undefined {
  return receptors.find(({ endsWith }) => receptor?.endsWith(endsWith));
}

const stepTable = {
  afterMs: { read: readMs, required: true },
  status: { read: readInt, required: true },
  statustext: { read: readResponseText },
} as const;

const receptorTable = {
  endsWith: { read: nonEmptyText('a text that is not empty'), required: true },
  steps: { read: readSteps },
  refuse: { read: readInt },
} as const;

const deliveryTable = {
  enabled: { read: trueOrFalse, default: defaultDelivery.enabled },
  steps: { read: readSteps, default: defaultDelivery.steps },
  receptors: { read: listOf(readReceptor), default: defaultDelivery.receptors },
} as const;

/** Reads the setting of the simulated delivery and fills in its defaults. @throws {WrongValue} */
export function readSimulation(value: unknown): SandboxDelivery {
  return readOptions(deliveryTable, value, 'field');
}

function readReceptor(value: unknown): SandboxDeliveryReceptor {
  const receptor = readOptions(receptorTable, value, 'field');
  if ((receptor.steps === undefined) === (receptor.refuse === undefined)) refuseValue('needs either steps or refuse');
  return receptor as SandboxDeliveryReceptor;
}

function readSteps(value: unknown): readonly SandboxDeliveryStep[] {
  const steps = listOf((step) => readOptions(stepTable, step, 'field') as SandboxDeliveryStep)(value);
  const early = steps.findIndex(({ afterMs }, index) => index > 0 && afterMs <= (steps[index - 1]?.afterMs ?? 0));
  if (early >= 0) readNamed(`[${early}].afterMs`, () => refuseValue('must be later than the step before it'));
  return steps;
}

const advanceTable = {
  // A product such as 16.1 * 1000 is not whole.
  ms: { read: (value: unknown) => readMs(typeof value === 'number' ? Math.round(value) : value), required: true },
} as const;

/** Reads the milliseconds by which the simulation is moved ahead. @throws {WrongValue} */
export function readAdvance(value: unknown): number {
  return readOptions(advanceTable, value, 'field').ms;
}
