import { createMasker } from '../../../internal/mask';
import { type CliCommand, type Context, optionsOf } from '../../commander/command';
import { ResultPrinter, reportType } from '../../output/result-printer';
import { addCallOptions, addOutputOptions, type GlobalOptions } from '../../settings/global-options';
import { openSession, type Session } from '../../settings/session';
import { readSettings } from '../../settings/settings';
import { explain } from '../../terminal/explain';
import { CommandFailure, exitCodes, NoService, UsageError } from '../../terminal/failure';
import { Skipped, stepsFor } from './service-checks';

interface StepRow {
  readonly step: string;
  readonly result: 'ok' | 'skipped' | 'failed';
  readonly detail: string;
}

const WIDEST = { step: 'RemainCredit', result: 'skipped', detail: 'x'.repeat(1000) } satisfies StepRow;
export const stepType = reportType(Object.keys(WIDEST), WIDEST);

export function defineDoctor(command: CliCommand, context: Context): void {
  command
    .description(
      'Checks in order: settings, DNS, TCP, TLS, the WSDL that the service publishes, and a RemainCredit call. Prints each step when it ends, and says what to do about the first step that fails. A step takes at most --timeout-ms, or 10 seconds where it is not set. Sends no message.',
    )
    .addExamples(['doctor', 'doctor --profile default', 'doctor --timeout-ms 2000']);
  addCallOptions(command);
  addOutputOptions(command, stepType.columns);
  command.action(async () => {
    const flags: GlobalOptions = optionsOf(command);
    const printer = new ResultPrinter(stepType, flags, context);
    let exitCode: number = exitCodes.usage;
    try {
      const session = openSession(readSettings(flags, context), context, { verbose: flags.verbose });
      try {
        exitCode = await printSteps(session, printer);
      } finally {
        session.close();
      }
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      // The settings are the only step: they are missing or wrong.
      const advice = error instanceof NoService ? `; \`${context.io.invocation} setup\` asks for them` : '';
      await printer.print([{ step: 'settings', result: 'failed', detail: error.message + advice }]);
      await printer.end();
    }
    // The row of the step has named the mistake.
    if (exitCode !== exitCodes.done) throw new CommandFailure(exitCode);
  });
}

/** Takes the steps and prints each of them. Resolves with the exit code of the step that fails, or of a success. */
export async function printSteps(session: Session, printer: ResultPrinter): Promise<number> {
  let exitCode: number = exitCodes.done;
  const steps = takeSteps(session, (failure) => {
    exitCode = explain(failure).exitCode;
  });
  await printer.print(steps, session.signal);
  await printer.end(session.signal);
  return exitCode;
}

/** Takes the steps of a call one by one, until a step fails. */
async function* takeSteps(session: Session, onFailure: (error: unknown) => void): AsyncGenerator<StepRow> {
  // A setting may hold the key by mistake, and so may a page of the service.
  const { mask } = createMasker(String(session.options.apiKey));
  const detail = session.options.successStatuses.size > 0 ? 'complete and valid' : 'valid, without success statuses';
  yield { step: 'settings', result: 'ok', detail };
  for (const { name: step, check } of stepsFor(session)) {
    try {
      const detail = await check();
      session.signal.throwIfAborted();
      if (detail instanceof Skipped) yield { step, result: 'skipped', detail: mask(detail.reason) };
      else yield { step, result: 'ok', detail: mask(detail) };
    } catch (failure) {
      session.signal.throwIfAborted();
      onFailure(failure);
      yield {
        step,
        result: 'failed',
        detail: mask(explain(failure, { inDoctor: true, way: session.options }).message),
      };
      return;
    }
  }
}
