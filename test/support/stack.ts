import { spawnSync } from 'node:child_process';

/** A program that some tests need, and the packages that contain it. */
export interface Stack {
  readonly name: string;
  /** The Debian packages that contain the program. */
  readonly packages: string;
  /** A command that fails without those packages. */
  readonly probe: readonly [string, ...string[]];
}

// Debian's modules belong to Debian's Python. Another Python may come first in PATH.
export const PYTHON = '/usr/bin/python3';

export const xmllint: Stack = { name: 'xmllint', packages: 'libxml2-utils', probe: ['xmllint', '--version'] };
export const python: Stack = { name: 'Python', packages: 'python3', probe: [PYTHON, '--version'] };
export const zsh: Stack = { name: 'zsh', packages: 'zsh', probe: ['zsh', '--version'] };
export const fish: Stack = { name: 'fish', packages: 'fish', probe: ['fish', '--version'] };
export const redis: Stack = { name: 'Redis', packages: 'redis-server', probe: ['redis-server', '--version'] };

/**
 * Describes tests that need a program. Without the program they are skipped; they fail when MESSAGING_INTEROP is
 * `required`.
 */
export function describeStack({ name, packages, probe: [command, ...args] }: Stack, tests: () => void): void {
  if (spawnSync(command, args).status === 0) {
    describe(name, tests);
    return;
  }
  const words = `${name} is not installed (Debian: apt-get install ${packages})`;
  if (process.env.MESSAGING_INTEROP === 'required') {
    test(name, () => {
      throw new Error(words);
    });
  } else {
    process.stderr.write(`skipped: ${words}\n`);
    describe.skip(name, tests);
  }
}
