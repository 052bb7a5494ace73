/** The elements that the client itself puts into every request. */
const clientElements = ['apikey', 'status', 'statusmessage'] as const;

export type ClientElement = (typeof clientElements)[number];

export function isClientElement(name: string): name is ClientElement {
  return (clientElements as readonly string[]).includes(name);
}
