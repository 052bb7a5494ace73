import { operations } from '../../../generated/operations';
import { isObject, refuseValue } from '../../options/table';
import { parseInteger } from '../../xml/integers';

/** Parses JSON. The text itself is not in the error: it may hold a secret. @throws {WrongValue} */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const [, position] = /position (\d+)/.exec((error as Error).message) ?? [];
    const before = text.slice(0, Number(position ?? 0)).split('\n');
    const place =
      position === undefined ? '' : `, at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
    return refuseValue(`not JSON${place}`);
  }
}

/**
 * Reads values for fields from JSON, with longs exact: JSON's numbers end at 2^53, so a larger number is written as a
 * string.
 *
 * @throws {WrongValue}
 */
export function defaultsFromJson(given: unknown): unknown {
  if (!isObject(given)) return given;
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, readDefault(name, value)]));
}

function readDefault(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => readDefault(name, item));
  if (typeof value === 'number' && !Number.isSafeInteger(value)) {
    const isWhole = Number.isInteger(value);
    refuseValue(
      `${name}: ${isWhole ? 'JSON does not hold this number exactly; write it as a string' : `${value} is not a whole number`}`,
    );
  }
  const type = typeof value === 'string' ? integerTypes().get(name) : undefined;
  return (type && parseInteger(type, value as string)) ?? value;
}

/** The types of the fields that hold integers, by name. */
function integerTypes() {
  const elements = Object.values(operations).flatMap(({ request }) => [...request]);
  const values = elements.map((element) => ('item' in element ? { ...element.item, name: element.name } : element));
  return new Map(values.flatMap((value) => (value.kind === 'integer' ? [[value.name, value.type] as const] : [])));
}
