import { nonEmptyText, oneOf, readSignal, showValue } from '../../options/checks';
import {
  checkOptions,
  type FlagTable,
  listOf,
  type ResolvedOptions,
  refuseValue,
  wrongOption,
} from '../../options/table';
import type { SignalOption } from '../options';

/** The form in which receptors are written. */
export type ReceptorFormat = 'national' | 'international' | 'as-written';

const readPath = nonEmptyText('a path');
const readColumn = nonEmptyText('the name of a column');

/** The options of `prepareList`. The command line makes options from this table, and adds those that are lists. */
export const prepareOptions = {
  /** The path of a CSV file with a header, as an office program exports it. */
  input: { read: readPath, required: true },
  /** The path of the list. The file must not exist. */
  to: {
    read: readPath,
    required: true,
    flag: { value: 'file', help: 'write the list to this new file', isText: true },
  },
  receptorColumn: {
    read: readColumn,
    default: 'receptor',
    flag: { value: 'name', help: 'read the receptors from this column', isText: true },
  },
  /** The columns that are written beside the receptor. Default: all. */
  columns: { read: listOf(readColumn) },
  delimiter: {
    read: readDelimiter,
    flag: { value: 'text', help: 'text between cells, or tab (default: recognise , ; and tab)', isText: true },
  },
  /** A label of the Encoding Standard. A byte order mark of UTF-8 or UTF-16 goes before it. */
  encoding: {
    read: nonEmptyText('an encoding'),
    flag: { value: 'name', help: 'read this encoding, such as windows-1256 (default: UTF-8 or UTF-16)', isText: true },
  },
  country: {
    read: readCountry,
    flag: { value: 'code', help: 'read phone numbers of this country, such as IR', isText: true },
  },
  /** Required with `country`, because the contract defines no form. */
  receptorFormat: {
    read: oneOf<ReceptorFormat>(['national', 'international', 'as-written']),
    flag: { value: 'form', help: 'with --country: national, international or as-written', isText: true },
  },
  unique: {
    read: oneOf(['row', 'receptor']),
    flag: { value: 'what', help: 'keep one of equal rows (row) or of each receptor (receptor)', isText: true },
  },
  /** The paths of files whose receptors are left out. */
  exclude: { read: listOf(readPath), default: [] as readonly string[] },
  /** Stops the work. No file is then written. */
  signal: { read: readSignal } as SignalOption,
} as const satisfies FlagTable;

/** The checked options, with every default in place. */
export type PrepareSettings = ResolvedOptions<typeof prepareOptions>;
export type PrepareOptions = Pick<PrepareSettings, 'input' | 'to'> & {
  readonly [K in keyof PrepareSettings]?: PrepareSettings[K] | undefined;
};

/** @throws {ConfigurationError} that names every missing, wrong and unknown option */
export function checkPrepareOptions(options: PrepareOptions): PrepareSettings {
  const settings = checkOptions(prepareOptions, options);
  const { country, receptorFormat } = settings;
  if (country !== undefined && receptorFormat === undefined)
    throw wrongOption('receptorFormat', 'missing: a country needs national, international or as-written');
  if (country === undefined && receptorFormat !== undefined)
    throw wrongOption('receptorFormat', 'it needs a country, because only phone numbers have another form');
  return settings;
}

function readDelimiter(value: unknown): string {
  if (value === 'tab' || value === '\\t') return '\t';
  if (typeof value === 'string' && /^[^"\r\n]+$/.test(value)) return value;
  return refuseValue(`${showValue(value)} cannot be between cells`);
}

function readCountry(value: unknown): string {
  if (typeof value === 'string' && /^[a-z]{2}$/i.test(value)) return value.toUpperCase();
  return refuseValue(`${showValue(value)} is no country: give its two letters, such as IR`);
}
