import { Option } from 'commander';
import { type SettingName, settingNames, settingRow } from '../../client/options/settings';
import type { Element } from '../../soap/element';
import type { CliCommand } from '../commander/command';
import { GLOBAL_GROUP } from '../commander/help';
import { flagOf } from '../fields/option-names';
import type { SettingFlags } from './settings';

export const formats = ['table', 'json', 'ndjson', 'csv'] as const;
export type Format = (typeof formats)[number];

export interface OutputOptions {
  readonly output?: Format;
  readonly columns?: string;
  readonly spreadsheet?: true;
}

export type GlobalOptions = SettingFlags & OutputOptions & { readonly verbose?: true };

/** Adds the options of all commands to the program: they may stand before a command's name. */
export function addGlobalOptions(program: CliCommand): void {
  addCallOptions(program);
  addOutputOptions(program, []);
}

/** Adds the options for calls. In the help, they and the options that are added later are global options. */
export function addCallOptions(command: CliCommand): void {
  addSettings(command.optionsGroup(GLOBAL_GROUP), settingNames);
  command.option('--verbose', 'print requests and responses on stderr, without the API key');
}

/**
 * Adds the options of some settings, and `--profile`, which may hold them. The program's own help names the variables.
 */
export function addSettings(command: CliCommand, names: readonly SettingName[]): void {
  const isProgram = command.parent === null;
  for (const name of names) {
    const { flag, default: fallback, variable } = settingRow(name);
    const { value, help, choices } = flag;
    const hints = [
      typeof fallback !== 'object' && fallback && ` (default: ${fallback})`,
      isProgram && ` [${variable}]`,
    ];
    const option = new Option(`${flagOf(name)} <${value}>`, [help, ...hints].filter(Boolean).join(''));
    // For completion only: the value is checked whatever its source is.
    if (choices) option.argChoices = [...choices];
    command.addOption(option);
  }
  const help = `take settings from a profile of the configuration file${isProgram ? ' [MESSAGING_PROFILE]' : ''}`;
  command.option('--profile <name>', help);
}

/**
 * Adds the options for the output of a command.
 *
 * @param columns the columns of its records; undefined for other results
 */
export function addOutputOptions(command: CliCommand, columns: readonly Element[] | undefined): void {
  command.addOption(
    new Option(
      '--output <format>',
      'print table, json, ndjson or csv (default: table on a terminal, else csv for records and lines for ids and numbers)',
    ).choices(formats),
  );
  if (!columns) return;
  const chosen = new Option(
    '--columns <list>',
    'print these fields of records, in this order, such as messageid,status',
  );
  // For completion only.
  chosen.argChoices = columns.map(({ name }) => name);
  command.addOption(chosen);
  command.option('--spreadsheet', 'print csv that a spreadsheet program shows without changing a value');
}
