export interface ContentType {
  /** The media type in lower case; empty without a header. */
  readonly mediaType: string;
  /** The parameters by name in lower case, without quotes. When a parameter is repeated, the first one counts. */
  readonly parameters: ReadonlyMap<string, string>;
}

export function parseContentType(header = ''): ContentType {
  const parameters = new Map<string, string>();
  for (const [, name = '', quoted, bare = ''] of header.matchAll(PARAMETER)) {
    const key = name.toLowerCase();
    if (!parameters.has(key)) parameters.set(key, quoted?.replace(/\\(.)/g, '$1') ?? bare.trim());
  }
  return { mediaType: header.replace(/;.*/s, '').trim().toLowerCase(), parameters };
}

const PARAMETER = /;\s*([^\s=;]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;]*))/g;
