/** The values of a simple type: a built-in type of XML Schema, and the facets that restrict it. */
export interface ValueSpace {
  /** The local name of the built-in type, such as `string`. */
  readonly builtIn: string;
  readonly facets: readonly Facet[];
}

/** One facet of one restriction. Several patterns, or several values of an enumeration, are alternatives. */
export interface Facet {
  readonly name: string;
  readonly values: readonly string[];
}

/** The built-in types that are derived from another one, by that type (XML Schema part 2, section 3). */
const BASES: ReadonlyMap<string, string> = new Map([
  ['anySimpleType', 'anyType'],
  ['normalizedString', 'string'],
  ['token', 'normalizedString'],
  ['language', 'token'],
  ['NMTOKEN', 'token'],
  ['Name', 'token'],
  ['NCName', 'Name'],
  ['ID', 'NCName'],
  ['IDREF', 'NCName'],
  ['ENTITY', 'NCName'],
  ['integer', 'decimal'],
]);

/** Gives the type that a built-in type is derived from. For whole numbers this is xsd:integer, because their ranges are compared. */
function baseOf(name: string): string | undefined {
  if (name === 'anyType') return undefined;
  return BASES.get(name) ?? (integerRanges.has(name) ? 'integer' : 'anySimpleType');
}

/** True when each value of one type is a value of the other type. When that is not certain, the result is false. */
export function isSpaceWithin(inner: ValueSpace, outer: ValueSpace): boolean {
  return isBuiltInWithin(inner, outer.builtIn) && outer.facets.every((facet) => hasOnlyValuesOf(inner, facet));
}

function isBuiltInWithin(inner: ValueSpace, outer: string): boolean {
  if (isDerivedFrom(inner.builtIn, outer)) return true;
  const range = integerRange({ builtIn: outer, facets: [] });
  const own = integerRange(inner);
  if (range && own) return contains(range, own);
  // A text of these types differs from other texts in its white space only.
  const values = enumerated(inner);
  return (
    isDerivedFrom(inner.builtIn, 'string') &&
    ((outer === 'normalizedString' && !!values?.every((value) => !/[\t\n\r]/.test(value))) ||
      (outer === 'token' && !!values?.every((value) => value === value.replace(/[ \t\n\r]+/g, ' ').trim())))
  );
}

function isDerivedFrom(name: string, base: string): boolean {
  for (let type: string | undefined = name; type !== undefined; type = baseOf(type)) {
    if (type === base) return true;
  }
  return false;
}

/** True when a facet refuses no value of a type. */
function hasOnlyValuesOf(inner: ValueSpace, facet: Facet): boolean {
  const allowed = new Set(facet.values);
  if (inner.facets.some(({ name, values }) => name === facet.name && values.every((value) => allowed.has(value)))) {
    return true;
  }
  if (facet.name === 'whiteSpace') return true;
  if (facet.name === 'fractionDigits') return isDerivedFrom(inner.builtIn, 'integer');
  if (wholeNumber(facet.values[0] ?? '') === undefined) return false;
  if (LENGTHS.has(facet.name)) {
    return isDerivedFrom(inner.builtIn, 'string') && contains(lengthOfFacet(facet), lengthRange(inner.facets));
  }
  const range = integerRange(inner);
  return NUMERIC.has(facet.name) && range !== undefined && contains(rangeOfFacet(facet), range);
}

const LENGTHS = new Set(['length', 'minLength', 'maxLength']);
const NUMERIC = new Set(['minInclusive', 'minExclusive', 'maxInclusive', 'maxExclusive', 'totalDigits']);

/** The values of an enumeration; undefined for another type. */
function enumerated({ facets }: ValueSpace): readonly string[] | undefined {
  return facets.findLast(({ name }) => name === 'enumeration')?.values;
}

/** A range of whole numbers. An undefined limit is no limit. */
interface WholeRange {
  readonly min?: bigint | undefined;
  readonly max?: bigint | undefined;
}

function contains(outer: WholeRange, inner: WholeRange): boolean {
  return (
    (outer.min === undefined || (inner.min !== undefined && inner.min >= outer.min)) &&
    (outer.max === undefined || (inner.max !== undefined && inner.max <= outer.max))
  );
}

/** The part of a range that is also in another range. */
function narrow({ min, max }: WholeRange, by: WholeRange): WholeRange {
  return {
    min: min === undefined || (by.min !== undefined && by.min > min) ? by.min : min,
    max: max === undefined || (by.max !== undefined && by.max < max) ? by.max : max,
  };
}

/** The range of a type of whole numbers; undefined for another type. */
function integerRange({ builtIn, facets }: ValueSpace): WholeRange | undefined {
  const own = integerRanges.get(builtIn);
  return own && facets.map(rangeOfFacet).reduce(narrow, own);
}

function signed(bits: bigint): WholeRange {
  return { min: -(2n ** (bits - 1n)), max: 2n ** (bits - 1n) - 1n };
}

function unsigned(bits: bigint): WholeRange {
  return { min: 0n, max: 2n ** bits - 1n };
}

const integerRanges: ReadonlyMap<string, WholeRange> = new Map([
  ['integer', {}],
  ['nonPositiveInteger', { max: 0n }],
  ['negativeInteger', { max: -1n }],
  ['nonNegativeInteger', { min: 0n }],
  ['positiveInteger', { min: 1n }],
  ['long', signed(64n)],
  ['int', signed(32n)],
  ['short', signed(16n)],
  ['byte', signed(8n)],
  ['unsignedLong', unsigned(64n)],
  ['unsignedInt', unsigned(32n)],
  ['unsignedShort', unsigned(16n)],
  ['unsignedByte', unsigned(8n)],
]);

function rangeOfFacet({ name, values }: Facet): WholeRange {
  const numbers = values.map(wholeNumber);
  const [value] = numbers;
  if (value === undefined) return {};
  switch (name) {
    case 'minInclusive':
      return { min: value };
    case 'minExclusive':
      return { min: value + 1n };
    case 'maxInclusive':
      return { max: value };
    case 'maxExclusive':
      return { max: value - 1n };
    case 'totalDigits': {
      const limit = value > 0n && value < 100n ? 10n ** value : undefined;
      return limit === undefined ? {} : { min: 1n - limit, max: limit - 1n };
    }
    case 'enumeration': {
      const sorted = numbers.flatMap((number) => number ?? []).sort((a, b) => (a < b ? -1 : 1));
      return sorted.length === values.length ? { min: sorted[0], max: sorted.at(-1) } : {};
    }
    default:
      return {};
  }
}

/** The lengths that facets allow. */
function lengthRange(facets: readonly Facet[]): WholeRange {
  return facets.map(lengthOfFacet).reduce(narrow, { min: 0n });
}

function lengthOfFacet({ name, values }: Facet): WholeRange {
  if (name === 'enumeration') {
    const lengths = values.map((value) => [...value].length);
    return { min: BigInt(Math.min(...lengths)), max: BigInt(Math.max(...lengths)) };
  }
  const [value] = values.map(wholeNumber);
  return {
    min: name === 'length' || name === 'minLength' ? value : undefined,
    max: name === 'length' || name === 'maxLength' ? value : undefined,
  };
}

/** A facet's value of up to 100 digits. A longer one may be hostile. */
function wholeNumber(text: string): bigint | undefined {
  return /^\s*[+-]?\d{1,100}\s*$/.test(text) ? BigInt(text.trim().replace('+', '')) : undefined;
}
