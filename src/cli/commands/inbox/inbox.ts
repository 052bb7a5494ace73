import type { CliCommand, Context, Define } from '../../commander/command';
import { defineInboxRetry, defineInboxStatus } from './operator';
import { defineInboxRun } from './run';

const subcommands: readonly (readonly [name: string, summary: string, define: Define])[] = [
  ['run', 'receive messages, and run a command for each', defineInboxRun],
  ['status', 'print the messages that wait or were set aside', defineInboxStatus],
  ['retry', 'make messages that were set aside wait again', defineInboxRetry],
];

/** Defines the commands that receive messages without loss. */
export function defineInbox(inbox: CliCommand, context: Context): void {
  inbox.helpCommand(false);
  inbox.description(
    'Receives messages without loss. A journal keeps each message until your command has handled it, so neither a crash nor a lost response loses one.',
  );
  inbox.addExamples([
    "inbox run inbox.journal --line-number 3000 --unread 0 --read 1 --exec 'node handle.mjs'",
    'inbox status inbox.journal',
  ]);
  for (const [name, summary, define] of subcommands)
    inbox.addSubcommand(name, summary, (command) => define(command, context));
}
