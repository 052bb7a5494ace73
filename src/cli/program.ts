import { type Command, CommanderError } from 'commander';
import type { OperationName } from '../../generated/operations';
import { methods } from '../client';
import { abbreviate } from '../internal/strings';
import { version } from '../internal/version';
import { CliCommand, type Context } from './commander/command';
import { addBulk } from './commands/bulk/bulk';
import { addCompletion } from './commands/completion/completion';
import { addConfig } from './commands/config';
import { addContract } from './commands/contract';
import { addDoctor } from './commands/doctor/doctor';
import { addCall } from './commands/operations/call';
import { addOperation } from './commands/operations/operation';
import { addSandbox } from './commands/sandbox';
import { addWsdl } from './commands/wsdl';
import { kebabCase } from './fields/option-names';
import { addGlobalOptions } from './settings/settings';
import { exitCodeHelp, exitCodes, explain } from './terminal/failure';
import type { Io } from './terminal/io';
import { OutputStream, ReaderGone } from './terminal/output-stream';
import { visible } from './terminal/text';

type AddCommand = (program: CliCommand, context: Context) => void;

/** The commands that do not stand for an operation, in the order of the help. */
const tools: Readonly<Record<string, AddCommand>> = {
  call: addCall,
  bulk: addBulk,
  sandbox: addSandbox,
  wsdl: addWsdl,
  contract: addContract,
  config: addConfig,
  doctor: addDoctor,
  completion: addCompletion,
  help: addHelp,
};
/** The tools that need to know all commands. */
const needsAll: readonly string[] = ['completion', 'help'];

const examples = [
  'sandbox',
  "send-simple --sender 3000 --message 'سلام' --receptor 09120000001 --unixdate 0 --msgmode 1",
  'select-latest --pagesize 100 --output csv > latest.csv',
  'get-status 9007199254740993',
];
const notes = `
The first one starts a service on this machine, and prints settings and commands for it.
Options may stand before or after the command. The [variables] of the environment set
the same. Data goes to stdout, everything else to stderr.

${exitCodeHelp}`;

/** The longest line on stderr, in characters: a service's statusmessage has no limit. */
const LINE_LENGTH = 1000;

/**
 * Runs the command line program and resolves with its exit code, when all output has left the process or cannot.
 *
 * @param args without the program's name
 */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const stdout = new OutputStream(io.stdout);
  const stderr = new OutputStream(io.stderr);
  const log = (message: string): void => stderr.writeNow(`${abbreviate(visible(message), LINE_LENGTH)}\n`);
  const exitCode = await perform(args, { io, stdout, stderr, log });
  // If stderr fails, there is nowhere to report it.
  await stderr.finish().catch(() => undefined);
  return exitCode;
}

async function perform(args: readonly string[], context: Context): Promise<number> {
  const { stdout, log } = context;
  const program = buildProgram(context, args[0]);
  let name = 'messaging';
  const follow = (_: Command, command: Command): void => {
    if (command.name() === 'help') return;
    name = `${name} ${command.name()}`;
    command.hook('preSubcommand', follow);
  };
  program.hook('preSubcommand', follow);
  try {
    const exitCode = await parse(program, args);
    await stdout.finish();
    return exitCode;
  } catch (error) {
    if (error instanceof ReaderGone) return exitCodes.done;
    const { exitCode, message } = explain(error);
    // Output that is under way comes first, except after an interruption. If that fails too, the first failure is reported.
    if (exitCode !== exitCodes.SIGINT && exitCode !== exitCodes.SIGTERM) await stdout.finish().catch(() => undefined);
    const hint = error instanceof CommanderError && !message.includes('(Did you mean') ? `; see ${name} --help` : '';
    if (message !== '') log(`error: ${message}${hint}`);
    return exitCode;
  }
}

/** Parses and runs a command. Commander reports help and version, which it has printed, as errors. */
async function parse(program: CliCommand, args: readonly string[]): Promise<number> {
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCodes.done;
  } catch (error) {
    const printed = error instanceof CommanderError && /^commander\.(help|helpDisplayed|version)$/.test(error.code);
    if (!printed) throw error;
    return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  }
}

/**
 * The program with its commands, ready to parse.
 *
 * @param name the first argument, which may be a command's name
 */
function buildProgram(context: Context, name: string | undefined): CliCommand {
  const { io, stdout, stderr } = context;
  const program = new CliCommand('messaging')
    .description('Client of the Messaging Service SOAP Interface, Version 1.')
    .exitOverride()
    // Each command has the global options too, so the program does not take a value such as `--message --output`.
    .enablePositionalOptions()
    .configureHelp({
      subcommandTerm: (command) => command.name(),
      optionDescription: ({ description }) => description,
      // Commander's own 40 leaves long lines as they are on any terminal of less than 70 columns.
      minWidthToWrap: 10,
    })
    .configureOutput({
      writeOut: (text) => stdout.writeNow(text),
      writeErr: (text) => stderr.writeNow(text),
      // perform prints the error that it catches.
      outputError: () => undefined,
      getOutHelpWidth: () => io.stdout.columns || 80,
      getErrHelpWidth: () => io.stderr.columns || 80,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  program.helpOption('-h, --help', 'show help').onUse(() => {
    addGlobalOptions(program);
    program.version(version, '-V, --version', 'print the version');
  });
  // Operations have groups of their own.
  program.helpCommand(false).commandsGroup('Tools:');
  // A process uses one command. When the first argument names it, the others are not built.
  const isOnly = (command: string): boolean => command === name && !needsAll.includes(command);
  const all = [...operationCommands(), ...Object.entries(tools)];
  const only = all.filter(([command]) => isOnly(command));
  for (const [, add] of only.length > 0 ? only : all) add(program, context);
  return program.addExamples(examples).addHelpText('after', notes);
}

function operationCommands(): [name: string, add: AddCommand][] {
  return Object.entries(methods).map(([operation, method]) => [
    kebabCase(method),
    (program, context) => addOperation(program, operation as OperationName, context),
  ]);
}

/** Commander's own help command prints everything for an unknown name, and does not say that it is unknown. */
function addHelp(program: CliCommand): void {
  const command = program.command('help').summary('show the help of a command').argument('[command...]');
  command.action((names: readonly string[]) => program.findCommand(names).help());
}
