import { nonEmptyText, oneOf, showValue, signalOption, trueOrFalse, wholeNumber } from '../../options/checks';
import {
  checkOptions,
  type FlagTable,
  listOf,
  type ResolvedOptions,
  refuseValue,
  wrongOption,
} from '../../options/table';

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
    flag: { value: 'name', help: 'read receptors from this column', isText: true },
  },
  columns: {
    read: readColumn,
    flag: { value: 'a,b', help: 'write only these columns beside the receptor', isText: true },
  },
  delimiter: {
    read: readDelimiter,
    flag: { value: 'text', help: 'text between cells (default: , ; or tab)', isText: true },
  },
  /** A byte order mark of UTF-8 or UTF-16 goes before it. */
  encoding: {
    read: nonEmptyText('an encoding'),
    default: 'utf-8',
    flag: { value: 'name', help: 'such as windows-1256 (default: UTF-8 or UTF-16)', isText: true },
  },
  /** The line with the names of the columns, counted from 1. The lines above it are not read. */
  headerLine: {
    read: wholeNumber(1),
    default: 1,
    flag: { value: 'n', help: 'the line with the names of the columns (default: 1)' },
  },
  /** How a quote inside a quoted value is written, other than doubled. */
  escape: {
    read: oneOf(['backslash'] as const),
    flag: {
      value: 'how',
      help: 'backslash: \\" is a quote, as MySQL writes it',
      isText: true,
    },
  },
  country: {
    read: readCountry,
    flag: { value: 'code', help: 'read phone numbers of this country, such as IR', isText: true },
  },
  /** Required with `country`, because the contract defines no form. */
  receptorFormat: {
    read: oneOf(['national', 'international', 'as-written'] as const),
    flag: { value: 'form', help: 'national, international or as-written', isText: true },
  },
  mobileOnly: {
    read: trueOrFalse,
    default: false,
    flag: { help: 'leave out numbers that are not mobile numbers' },
  },
  unique: {
    read: oneOf(['row', 'receptor']),
    flag: { value: 'what', help: 'row: keep one of equal rows; receptor: of each', isText: true },
  },
  exclude: {
    read: listOf(readPath),
    default: [] as readonly string[],
    flag: { value: 'file...', help: 'leave out the receptors of these files', isText: true },
  },
  /** Stops the work. No file is then written. */
  signal: signalOption,
} as const satisfies FlagTable;

/** The options as they are given. */
export type PrepareOptions = { readonly [K in keyof typeof prepareOptions]?: unknown };
/** The checked options, with every default in place. */
export type PrepareSettings = ResolvedOptions<typeof prepareOptions>;

/** @throws {ConfigurationError} that names every missing, wrong and unknown option */
export function checkPrepareOptions(options: PrepareOptions): PrepareSettings {
  const settings = checkOptions(prepareOptions, options);
  const { country, receptorFormat, mobileOnly } = settings;
  if ((country === undefined) !== (receptorFormat === undefined))
    throw wrongOption('receptorFormat', 'a country needs national, international or as-written, and only a country');
  if (mobileOnly && country === undefined) throw wrongOption('mobileOnly', 'it needs a country');
  return settings;
}

function readDelimiter(value: unknown): string {
  if (value === 'tab' || value === '\\t') return '\t';
  if (typeof value === 'string' && /^[^"\r\n]+$/.test(value)) return value;
  return refuseValue(`${showValue(value)} cannot be between cells`);
}

function readCountry(value: unknown): string {
  if (typeof value === 'string' && /^[a-z]{2}$/i.test(value)) return value.toUpperCase();
  return refuseValue(`${showValue(value)} is not a country code: give two letters, such as IR`);
}
