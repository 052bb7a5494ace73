import type { OptionOverrides } from './client';
import { clientOption, clientOptions } from './client';
import { isObject } from './table';

/** Variables of the environment by name, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads options from the environment; options in `overrides` win. An empty variable counts as missing. A text that
 * cannot be parsed, and `overrides` that are no object, stay as they are, for `resolveOptions` to refuse.
 */
export function readEnvironment<D>(overrides: OptionOverrides<D>, environment: Environment): OptionOverrides<D> {
  if (!isObject(overrides)) return overrides;
  const found: Record<string, unknown> = {};
  for (const name of Object.keys(clientOptions) as (keyof typeof clientOptions)[]) {
    const { variable } = clientOption(name);
    const text = variable === undefined ? undefined : environment[variable];
    if (overrides[name] === undefined && text) found[name] = parseOption(name, text);
  }
  return { ...overrides, ...found };
}

/** Makes a value of an option's text: from its environment variable, or from the command line. */
export function parseOption(name: keyof typeof clientOptions, text: string): unknown {
  const { parse } = clientOption(name);
  return parse ? parse(text) : text;
}
