import { styleText } from 'node:util';
import { CommanderError } from 'commander';
import { operationDocumentation } from '../../generated/documentation';
import { methods, type OperationName } from '../../generated/operations';
import { abbreviate } from '../internal/text';
import { version } from '../internal/version';
import { CliCommand, type Context, type Define } from './commander/command';
import { defineConfig } from './commands/config';
import { defineContract } from './commands/contract';
import { defineCall } from './commands/operations/call';
import { defineOperation } from './commands/operations/operation';
import { defineSandbox } from './commands/sandbox';
import { defineTrack } from './commands/track';
import { defineWsdl } from './commands/wsdl';
import { kebabCase } from './fields/option-names';
import { addGlobalOptions } from './settings/global-options';
import { explain } from './terminal/explain';
import { exitCodeHelp, exitCodes, NoService } from './terminal/failure';
import type { Io } from './terminal/io';
import { OutputStream, ReaderGone } from './terminal/output-stream';
import { visible } from './terminal/text';

// A call uses none of these commands, so each of them is loaded when it is used. In the package, each is a file of its
// own.
const doctor = () => require('./commands/doctor/doctor') as typeof import('./commands/doctor/doctor');
const setup = () => require('./commands/setup/setup') as typeof import('./commands/setup/setup');
const bulk = () => require('./commands/bulk/bulk') as typeof import('./commands/bulk/bulk');
const inbox = () => require('./commands/inbox/inbox') as typeof import('./commands/inbox/inbox');
const completion = () =>
  require('./commands/completion/completion') as typeof import('./commands/completion/completion');

/** The commands beside those of the operations, in the order of the help. */
const tools: readonly (readonly [name: string, summary: string, define: Define])[] = [
  ['call', 'calls any operation of the contract by its name', defineCall],
  ['track', 'follows sent messages until each has a final status', defineTrack],
  ['bulk', 'sends a file of rows, so that a crash sends nothing twice', (...to) => bulk().defineBulk(...to)],
  ['inbox', 'receives messages, so that a crash loses none', (...to) => inbox().defineInbox(...to)],
  ['sandbox', 'runs the service on this machine, for tests and demos', defineSandbox],
  ['wsdl', 'prints the WSDL for other tools', defineWsdl],
  ['contract', "compares the contract with a service's WSDL", defineContract],
  ['setup', "collects your provider's settings in a profile, and checks them", (...to) => setup().defineSetup(...to)],
  ['config', 'prints the settings in force, and where they come from', defineConfig],
  ['doctor', 'checks settings, network and service, and says what to do', (...to) => doctor().defineDoctor(...to)],
  ['completion', 'prints a completion script for a shell', (...to) => completion().defineCompletion(...to)],
];

/** The argument with which the scripts of the shells ask for what can follow the words after it. */
const COMPLETE = '__complete';

const examples = [
  'sandbox',
  "send-simple --sender 3000 --message 'سلام' --receptor 09120000001 --unixdate 0 --msgmode 1",
  'select-latest --pagesize 100 --output csv > latest.csv',
  'get-status 9007199254740993',
];
const notes = [
  'sandbox runs the service on this machine, and setup configures your provider.',
  '"help exit-codes" lists the exit codes, and --version prints the version. Data goes to stdout, everything else to stderr.',
];

/** The longest line on stderr, in characters: a service's statusmessage has no limit. */
const LINE_LENGTH = 1000;

/**
 * Runs the command line program. Resolves with its exit code, when all output has left the process or cannot.
 *
 * @param args without the program's name
 */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const stdout = new OutputStream(io.stdout);
  const stderr = new OutputStream(io.stderr);
  const { NO_COLOR, TERM } = io.environment;
  const isColoured = io.stderr.isTTY && !NO_COLOR && TERM !== 'dumb';
  const log = (message: string): void => {
    // A command that a user pastes must be whole.
    const text = visible(message);
    const line = text.includes(`${io.invocation} `) ? text : abbreviate(text, LINE_LENGTH);
    const colour = (label: string): string =>
      styleText(label === 'error:' ? 'red' : 'yellow', label, { validateStream: false });
    stderr.writeNow(`${isColoured ? line.replace(/^(error|warning):/, colour) : line}\n`);
  };
  const exitCode = await perform(args, { io, stdout, stderr, log });
  // If stderr fails, there is nowhere to report it.
  await stderr.finish().catch(() => undefined);
  return exitCode;
}

async function perform(args: readonly string[], context: Context): Promise<number> {
  const { stdout, log } = context;
  try {
    const exitCode = await parse(buildProgram(context), args, context);
    await stdout.finish();
    return exitCode;
  } catch (error) {
    if (error instanceof ReaderGone) return exitCodes.done;
    const { exitCode, message } = explain(error);
    // Output that is under way comes first, except after an interruption. If that fails too, the first failure is
    // reported.
    if (exitCode !== exitCodes.SIGINT && exitCode !== exitCodes.SIGTERM) await stdout.finish().catch(() => undefined);
    if (message !== '') log(`error: ${message}`);
    const { invocation } = context.io;
    if (error instanceof NoService)
      log(
        `\`${invocation} setup\` asks for the settings of your provider; \`${invocation} sandbox\` runs the service on this machine`,
      );
    return exitCode;
  }
}

async function parse(program: CliCommand, args: readonly string[], context: Context): Promise<number> {
  try {
    const [first, ...words] = args;
    if (first === COMPLETE) await completion().complete(program, words, context);
    else await program.parseAsync(args, { from: 'user' });
    return exitCodes.done;
  } catch (error) {
    // Commander has printed the help or the version, and reports this as an error.
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  }
}

function buildProgram(context: Context): CliCommand {
  const { io, stdout, stderr } = context;
  const program = new CliCommand(io.invocation)
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
      getOutHelpWidth: () => io.stdout.columns || 80,
      getErrHelpWidth: () => io.stderr.columns || 80,
    })
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .addExamples(examples);
  program.notes.push(...notes);
  program.version(version, '-V, --version', 'print the version');
  addGlobalOptions(program);
  for (const operation of Object.keys(methods) as OperationName[]) {
    const { summary } = operationDocumentation[operation];
    const define = (command: CliCommand): void => defineOperation(command, operation, context);
    program.addSubcommand(kebabCase(methods[operation]), lineOf(summary), define).helpGroup('Operations:');
  }
  program.commandsGroup('Tools:');
  for (const [name, summary, define] of tools) {
    program.addSubcommand(name, summary, (command) => define(command, context));
  }
  program.addSubcommand('help', 'shows the help of a command', (command) =>
    defineHelp(command, program, (text) => stdout.writeNow(text)),
  );
  return program;
}

/** Makes a line of the list of commands of a sentence. */
function lineOf(sentence: string): string {
  return (sentence.charAt(0).toLowerCase() + sentence.slice(1)).replace(/\.$/, '');
}

/**
 * Defines `help`. Commander's own help command prints everything for an unknown name, and does not say that it is
 * unknown.
 */
function defineHelp(command: CliCommand, program: CliCommand, print: (text: string) => void): void {
  command
    .description('Shows the help of a command, or describes the global options or the exit codes.')
    .argument('[command...]')
    .addExamples(['help send-simple', 'help bulk run', 'help settings', 'help exit-codes']);
  command.action(async (names: readonly string[]) => {
    const [topic] = names;
    if (topic === 'settings') return print(program.createHelp().formatGlobal(program));
    if (topic === 'exit-codes') return print(`${exitCodeHelp}\n`);
    let found = program;
    for (const name of names) {
      const next = found.findSubcommand(name);
      // Commander refuses an unknown name.
      if (!next && found.commands.length > 0) await found.parseAsync([name], { from: 'user' });
      found = next ?? found;
    }
    found.help();
  });
}
