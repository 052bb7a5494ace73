import { SaxesParser } from 'saxes';

/** The members of saxes that we use. Its types hide three of them, which a subclass overrides or reads. */
interface Saxes extends Pick<SaxesParser<{ xmlns: true }>, 'on' | 'write' | 'close' | 'fail' | 'line' | 'position'> {
  readonly attribList: readonly unknown[];
  /** Returns the character of a reference. */
  parseEntity(name: string): string;
  pushAttribNS(name: string, value: string): void;
}

/** saxes, with the types that a subclass needs. */
export const Saxes = SaxesParser as unknown as new (options: object) => Saxes;
