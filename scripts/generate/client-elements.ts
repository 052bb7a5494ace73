/** The elements that the client itself puts into every request that has them. */
export const clientElements: ReadonlySet<string> = new Set(['apikey', 'status', 'statusmessage']);
