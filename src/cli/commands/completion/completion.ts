import { Argument } from 'commander';
import type { CliCommand, Context } from '../../commander/command';
import type { Shell } from './completion-scripts';

const shells = ['bash', 'zsh', 'fish'] as const satisfies readonly Shell[];

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
    .action((shell: Shell) => {
      // Loaded here: no other command needs it.
      const { completionScript } = require('./completion-scripts') as typeof import('./completion-scripts');
      return stdout.write(completionScript(program, shell));
    });
}
