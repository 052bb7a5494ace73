/** Splits an absolute http or https URL into its origin and its path with the query. Undefined for any other text. */
export function splitAddress(address: string): { readonly origin: string; readonly path: string } | undefined {
  const [, origin, path] = /^(https?:\/\/[^/?#]+)(.*)$/is.exec(address) ?? [];
  return origin === undefined || path === undefined || !URL.canParse(address) ? undefined : { origin, path };
}
