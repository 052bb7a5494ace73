import { createMask } from '../../../internal/mask';
import { type CliCommand, type Context, optionsOf } from '../../commander/command';
import { ResultPrinter, reportType } from '../../output/result-printer';
import { withClient } from '../../settings/client';
import { addGlobalOptions, type GlobalOptions } from '../../settings/settings';
import { CommandFailure, explain } from '../../terminal/failure';

const TYPE = reportType('step', 'result', 'detail');

/** Adds the command that checks everything that a call needs, in the order in which a call needs it. */
export function addDoctor(program: CliCommand, context: Context): void {
  const command = program.command('doctor').summary('check settings, network and service, and say what to do');
  command.onUse(() => {
    command
      .description(
        'Checks in order: settings, DNS, TCP, TLS, the WSDL that the service publishes, and a RemainCredit call. Says what to do about the first one that fails. Sends no message.',
      )
      .addExamples(['doctor', 'doctor --profile default']);
    addGlobalOptions(command.optionsGroup('Global options:'));
  });
  command.action(async () => {
    const given: GlobalOptions = optionsOf(program, command);
    const printer = new ResultPrinter(TYPE, given, context);
    // Loaded here: DNS and TLS cost every start some milliseconds.
    const { examine } = require('./service-checks') as typeof import('./service-checks');
    await withClient(given, context, async (session) => {
      const { rows, failure } = await examine(session);
      // A setting may hold the key by mistake, and what a service publishes may as well.
      const { mask } = createMask(String(session.options.apiKey));
      await printer.print(
        rows.map((row) => ({ ...row, detail: mask(row.detail) })),
        session.signal,
      );
      await printer.end(session.signal);
      // The row has said what is wrong.
      if (failure) throw new CommandFailure(explain(failure).exitCode);
    });
  });
}
