import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './process';

interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** One stage of the Containerfile, from its FROM to the next one. */
export interface Stage {
  readonly name: string;
  readonly base: string;
  readonly instructions: readonly Instruction[];
}

/** The stages of the Containerfile, whose instructions have one line each. */
export const stages = parse(readFileSync(join(ROOT, 'Containerfile'), 'utf8'));

/** The stages that are images of a program. */
export const images = stages.filter(({ name }) => name !== 'base');

function parse(text: string): Stage[] {
  const instructions = text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line): Instruction => {
      const [, name = '', rest = ''] = /^([A-Z]+) (.+)$/.exec(line) ?? [];
      return { name, text: rest };
    });
  const found: { name: string; base: string; instructions: Instruction[] }[] = [];
  for (const instruction of instructions) {
    const [, base = '', name = ''] = /^(\S+) AS (\S+)$/.exec(instruction.text) ?? [];
    if (instruction.name === 'FROM') found.push({ name, base, instructions: [] });
    else found.at(-1)?.instructions.push(instruction);
  }
  return found;
}

/** The text of the only instruction of this name in a stage. */
export function textOf({ instructions }: Stage, name: string): string {
  const found = instructions.filter((instruction) => instruction.name === name);
  expect(found).toHaveLength(1);
  return found[0]?.text ?? '';
}

/** The words of the health check, for another port. */
export function healthCheckOf(stage: Stage, port: string): string[] {
  const [, words = ''] = / CMD (\[.*\])$/.exec(textOf(stage, 'HEALTHCHECK')) ?? [];
  return (JSON.parse(words) as string[]).map((word) => word.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${port}`));
}

/** The words of the command that an image starts. */
export function commandOf(stage: Stage): string[] {
  return JSON.parse(textOf(stage, 'ENTRYPOINT'));
}
