export interface ContentType {
  /** The media type in lower case; empty without a header. */
  readonly mediaType: string;
  /** The parameters by name in lower case, without quotes. When a parameter is repeated, the first one counts. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** The last header and its parts. A server sends the same header each time. */
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
