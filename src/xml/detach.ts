/**
 * A copy of a text that is part of a larger one. V8 lets a part keep the whole alive, so that a few small texts would hold
 * megabytes; up to 12 characters V8 copies by itself.
 */
export function detach(text: string): string {
  return text.length < 13 ? text : Buffer.from(text).toString();
}
