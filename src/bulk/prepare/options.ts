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

const readPath = nonEmptyText('a path');
const readColumn = nonEmptyText('the name of a column');

/** The options of `prepareList`. The command line makes options from this table. */
export const prepareOptions = {
  /** The path of a CSV file with a header, as an office program exports it. */
  input: { read: readPath, required: true },
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
  columns: {
    read: readColumn,
    flag: { value: 'a,b', help: 'write only these columns beside the receptor', isText: true },
  },
  delimiter: {
    read: readDelimiter,
    flag: { value: 'text', help: 'text between cells, or tab (default: recognise , ; and tab)', isText: true },
  },
  /** A byte order mark of UTF-8 or UTF-16 goes before it. */
  encoding: {
    read: nonEmptyText('an encoding'),
    default: 'utf-8',
    flag: { value: 'name', help: 'read this encoding, such as windows-1256 (default: UTF-8 or UTF-16)', isText: true },
  },
  country: {
    read: readCountry,
    flag: { value: 'code', help: 'read phone numbers of this country, such as IR', isText: true },
  },
  /** Required with `country`, because the contract defines no form. */
  receptorFormat: {
    read: oneOf(['national', 'international', 'as-written'] as const),
    flag: { value: 'form', help: 'with --country: national, international or as-written', isText: true },
  },
  unique: {
    read: oneOf(['row', 'receptor']),
    flag: { value: 'what', help: 'keep one of equal rows (row) or of each receptor (receptor)', isText: true },
  },
  exclude: {
    read: listOf(readPath),
    default: [] as readonly string[],
    flag: { value: 'file...', help: 'leave out the receptors of these files', isText: true },
  },
  /** Stops the work. No file is then written. */
  signal: { read: readSignal } as SignalOption,
} as const satisfies FlagTable;

/** The options as they are given. */
export type PrepareOptions = { readonly [K in keyof typeof prepareOptions]?: unknown };
/** The checked options, with every default in place. */
export type PrepareSettings = ResolvedOptions<typeof prepareOptions>;

/** @throws {ConfigurationError} that names every missing, wrong and unknown option */
export function checkPrepareOptions(options: PrepareOptions): PrepareSettings {
  const settings = checkOptions(prepareOptions, options);
  const { country, receptorFormat } = settings;
  if ((country === undefined) !== (receptorFormat === undefined))
    throw wrongOption('receptorFormat', 'a country needs national, international or as-written, and only a country');
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
