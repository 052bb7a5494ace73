import { existsSync, realpathSync } from 'node:fs';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { ConfigurationError } from '../errors';
import { bigintReplacer } from '../json';
import { isObject } from '../options/table';
import { type BulkFields, bulkFields } from './rows/fields';
import { type PlanOptions, readPlan } from './state/plan';
import type { Listing } from './state/records';

/** The settings that are kept with those of the list. */
export interface FurtherSettings {
  /** The listing of the service's messages before the first row was sent. */
  readonly baseline?: Listing | undefined;
  /** The service, by the names of the command's settings, without the API key. */
  readonly service: Readonly<Record<string, string>>;
}

/** The settings with which a list was first sent. They are in a file beside the input, so that later commands need only its name. */
export interface SavedSettings extends PlanOptions, FurtherSettings {
  /** The path of the journal. */
  readonly journal: string;
  /** As for `openBulk`, with every text as it was given. */
  readonly fields: BulkFields;
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly ignoreColumns: boolean;
  readonly skipDuplicates?: boolean | undefined;
  readonly exclude?: string | undefined;
}

const VERSION = 1;

/** The path of the settings of a file. Symbolic links are resolved, so that a file has the same settings under all of its names. */
export function settingsPathOf(input: string): string {
  return `${realPathOf(input)}.bulk.json`;
}

/** The path of a file's journal when no other path is given. @throws {ConfigurationError} when two names have a journal each */
export function journalPathOf(input: string): string {
  const [path, plain] = [`${realPathOf(input)}.journal`, `${input}.journal`];
  // Version 1.0 kept the journal beside the symbolic link.
  if (!existsSync(plain) || realPathOf(plain) === realPathOf(path)) return path;
  if (!existsSync(path)) return plain;
  throw new ConfigurationError({
    problems: [{ option: 'journal', message: `${plain} and ${path} are journals of the same file: name one of them` }],
  });
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Reads the settings of a file; undefined when it has none. @throws {ConfigurationError} when they cannot be read */
export async function readSavedSettings(input: string): Promise<SavedSettings | undefined> {
  const path = settingsPathOf(input);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw refuse(`${path} cannot be read: ${error.message}`);
  });
  if (text === undefined) return undefined;
  const { version, journal, fields, defaults, service, ...others } = parse(text, path);
  if (version !== VERSION) throw refuse(`${path} is of version ${version}, which this program does not know`);
  const { baseline, ignoreColumns = false, skipDuplicates, exclude, ...planned } = others as Partial<SavedSettings>;
  const plan = readPlan(planned);
  if (!plan || typeof journal !== 'string' || ![fields, defaults, service].every(isObject))
    throw refuse(`${path} is damaged: give the options of the first run again, without this file`);
  const revived = (values: unknown) => revive(values as Readonly<Record<string, unknown>>, plan);
  return {
    ...plan,
    journal: isAbsolute(journal) ? journal : join(dirname(path), journal),
    fields: revived(fields) as BulkFields,
    defaults: revived(defaults),
    ...{ ignoreColumns, skipDuplicates, exclude },
    baseline: baseline && (readNumbers(baseline) as unknown as Listing),
    service: service as SavedSettings['service'],
  };
}

function parse(text: string, path: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {}
  throw refuse(`${path} is not JSON: give the options of the first run again, without this file`);
}

function refuse(message: string): ConfigurationError {
  return new ConfigurationError({ message });
}

/** JSON has no bigint, so a long is a text in the file. */
function revive(values: Readonly<Record<string, unknown>>, { operation }: PlanOptions): Record<string, unknown> {
  const isNumber = (name: string) =>
    bulkFields(operation).find((field) => field.name === name)?.element.kind === 'integer';
  const entries = Object.entries(values).map(([name, value]) => [name, isNumber(name) ? readNumber(value) : value]);
  return Object.fromEntries(entries);
}

function readNumber(value: unknown): unknown {
  return typeof value === 'string' && /^-?\d+$/.test(value) ? BigInt(value) : value;
}

function readNumbers(listing: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(listing).map(([name, value]) => [name, readNumber(value)]));
}

/**
 * Writes the settings of a file, for its owner only. A reader sees the whole file or none, also after a power loss.
 *
 * @throws {ConfigurationError}
 */
export async function writeSavedSettings(input: string, settings: SavedSettings): Promise<void> {
  const path = settingsPathOf(input);
  const { journal, ...others } = settings;
  // The file, its journal and its settings can be moved together.
  const isBeside = dirname(realPathOf(journal)) === dirname(path);
  const value = { version: VERSION, journal: isBeside ? basename(journal) : journal, ...others };
  const temporary = `${path}.${process.pid}`;
  try {
    const file = await open(temporary, 'w', 0o600);
    try {
      await file.writeFile(`${JSON.stringify(value, bigintReplacer, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw refuse(`the settings cannot be written: ${(error as Error).message}`);
  }
}

/** Names the settings that were given again and are not what they were. */
export function differingSettings<T extends object>(saved: T, given: Partial<T>): (keyof T & string)[] {
  const text = (value: unknown) => JSON.stringify(value, bigintReplacer);
  return (Object.keys(given) as (keyof T & string)[]).filter(
    (name) => given[name] !== undefined && text(given[name]) !== text(saved[name]),
  );
}
