import type { CliCommand, Context, Define } from '../../commander/command';
import { defineInboxRetry, defineInboxStatus } from './operator';
import { defineInboxRun } from './run';

export function defineInbox(inbox: CliCommand, context: Context): void {
  inbox
    .helpCommand(false)
    .description(
      'Receives messages without loss. A journal keeps each message until your command has handled it, so neither a crash nor a lost response loses one.',
    )
    .addExamples([
      "inbox run inbox.journal --line-number 3000 --unread 0 --read 1 --exec 'node handle.mjs'",
      'inbox status inbox.journal',
    ]);
  const add = (name: string, summary: string, define: Define) =>
    inbox.addSubcommand(name, summary, (command) => define(command, context));
  add('run', 'receive messages, and run a command for each', defineInboxRun);
  add('status', 'print the messages that wait or were set aside', defineInboxStatus);
  add('retry', 'make messages that were set aside wait again', defineInboxRetry);
}
