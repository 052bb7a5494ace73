import { SaxesParser } from 'saxes';

/** An element as an independent parser reads it. */
interface XmlElement {
  readonly prefix: string;
  readonly local: string;
  readonly uri: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: XmlElement[];
  text: string;
}

/** Reads a document with saxes as it is published, and returns the root element. */
export function parseXml(xml: string): XmlElement {
  const parser = new SaxesParser({ xmlns: true });
  const document = { children: [] as XmlElement[], text: '' };
  const open: { children: XmlElement[]; text: string }[] = [document];
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ prefix, local, uri, attributes }) => {
    const values = Object.fromEntries(Object.values(attributes).map(({ name, value }) => [name, value]));
    const element: XmlElement = { prefix, local, uri, attributes: values, children: [], text: '' };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  const addText = (text: string) => {
    (open.at(-1) as { text: string }).text += text;
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => open.pop());
  parser.write(xml).close();
  return document.children[0] as XmlElement;
}

/** Returns the operation element inside the Body of a request. */
export function payloadOf(xml: string): XmlElement {
  return parseXml(xml).children[0]?.children[0] as XmlElement;
}

/** True for a character that XML 1.0 can carry (its production Char). */
export function isXmlCharacter(codePoint: number): boolean {
  return (
    codePoint === 0x9 ||
    codePoint === 0xa ||
    codePoint === 0xd ||
    (codePoint >= 0x20 && codePoint <= 0xd7ff) ||
    (codePoint >= 0xe000 && codePoint <= 0xfffd) ||
    (codePoint >= 0x10000 && codePoint <= 0x10ffff)
  );
}

/** Texts that have broken clients. Each must arrive exactly as it was given. */
export const HOSTILE_TEXTS: Readonly<Record<string, string>> = {
  'Persian with ZWNJ': 'سلام می\u200cخواهم؛ نیم\u200cفاصله',
  emoji: '😀👨\u200d👩\u200d👧 🇮🇷',
  markup: '<b a="1">&amp;</b><!-- x --><?pi?>',
  'a closing operation element': '</message></SendSimpleByApikey>',
  'markup of a second receptor': '</message><receptor><string>1</string></receptor><message>',
  ']]>': 'a]]>b',
  'a CDATA section': '<![CDATA[<apikey>stolen</apikey>]]>',
  'nested CDATA ends': '<![CDATA[a]]]]><![CDATA[>b]]>',
  'entity-like text': '&lt;&#65;&unknown;&',
  quotes: `"double" 'single'`,
  'blanks around': '  a  ',
  'only blanks': '   ',
  'an empty text': '',
  tab: '\ta\tb\t',
  LF: '\na\nb\n',
  CR: '\ra\rb\r',
  CRLF: '\r\na\r\nb\r\n',
  'U+0085': '\u0085a\u0085',
  'U+2028': '\u2028a\u2029',
  'a byte order mark': '\ufeffa\ufeff',
  'the last characters of the planes': '\ud7ff\ue000\ufffd\u{1ffff}\u{10ffff}',
  'DEL and C1': '\u007f\u0080\u009f',
  '100,000 characters': 'سلام <&>\r\n'.repeat(10_000),
};
