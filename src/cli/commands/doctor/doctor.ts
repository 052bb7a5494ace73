import { createMasker } from '../../../internal/mask';
import { type CliCommand, type Context, optionsOf } from '../../commander/command';
import { ResultPrinter, reportType } from '../../output/result-printer';
import { type Session, withClient } from '../../settings/client';
import { addCallOptions, addOutputOptions, type GlobalOptions } from '../../settings/global-options';
import { explain } from '../../terminal/explain';
import { CommandFailure } from '../../terminal/failure';
import { Skipped, stepsFor } from './service-checks';

/** The result of a step. */
interface StepRow {
  readonly step: string;
  readonly result: 'ok' | 'skipped' | 'failed';
  readonly detail: string;
}

const WIDEST = { step: 'RemainCredit', result: 'skipped', detail: 'x'.repeat(1000) } satisfies StepRow;
const TYPE = reportType(Object.keys(WIDEST), WIDEST);

/** Defines the command that checks everything that a call needs, in the order in which a call needs it. */
export function defineDoctor(command: CliCommand, context: Context): void {
  command
    .description(
      'Checks in order: settings, DNS, TCP, TLS, the WSDL that the service publishes, and a RemainCredit call. Prints each step when it ends, and says what to do about the first step that fails. A step takes at most --timeout-ms, or 10 seconds where it is not set. Sends no message.',
    )
    .addExamples(['doctor', 'doctor --profile default', 'doctor --timeout-ms 2000']);
  addCallOptions(command.optionsGroup('Global options:'));
  addOutputOptions(command, Object.keys(WIDEST));
  command.action(async () => {
    const given: GlobalOptions = optionsOf(command);
    const printer = new ResultPrinter(TYPE, given, context);
    await withClient(given, context, async (session) => {
      let failure: unknown;
      const steps = takeSteps(session, (error) => {
        failure = error;
      });
      await printer.print(steps, session.signal);
      await printer.end(session.signal);
      // The row of the step has named the mistake.
      if (failure) throw new CommandFailure(explain(failure).exitCode);
    });
  });
}

/** Takes the steps of a call one by one, until a step fails. */
async function* takeSteps(session: Session, onFailure: (error: unknown) => void): AsyncGenerator<StepRow> {
  // A setting may hold the key by mistake, and so may a page of the service.
  const { mask } = createMasker(String(session.options.apiKey));
  yield { step: 'settings', result: 'ok', detail: 'complete and valid' };
  for (const { name: step, check } of stepsFor(session)) {
    try {
      const detail = await check();
      session.signal.throwIfAborted();
      if (detail instanceof Skipped) yield { step, result: 'skipped', detail: mask(detail.reason) };
      else yield { step, result: 'ok', detail: mask(detail) };
    } catch (failure) {
      session.signal.throwIfAborted();
      onFailure(failure);
      yield { step, result: 'failed', detail: mask(explain(failure, { inDoctor: true }).message) };
      return;
    }
  }
}
