import { SegmentedMessage } from 'sms-segments-calculator';
import { describeText } from '../../src';
import { loopSize } from '../support/loops';
import { Random } from '../support/random';

const a = (count: number) => 'a'.repeat(count);
const persian = (count: number) => 'س'.repeat(count);
const EMOJI = '😀';

test('an empty text has one part', () => {
  expect(describeText('')).toEqual({ encoding: 'GSM-7', characters: 0, units: 0, parts: 1, unitsPerPart: 160 });
});

test.each([
  [160, 1, 160],
  [161, 2, 153],
  [306, 2, 153],
  [307, 3, 153],
])('a Latin text of %i characters takes %i parts of up to %i septets', (length, parts, unitsPerPart) => {
  expect(describeText(a(length))).toEqual({
    encoding: 'GSM-7',
    characters: length,
    units: length,
    parts,
    unitsPerPart,
  });
});

test.each([
  [70, 1, 70],
  [71, 2, 67],
  [134, 2, 67],
  [135, 3, 67],
])('a Persian text of %i characters takes %i parts of up to %i units', (length, parts, unitsPerPart) => {
  expect(describeText(persian(length))).toEqual({
    encoding: 'UCS-2',
    characters: length,
    units: length,
    parts,
    unitsPerPart,
  });
});

// The table of 3GPP TS 23.038, 6.2.1, column by column; the escape at 0x1B is no character.
const DEFAULT_ALPHABET =
  '@£$¥èéùìòÇ\nØø\rÅå' +
  'Δ_ΦΓΛΩΠΨΣΘΞÆæßÉ' +
  ' !"#¤%&\'()*+,-./' +
  '0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNO' +
  'PQRSTUVWXYZÄÖÑÜ§' +
  '¿abcdefghijklmno' +
  'pqrstuvwxyzäöñüà';
// 6.2.1.1.
const EXTENSION_TABLE = '\f^{}\\[~]|€';

test('each character of the default alphabet takes one septet', () => {
  const characters = [...DEFAULT_ALPHABET];
  expect(new Set(characters).size).toBe(127);
  for (const character of characters) expect(describeText(character)).toMatchObject({ encoding: 'GSM-7', units: 1 });
});

test('each character of the extension table takes two septets', () => {
  for (const character of EXTENSION_TABLE) {
    expect(describeText(character)).toMatchObject({ encoding: 'GSM-7', characters: 1, units: 2 });
  }
});

test('a character outside both tables makes the whole text UCS-2', () => {
  const tables = DEFAULT_ALPHABET + EXTENSION_TABLE;
  const others = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter(
    (character) => !tables.includes(character),
  );
  expect(others.filter((character) => describeText(character).encoding !== 'UCS-2')).toEqual([]);
  expect(describeText(`€${persian(1)}`)).toMatchObject({ encoding: 'UCS-2', characters: 2, units: 2 });
});

test('an escape pair is not split between two parts', () => {
  // The pair would begin with the last septet of the first part.
  expect(describeText(`${a(152)}€${a(152)}`)).toMatchObject({ units: 306, parts: 3 });
  expect(describeText(`${a(151)}€${a(153)}`)).toMatchObject({ units: 306, parts: 2 });
});

test('a surrogate pair is not split between two parts', () => {
  expect(describeText(`${persian(66)}${EMOJI}${persian(66)}`)).toMatchObject({ characters: 133, units: 134, parts: 3 });
  expect(describeText(`${persian(65)}${EMOJI}${persian(67)}`)).toMatchObject({ characters: 133, units: 134, parts: 2 });
});

test('an emoji is one character of two units', () => {
  expect(describeText(EMOJI.repeat(35))).toMatchObject({ characters: 35, units: 70, parts: 1, unitsPerPart: 70 });
  expect(describeText(EMOJI.repeat(36))).toMatchObject({ characters: 36, units: 72, parts: 2, unitsPerPart: 67 });
});

test('a grapheme cluster may be split between two parts, as networks split it', () => {
  const family = '👨‍👩‍👧';
  expect(describeText(`${persian(64)}${family}${persian(62)}`)).toMatchObject({ units: 134, parts: 2 });
});

test('half of a surrogate pair is one character of one unit', () => {
  expect(describeText('\ud83d')).toMatchObject({ encoding: 'UCS-2', characters: 1, units: 1 });
});

/** Pieces that random texts are made of. */
const pieces = {
  basic: [...DEFAULT_ALPHABET],
  extension: [...EXTENSION_TABLE],
  persian: [...'سلام خوبی؟ پیام\u200cها ۱۲۳'],
  emoji: [EMOJI, '🎉', '𝒜'],
  // Several code points that a reader sees as one character.
  clusters: ['👨‍👩‍👧', '👍🏽', '🇮🇷', 'e\u0301', 'سَ', '\r\n'],
};
const mixtures: readonly (readonly (keyof typeof pieces)[])[] = [
  ['basic'],
  ['basic', 'extension'],
  ['basic', 'persian'],
  ['persian', 'emoji'],
  ['basic', 'extension', 'persian', 'emoji'],
  ['persian', 'emoji', 'clusters'],
];

function randomText(random: Random): string {
  const kinds = random.pick(mixtures);
  const length = random.below(random.pick([20, 80, 180, 480]));
  return Array.from({ length }, () => random.pick<string>(pieces[random.pick(kinds)])).join('');
}

/** The number of parts where each of these pieces of a text stays whole. */
function partsOfWhole(graphemes: readonly string[], units: number): number {
  if (units <= 70) return 1;
  let [parts, used] = [1, 0];
  for (const { length } of graphemes) {
    if (used + length > 67) [parts, used] = [parts + 1, 0];
    used += length;
  }
  return parts;
}

test('random texts have the encoding, units and parts that sms-segments-calculator gives them, except where it keeps a grapheme cluster whole', () => {
  const random = new Random(20);
  let differences = 0;
  for (let run = 0; run < loopSize(20_000); run++) {
    const text = randomText(random);
    const ours = describeText(text);
    const theirs = new SegmentedMessage(text);
    expect(ours).toMatchObject({
      encoding: theirs.encodingName,
      units: theirs.messageSize / (ours.encoding === 'GSM-7' ? 7 : 16),
      characters: theirs.numberOfUnicodeScalars,
    });
    if (ours.parts === theirs.segmentsCount) continue;
    // The only class of differences: that library never splits a grapheme cluster between parts. Networks do, because
    // 3GPP TS 23.040 splits by units, so this library may count more parts.
    differences++;
    expect(ours.encoding).toBe('UCS-2');
    expect(theirs.graphemes.some((grapheme) => [...grapheme].length > 1)).toBe(true);
    expect(theirs.segmentsCount).toBe(partsOfWhole(theirs.graphemes, ours.units));
    expect(ours.parts).toBeLessThan(theirs.segmentsCount);
  }
  expect(differences).toBeGreaterThan(0);
});
