/** A Content-Type header, taken apart. */
export interface ContentType {
  /** In lower case; empty when there is no header. */
  readonly mediaType: string;
  /** By name in lower case, without quotes. Of a repeated one the first counts. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** The last one: a server sends the same each time. */
let cached: { readonly header: string | undefined; readonly contentType: ContentType } | undefined;

export function parseContentType(header: string | undefined): ContentType {
  if (!cached || cached.header !== header) cached = { header, contentType: parse(header ?? '') };
  return cached.contentType;
}

function parse(text: string): ContentType {
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
