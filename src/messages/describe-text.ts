/** The size of a message text on its way to a phone. */
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
const ESCAPED = new RegExp(`[${EXTENSION}]`);

/**
 * Says how networks commonly encode a message text, and in how many parts they send it. A part never ends inside an
 * escape pair or a surrogate pair. The contract does not define what a provider bills.
 *
 * @example
 * const { encoding, parts } = describeText('سلام');  // 'UCS-2', 1
 */
export function describeText(text: string): TextDescription {
  const isGsm = GSM_TEXT.test(text);
  const [single, several] = isGsm ? [160, 153] : [70, 67];
  let [characters, units, parts, used] = [0, 0, 1, 0];
  for (const character of text) {
    const size = isGsm && ESCAPED.test(character) ? 2 : character.length;
    characters++;
    units += size;
    used += size;
    if (used <= several) continue;
    // The units of a character stay together.
    parts++;
    used = size;
  }
  const isSingle = units <= single;
  return {
    encoding: isGsm ? 'GSM-7' : 'UCS-2',
    characters,
    units,
    parts: isSingle ? 1 : parts,
    unitsPerPart: isSingle ? single : several,
  };
}
