import type { FlagTable, ResolvedOptions } from '../../options/table';
import type { CliCommand } from '../commander/command';
import { flagOf } from './option-names';

export function addFlags(command: CliCommand, table: FlagTable): CliCommand {
  for (const [name, { flag, default: fallback }] of Object.entries(table)) {
    if (!flag) continue;
    const hasDefault = flag.value !== undefined && `${fallback ?? ''}` !== '' && !flag.help.includes('(default');
    const hints = [hasDefault && ` (default: ${fallback})`, flag.variable && ` [${flag.variable}]`];
    const value = flag.value === undefined ? '' : ` <${flag.value}>`;
    command.option(`${flagOf(name)}${value}`, [flag.help, ...hints].filter(Boolean).join(''));
  }
  return command;
}

/** Reads the options of a table that were given. The library refuses wrong values, together with all other problems. */
export function readFlags<Table extends FlagTable>(
  flags: Readonly<Record<string, unknown>>,
  table: Table,
): Partial<ResolvedOptions<Table>> {
  const given = Object.entries(table).filter(([name, { flag }]) => flag && flags[name] !== undefined);
  const values = given.map(([name, { flag }]) => {
    const value = flags[name];
    return [name, flag?.value === undefined || flag.isText ? value : numberOf(String(value))];
  });
  return Object.fromEntries(values);
}

/** A number in decimal digits; any other text as it is, for the library to refuse. */
export function numberOf(text: string): number | string {
  return /^-?\d{1,15}(?:\.\d+)?$/.test(text) ? Number(text) : text;
}
