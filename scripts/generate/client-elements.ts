/** The elements of requests that the client fills in itself. */
export const clientElements: ReadonlySet<string> = new Set(['apikey', 'status', 'statusmessage']);
