/** The address of a service in two parts. */
export interface AddressParts {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Path and query, as the WSDL has them. */
  readonly path: string;
}

/** Splits an absolute http or https URL. Undefined for any other text. */
export function splitAddress(address: string): AddressParts | undefined {
  const [, origin, path] = /^(https?:\/\/[^/?#]+)(.*)$/is.exec(address) ?? [];
  return origin === undefined || path === undefined || !URL.canParse(address) ? undefined : { origin, path };
}
