import { addressWithoutSecrets } from '../../internal/address';
import { isSameBaseUrl } from '../../options/checks';

/** The parts that say which service it is. */
export const serviceParts = ['baseUrl', 'namespace'] as const;
type ServicePart = (typeof serviceParts)[number];

/** The parts as texts, as files and records have them. */
export type ServiceTexts = { readonly [Part in ServicePart]?: string | undefined };

/** The parts of a service that are known: a program may send without naming its service. */
export class Service {
  readonly baseUrl: string | undefined;
  readonly namespace: string | undefined;

  constructor({ baseUrl, namespace }: ServiceTexts = {}) {
    this.baseUrl = baseUrl;
    this.namespace = namespace;
  }

  /** The parts in which another service differs. A part that is not known differs from none. */
  differences(other: Service): readonly ServicePart[] {
    return serviceParts.filter((part) => {
      const [own, given] = [this[part], other[part]];
      if (own === undefined || given === undefined) return false;
      return part === 'baseUrl' ? !isSameBaseUrl(own, given) : own !== given;
    });
  }

  /** Shows a part in a message, without secrets. */
  show(part: ServicePart): string | undefined {
    const text = this[part];
    return part === 'baseUrl' && text !== undefined ? addressWithoutSecrets(text) : text;
  }

  isSame(other: Service): boolean {
    return this.differences(other).length === 0;
  }

  /** "https://provider.example (namespace http://provider.example/)" */
  toString(): string {
    return `${this.baseUrl} (namespace ${this.namespace})`;
  }
}
