import { Argument } from 'commander';
import type { CliCommand, Context } from '../../commander/command';
import { scripts } from './scripts';

export { complete } from './complete';

export function defineCompletion(command: CliCommand, { stdout }: Context): void {
  const shells = Object.keys(scripts);
  command
    .description(
      'Prints a script that completes commands, options and their values, after messaging and npx messaging-soap.',
    )
    .addArgument(new Argument('<shell>', shells.join(', ')).choices(shells))
    .addExamples([
      'completion bash > ~/.local/share/bash-completion/completions/messaging',
      'completion zsh > ~/.zfunc/_messaging',
      'completion fish > ~/.config/fish/completions/messaging.fish',
    ])
    .action((shell: keyof typeof scripts) => stdout.write(scripts[shell]));
}
