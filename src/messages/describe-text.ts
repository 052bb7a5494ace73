/** What a message text takes on the way to a phone. */
export interface TextDescription {
  /** `GSM-7` when each character is in the default alphabet of 3GPP TS 23.038 or its extension table, else `UCS-2`. */
  readonly encoding: 'GSM-7' | 'UCS-2';
  /** The number of Unicode code points. */
  readonly characters: number;
  /** The number of septets in GSM-7, where a character of the extension table takes two, or of UTF-16 code units. */
  readonly units: number;
  /** The number of parts that carry the text; 1 for an empty text. */
  readonly parts: number;
  /** The number of units that fit into each part: 160 or 70 in a single part, 153 or 67 in each of several. */
  readonly unitsPerPart: number;
}

/** The default alphabet of 3GPP TS 23.038, as a class of a regular expression. */
const BASIC = '@£$¥èéùìòÇ\\nØø\\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,\\-./0-9:;<=>?¡A-ZÄÖÑÜ§¿a-zäöñüà';
/** Its extension table. Each of these characters takes two septets: an escape and a second septet. */
const EXTENSION = '\\f^{}\\\\\\[~\\]|€';

const GSM_TEXT = new RegExp(`^[${BASIC}${EXTENSION}]*$`);
const ESCAPED = new RegExp(`[${EXTENSION}]`, 'g');

/**
 * Says how networks commonly encode a message text, and in how many parts they send it. A part never ends inside an
 * escape pair or a surrogate pair. The contract does not define what a provider bills.
 *
 * @example
 * const { encoding, parts } = describeText('سلام');  // 'UCS-2', 1
 */
export function describeText(text: string): TextDescription {
  const isGsm = GSM_TEXT.test(text);
  const characters = countCodePoints(text);
  const units = text.length + (isGsm ? (text.match(ESCAPED)?.length ?? 0) : 0);
  const [single, several] = isGsm ? [160, 153] : [70, 67];
  const parts = units <= single ? 1 : countParts(unitsOfCharacters(text, isGsm), several);
  return {
    encoding: isGsm ? 'GSM-7' : 'UCS-2',
    characters,
    units,
    parts,
    unitsPerPart: parts === 1 ? single : several,
  };
}

function countCodePoints(text: string): number {
  const pairs = text.match(/[\ud800-\udbff][\udc00-\udfff]/g);
  return text.length - (pairs?.length ?? 0);
}

/** The number of units of each character. These units stay together. */
function* unitsOfCharacters(text: string, isGsm: boolean): Iterable<number> {
  const escaped = new RegExp(ESCAPED, '');
  for (const character of text) yield isGsm && escaped.test(character) ? 2 : character.length;
}

/** Fills one part after the other. */
function countParts(sizes: Iterable<number>, unitsPerPart: number): number {
  let parts = 1;
  let used = 0;
  for (const size of sizes) {
    if (used + size > unitsPerPart) {
      parts++;
      used = 0;
    }
    used += size;
  }
  return parts;
}
