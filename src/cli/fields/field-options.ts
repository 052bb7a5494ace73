import { Option } from 'commander';
import type { Element } from '../../soap/element';
import { valueElement } from './field-values';

/** An option that keeps every value, under a key that Commander does not derive from the option's name. */
class KeyedOption extends Option {
  readonly #key: string;

  constructor(flags: string, description: string, key: string) {
    super(flags, description);
    this.#key = key;
    // Commander takes --no-reply for the opposite of --reply.
    this.negate = false;
    this.argParser((text: string, previous: string[] | undefined) => {
      if (!previous) return [text];
      previous.push(text);
      return previous;
    });
  }

  override attributeName(): string {
    return this.#key;
  }
}

/** The option that sets a field. */
export class FieldOption extends KeyedOption {
  /** @param option the name without dashes */
  constructor(option: string, element: Element, help: string) {
    const value = valueElement(element);
    const type = value.kind === 'integer' ? value.type : value.kind === 'boolean' ? 'boolean' : 'string';
    super(`--${option} <${type}${element.kind === 'list' ? '...' : ''}>`, help, fieldKey(element.name));
    // For completion: readValue checks the value, and names all that is wrong at once.
    if (value.kind === 'enumeration') this.argChoices = [...value.values];
    if (value.kind === 'boolean') this.argChoices = ['true', 'false'];
  }
}

/** The option that reads a field from a file. */
export class FileOption extends KeyedOption {
  /**
   * @param option the name without dashes
   * @param isOneOfMany true when the help says that other fields have such an option too
   */
  constructor(option: string, { name, kind }: Element, isOneOfMany: boolean) {
    const what = kind === 'list' ? 'read them from a file, one per line' : 'read it from a file';
    super(`--${option} <path>`, `${what}, - for stdin${isOneOfMany ? ', as any text or list' : ''}`, fileKey(name));
  }
}

/** The key of a field's values. The prefix keeps element names apart from the program's own options. */
export function fieldKey(name: string): string {
  return `field:${name}`;
}

/** The key of the files that a field is read from. */
export function fileKey(name: string): string {
  return `file:${name}`;
}
