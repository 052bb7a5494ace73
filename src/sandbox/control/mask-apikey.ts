/** A tag of the element up to its attributes. The length of a prefix is limited: V8's matcher runs out of stack on megabytes. */
const START = /<(?:[^\s<>/:]{0,1000}:)?apikey(?=[\s>])/g;
const END = /<\/(?:[^\s<>/:]{0,1000}:)?apikey(?=[\s>])/g;

/**
 * Masks the whole content of each apikey element in the text of a request, which need not be XML. The element may hold the key in
 * a spelling that no mask of the key knows, such as CDATA sections. Without an end tag, the whole rest of the text is masked.
 */
export function maskApikey(body: string): string {
  const parts: string[] = [];
  for (let position = 0; ; ) {
    START.lastIndex = position;
    const open = START.test(body) ? body.indexOf('>', START.lastIndex) : -1;
    END.lastIndex = open;
    const end = open < 0 ? undefined : END.exec(body)?.index;
    const isEmpty = end === undefined && body[open - 1] === '/';
    if (open < 0 || isEmpty) return parts.join('') + body.slice(position);
    parts.push(body.slice(position, open + 1), end === open + 1 ? '' : '***');
    if (end === undefined) return parts.join('');
    position = end;
  }
}
