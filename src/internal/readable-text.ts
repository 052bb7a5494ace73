import { resolveReferences } from '../xml/references';

const READ_CHARACTERS = 16_384;

/** A title that a page shows within this number of characters is not repeated in front of them. */
const FIRST_WORDS = 300;

/**
 * Returns the words that a person would read in a page of HTML or in XML, on one line: the title, then the text without
 * its markup, scripts and style sheets.
 */
export function readableText(markup: string): string {
  const start = markup.slice(0, READ_CHARACTERS);
  const title = resolve(/<title(?:\s[^<>]*)?>([^<]*)/i.exec(start)?.[1] ?? '');
  const text = resolve(start.replace(/<(head|title|script|style)\b(?:(?!<\1\b).)*?<\/\1\s*>|<[^>]*>?/gis, ' '));
  if (title === '' || text.slice(0, FIRST_WORDS).includes(title)) return text;
  return text === '' ? title : `${title}: ${text}`;
}

/** Writes a text on one line, without the control characters that a terminal would act on. */
export function onOneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
}

function resolve(text: string): string {
  return onOneLine(resolveReferences(text) ?? text);
}
