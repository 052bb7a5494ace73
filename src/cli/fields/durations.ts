import { Option } from 'commander';
import { MAX_DELAY_MS } from '../../internal/signals';
import { UsageError } from '../terminal/failure';

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** An option that takes a time such as 5s and reads it as milliseconds. @param name without the leading dashes */
export function durationOption(name: string, help: string): Option {
  return new Option(`--${name} <time>`, help).argParser((text) => readDuration(text, `--${name}`));
}

function readDuration(text: string, spelling: string): number {
  const [, count = '0', unit] = /^(\d{1,6})(ms|s|m|h)$/.exec(text) ?? [];
  if (Number(count) === 0)
    throw new UsageError(`${spelling}: ${JSON.stringify(text)} is not a time above 0, such as 500ms, 5s or 1m`);
  return Math.min(Number(count) * UNITS[unit as keyof typeof UNITS], MAX_DELAY_MS);
}
