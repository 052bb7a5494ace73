import { Argument } from 'commander';
import type { CliCommand, Context } from '../command';
import { completionScript, shells } from '../completion-scripts';

/** Adds the command that prints a completion script, made from the commands and options of the program. */
export function addCompletion(program: CliCommand, { stdout }: Context): void {
  const command = program.command('completion').summary('print a completion script for a shell');
  command
    .description('Prints a script that completes commands, options and their values.')
    .addArgument(new Argument('<shell>', shells.join(', ')).choices(shells))
    .addExamples([
      'completion bash > ~/.local/share/bash-completion/completions/messaging',
      'completion zsh > ~/.zfunc/_messaging',
      'completion fish > ~/.config/fish/completions/messaging.fish',
    ])
    .action((shell: (typeof shells)[number]) => stdout.write(completionScript(program, shell)));
}
