/**
 * A copy of a text that is part of a larger one. V8 lets a part keep the whole alive, so that a few small texts would hold
 * megabytes.
 */
export function detach(text: string): string {
  return isDetached(text) ? text : Buffer.from(text).toString();
}

/** Whether V8 has copied a part of a text by itself, as it does up to 12 characters. */
export function isDetached(text: string): boolean {
  return text.length < 13;
}
