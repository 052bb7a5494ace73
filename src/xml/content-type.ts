/** A Content-Type header, taken apart. */
export interface ContentType {
  /** In lower case; empty when there is no header. */
  readonly mediaType: string;
  /** By name in lower case, without quotes. Of a repeated one the first counts. */
  readonly parameters: ReadonlyMap<string, string>;
}

export function parseContentType(header: string | undefined): ContentType {
  const text = header ?? '';
  const semicolon = text.indexOf(';');
  const parameters = new Map<string, string>();
  if (semicolon >= 0) {
    for (const [, name = '', quoted, bare = ''] of text.slice(semicolon).matchAll(PARAMETER)) {
      const key = name.toLowerCase();
      if (!parameters.has(key)) parameters.set(key, quoted?.replace(/\\(.)/g, '$1') ?? bare.trim());
    }
  }
  return { mediaType: (semicolon < 0 ? text : text.slice(0, semicolon)).trim().toLowerCase(), parameters };
}

const PARAMETER = /;\s*([^\s=;]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;]*))/g;
