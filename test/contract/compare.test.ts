import { type Comparison, compareContracts } from '../../src/contract/compare/compare';
import { readWsdl } from '../../src/contract/read/read-contract';
import { addOperation, change, credential, documented, element, wsdl } from './wsdl';

/** A contract with the constructs that ours does not use: one operation more. */
const types =
  '<xsd:simpleType name="Kind"><xsd:restriction base="xsd:string"><xsd:enumeration value="A"/><xsd:enumeration value="B"/></xsd:restriction></xsd:simpleType>' +
  '<xsd:complexType name="Account"><xsd:sequence><xsd:element name="name" type="xsd:string"/><xsd:element name="state" type="tns:Kind"/>' +
  '<xsd:element name="limit" type="xsd:int" nillable="true"/><xsd:element name="active" type="xsd:boolean"/></xsd:sequence></xsd:complexType>';
const extended = addOperation(
  'Probe',
  credential +
    element('kind', 'tns:Kind') +
    element('level', 'xsd:int', 'nillable="true"') +
    element('flag', 'xsd:boolean'),
  element('ProbeResult', 'tns:Account', 'minOccurs="0"'),
  types,
);

type Verdict = 'breaking' | 'compatible';
interface Row {
  readonly what: string;
  /** The verdicts in words. */
  readonly effect: string;
  readonly after: string;
  readonly before?: string;
  readonly requests: Verdict;
  readonly responses: Verdict;
  readonly callers: Verdict;
  /** The difference as a line: where, before, after, why. */
  readonly says: RegExp;
}

/** The contracts that are compared with many others. */
const known = new Map([wsdl, extended].map((text) => [text, readWsdl(text, 'our.wsdl').contract]));

function compare(before: string, after: string): Comparison {
  const read = (text: string) => known.get(text) ?? readWsdl(text, 'their.wsdl').contract;
  return compareContracts(read(before), read(after));
}

function lines({ differences }: Comparison): string {
  return differences
    .map(
      ({ where, before, after, why, operations }) =>
        `${where}: ${before} -> ${after}; ${why} [${operations.join(' ')}]`,
    )
    .join('\n');
}

function row(
  what: string,
  after: string,
  verdicts: readonly [requests: 'B' | 'c', responses: 'B' | 'c', callers: 'B' | 'c'],
  says: RegExp,
  before = wsdl,
): Row {
  const [requests, responses, callers] = verdicts.map((letter) => (letter === 'B' ? 'breaking' : 'compatible'));
  const sides = ['requests', 'responses', 'callers'].filter((_side, index) => verdicts[index] === 'B');
  const effect = sides.length > 0 ? `breaks ${sides.join(', ')}` : 'compatible';
  return { what, after, before, requests, responses, callers, says, effect } as Row;
}

const SEND = 'SendSimpleByApikey';
const pagesize = documented('pagesize', 'xsd:int');
const unixdate = documented('unixdate', 'xsd:long');
const startUnixdate = documented('startUnixdate', 'xsd:long');
const endUnixdate = documented('endUnixdate', 'xsd:long');
const within = (operation: string, from: string, to: string, text = wsdl): string => {
  const start = text.indexOf(`<xsd:element name="${operation}">`);
  const end = text.indexOf('</xsd:element>\n      <xsd:element', start + 1);
  return (
    text.slice(0, start) +
    change(from, to, text.slice(start, end < 0 ? undefined : end)) +
    (end < 0 ? '' : text.slice(end))
  );
};
const withType = (name: string, from: string, to: string, text = wsdl): string =>
  change(`name="${name}" type="${from}"`, `name="${name}" type="${to}"`, text);
/** Our WSDL with a simple type T as the type of an element. */
const restricted = (name: string, from: string, base: string, facets: string): string =>
  withType(
    name,
    from,
    'tns:T',
    change(
      '</xsd:schema>',
      `<xsd:simpleType name="T"><xsd:restriction base="${base}">${facets}</xsd:restriction></xsd:simpleType></xsd:schema>`,
    ),
  );
const facet = (name: string, value: string): string => `<xsd:${name} value="${value}"/>`;
const header = '<soap:header message="tns:SendAdvanceSoapIn" part="AuthHeader" use="literal"/>';

const policy = '<wsp:PolicyReference xmlns:wsp="http://www.w3.org/ns/ws-policy" URI="#p"/>';
const addressing =
  '<wsaw:UsingAddressing xmlns:wsaw="http://www.w3.org/2006/05/addressing/wsdl" wsdl:required="true"/>';

const requests: readonly Row[] = [
  row(
    'a new optional element',
    change(pagesize, pagesize + element('tag', 'xsd:string', 'minOccurs="0"')),
    ['c', 'c', 'B'],
    /request of SelectlatestByApikey, element tag: none -> xsd:string, optional; .*null to leave it out \[SelectlatestByApikey\]/,
  ),
  row(
    'a new required element',
    change(pagesize, pagesize + element('tag', 'xsd:string')),
    ['B', 'c', 'B'],
    /element tag: none -> xsd:string; the service needs the element/,
  ),
  row(
    'a removed element',
    change(pagesize, ''),
    ['B', 'c', 'B'],
    /element pagesize: xsd:int -> none; the service does not know the element/,
  ),
  row(
    'a renamed element',
    change('name="pagesize"', 'name="pageSize"'),
    ['B', 'c', 'B'],
    /element pagesize: xsd:int -> none/,
  ),
  row(
    'two elements in another order',
    within(SEND, '<xsd:element name="sender"', `${unixdate}<xsd:element name="sender"`, within(SEND, unixdate, '')),
    ['B', 'c', 'c'],
    /request of SendSimpleByApikey: apikey, sender, .* -> apikey, unixdate, sender/,
  ),
  row(
    'an int that becomes a long',
    withType('pagesize', 'xsd:int', 'xsd:long'),
    ['c', 'c', 'c'],
    /element pagesize: xsd:int -> xsd:long; the service takes every value/,
  ),
  row(
    'an int that becomes a short',
    withType('pagesize', 'xsd:int', 'xsd:short'),
    ['B', 'c', 'B'],
    /element pagesize: xsd:int -> xsd:short; the service may refuse values that existing calls send/,
  ),
  row(
    'an int that becomes a string',
    withType('pagesize', 'xsd:int', 'xsd:string'),
    ['B', 'c', 'B'],
    /element pagesize: xsd:int -> xsd:string; the service may refuse values/,
  ),
  row(
    'a string that becomes an int',
    withType('lineNumber', 'xsd:string', 'xsd:int'),
    ['B', 'c', 'B'],
    /element lineNumber: xsd:string, optional -> xsd:int/,
  ),
  row(
    'a number that becomes a date',
    withType('startUnixdate', 'xsd:long', 'xsd:dateTime'),
    ['B', 'c', 'B'],
    /xsd:long -> xsd:dateTime/,
  ),
  row(
    'a list that becomes a single value',
    within('GetStatusByApikey', 'tns:ArrayOfLong', 'xsd:long'),
    ['B', 'c', 'B'],
    /element messageid: list of xsd:long in elements long, optional -> xsd:long/,
  ),
  row(
    'a single value that becomes a list',
    within(SEND, 'name="sender" type="xsd:string"', 'name="sender" type="tns:ArrayOfString"'),
    ['B', 'c', 'B'],
    /element sender: xsd:string, optional -> list of xsd:string in elements string/,
  ),
  row(
    'a list with another item type',
    within('CancelByApikey', 'tns:ArrayOfLong', 'tns:ArrayOfInt'),
    ['B', 'c', 'B'],
    /list of xsd:long in elements long, optional -> list of xsd:int in elements int/,
  ),
  row(
    'a list with another item name',
    change('<xsd:element name="string" type="xsd:string"', '<xsd:element name="item" type="xsd:string"'),
    ['B', 'c', 'B'],
    /list of xsd:string in elements string, optional -> list of xsd:string in elements item/,
  ),
  row(
    'a list that must not be empty',
    change(
      'name="string" type="xsd:string" nillable="true" minOccurs="0"',
      'name="string" type="xsd:string" nillable="true"',
    ),
    ['B', 'c', 'c'],
    /request of SendSimpleByApikey, element receptor: none -> minOccurs="1" and maxOccurs="unbounded" of element string; [^\n]* \[SendSimpleByApikey\]$/m,
  ),
  row(
    'a list with a greatest length',
    change(
      'name="string" type="xsd:string" nillable="true" minOccurs="0" maxOccurs="unbounded"',
      'name="string" type="xsd:string" minOccurs="0" maxOccurs="100"',
    ),
    ['B', 'c', 'c'],
    /maxOccurs="100" of element string/,
  ),
  row(
    'an optional string that is required',
    within(SEND, 'name="sender" type="xsd:string" minOccurs="0"', 'name="sender" type="xsd:string"'),
    ['B', 'c', 'B'],
    /element sender: xsd:string, optional -> xsd:string; the service refuses a call that leaves it out with null/,
  ),
  row(
    'a required number that is optional',
    within(SEND, 'name="msgmode" type="xsd:int"', 'name="msgmode" type="xsd:int" minOccurs="0"'),
    ['c', 'c', 'c'],
    /element msgmode: xsd:int -> xsd:int, optional; once generated, calls may leave it out with null/,
  ),
  row(
    'an API key that is required',
    within(SEND, 'name="apikey" type="xsd:string" minOccurs="0"', 'name="apikey" type="xsd:string"'),
    ['c', 'c', 'c'],
    /element apikey: xsd:string, optional -> xsd:string; the client always sends it/,
  ),
  row(
    'no API key',
    within(SEND, credential.slice(0, -2), '<xsd:element name="username" type="xsd:string" minOccurs="0"'),
    ['B', 'c', 'B'],
    /element apikey: xsd:string, optional -> none/,
  ),
  row(
    'a number that may be nil',
    withType('pagesize', 'xsd:int', 'xsd:int" nillable="true'),
    ['c', 'c', 'c'],
    /element pagesize: xsd:int -> xsd:int, nillable; once generated, calls may give null/,
  ),
  row(
    'a number that may no longer be nil',
    change(' nillable="true"/><xsd:element name="flag"', '/><xsd:element name="flag"', extended),
    ['B', 'c', 'B'],
    /element level: xsd:int, nillable -> xsd:int; the service refuses null/,
    extended,
  ),
  row(
    'an enumeration with a value more',
    change('<xsd:enumeration value="B"/>', '<xsd:enumeration value="B"/><xsd:enumeration value="C"/>', extended),
    ['c', 'B', 'B'],
    /request of Probe, element kind: one of A, B -> one of A, B, C; the service takes every value/,
    extended,
  ),
  row(
    'an enumeration with a value less',
    change('<xsd:enumeration value="B"/>', '', extended),
    ['B', 'c', 'B'],
    /request of Probe, element kind: one of A, B -> one of A; the service may refuse/,
    extended,
  ),
  row(
    'an enumeration that becomes a string',
    change('name="kind" type="tns:Kind"', 'name="kind" type="xsd:string"', extended),
    ['c', 'c', 'c'],
    /element kind: one of A, B -> xsd:string/,
    extended,
  ),
  row(
    'a string that becomes an enumeration',
    extended,
    ['B', 'c', 'B'],
    /element kind: xsd:string -> one of A, B/,
    change('name="kind" type="tns:Kind"', 'name="kind" type="xsd:string"', extended),
  ),
  row(
    'a boolean that becomes an int',
    change('name="flag" type="xsd:boolean"', 'name="flag" type="xsd:int"', extended),
    ['B', 'c', 'B'],
    /element flag: xsd:boolean -> xsd:int/,
    extended,
  ),
  row(
    'a string with a greatest length',
    withType(
      'lineNumber',
      'xsd:string',
      'tns:Short',
      change(
        '</xsd:schema>',
        '<xsd:simpleType name="Short"><xsd:restriction base="xsd:string"><xsd:maxLength value="20"/></xsd:restriction></xsd:simpleType></xsd:schema>',
      ),
    ),
    ['B', 'c', 'B'],
    /element lineNumber: xsd:string, optional -> xsd:string with maxLength 20/,
  ),
  row(
    'another name of the request element',
    change(
      'element="tns:SendAdvance"/>',
      'element="tns:SendAdvance2"/>',
      change('<xsd:element name="SendAdvance">', '<xsd:element name="SendAdvance2">'),
    ),
    ['B', 'c', 'c'],
    /request of SendAdvance: SendAdvance -> SendAdvance2/,
  ),
  row(
    'an attribute that is required',
    within(
      'SelectlatestByApikey',
      '</xsd:sequence>',
      '</xsd:sequence><xsd:attribute name="version" type="xsd:string" use="required"/>',
    ),
    ['B', 'c', 'c'],
    /^request of SelectlatestByApikey: none -> xsd:attribute version; not known to this client: it may break \[SelectlatestByApikey\]$/,
  ),
  row(
    'an attribute that may be left out',
    within(
      'SelectlatestByApikey',
      '</xsd:sequence>',
      '</xsd:sequence><xsd:attribute name="version" type="xsd:string"/>',
    ),
    ['c', 'c', 'c'],
    /xsd:attribute version; the client ignores it/,
  ),
  row(
    'a choice that still takes our element',
    within(
      'SelectlatestByApikey',
      pagesize,
      `<xsd:choice>${pagesize}<xsd:element name="all" type="xsd:boolean"/></xsd:choice>`,
    ),
    ['c', 'c', 'B'],
    /^request of SelectlatestByApikey, element pagesize: xsd:int -> xsd:int, optional, in a choice; the service takes it alone \[SelectlatestByApikey\]$/m,
  ),
  row(
    'a choice that needs an element which calls may leave out',
    change(
      '<xsd:element name="lineNumber"',
      '<xsd:choice><xsd:element name="line" type="xsd:int"/><xsd:element name="lineNumber"',
    ).replace(/(<xsd:choice>.*name="lineNumber"[\s\S]*?<\/xsd:element>)/, '$1</xsd:choice>'),
    ['B', 'c', 'B'],
    /^request of ReceiveByApikey, element lineNumber: xsd:string, optional -> xsd:string, optional, in a choice; the service refuses a call that leaves it out with null/,
  ),
  row(
    'a choice between two of our elements',
    within(
      'SelectoutboxByApikey',
      startUnixdate,
      `<xsd:choice>${startUnixdate}${endUnixdate}</xsd:choice>`,
      within('SelectoutboxByApikey', endUnixdate, ''),
    ),
    ['B', 'c', 'B'],
    /^request of SelectoutboxByApikey, element endUnixdate: xsd:long -> xsd:long, optional, in a choice; the service takes it without startUnixdate only, and calls send both \[SelectoutboxByApikey\]$/m,
  ),
  row(
    'a text that may occur several times',
    within(SEND, 'name="sender" type="xsd:string"', 'name="sender" type="xsd:string" maxOccurs="unbounded"'),
    ['c', 'c', 'c'],
    /^request of SendSimpleByApikey, element sender: xsd:string, optional -> a repetition beside other elements, optional; the service takes every value that existing calls may send \[SendSimpleByApikey\]$/,
  ),
  row(
    'a text that must occur twice',
    within(
      SEND,
      'name="sender" type="xsd:string" minOccurs="0"',
      'name="sender" type="xsd:string" minOccurs="2" maxOccurs="2"',
    ),
    ['B', 'c', 'B'],
    /element sender: xsd:string, optional -> a repetition beside other elements; the service may refuse values/,
  ),
  row(
    'an element with a default value',
    change('<xsd:element name="pagesize"', '<xsd:element default="10" name="pagesize"'),
    ['c', 'c', 'c'],
    /^request of SelectlatestByApikey, element pagesize: none -> attribute default of element pagesize; the client ignores it \[SelectlatestByApikey\]$/,
  ),
  row(
    'an element with a fixed value',
    change('<xsd:element name="pagesize"', '<xsd:element fixed="10" name="pagesize"'),
    ['B', 'c', 'c'],
    /^request of SelectlatestByApikey, element pagesize: none -> attribute fixed of element pagesize; not known to this client: it may break/,
  ),
  ...(
    [
      ['a long that becomes an integer', 'startUnixdate', 'xsd:long', 'xsd:integer', 'c'],
      ['a long that becomes an unsigned long', 'startUnixdate', 'xsd:long', 'xsd:unsignedLong', 'B'],
      ['a long that becomes a decimal', 'startUnixdate', 'xsd:long', 'xsd:decimal', 'B'],
      ['a string that becomes a token', 'lineNumber', 'xsd:string', 'xsd:token', 'B'],
    ] as const
  ).map(([what, name, from, to, verdict]) =>
    row(
      `${what} in a request`,
      withType(name, from, to),
      [verdict, 'c', verdict],
      new RegExp(`element ${name}: .*-> ${to}`),
    ),
  ),
  ...(
    [
      ['an int that becomes an int with a smallest value', 'pagesize', 'xsd:int', facet('minInclusive', '0')],
      ['a string whose white space is collapsed', 'lineNumber', 'xsd:string', facet('whiteSpace', 'collapse')],
    ] as const
  ).map(([what, name, base, facets]) =>
    row(
      `${what} in a request`,
      restricted(name, base, base, facets),
      ['B', 'c', 'B'],
      new RegExp(`element ${name}: .*-> ${base} with .*; the service may refuse values`),
    ),
  ),
  row(
    'a nillable number that becomes an integer without nil in a request',
    change('name="level" type="xsd:int" nillable="true"', 'name="level" type="xsd:integer"', extended),
    ['B', 'c', 'B'],
    /element level: xsd:int, nillable -> xsd:integer; the service refuses null/,
    extended,
  ),
  row(
    'a nillable number that becomes a nillable integer in a request',
    change('name="level" type="xsd:int"', 'name="level" type="xsd:integer"', extended),
    ['c', 'c', 'c'],
    /^request of Probe, element level: [^\n]*the service takes every value that existing calls may send \[Probe\]$/,
    extended,
  ),
  row(
    'anything else allowed',
    within('SelectlatestByApikey', pagesize, `${pagesize}<xsd:any minOccurs="0"/>`),
    ['c', 'c', 'c'],
    /^request of SelectlatestByApikey: none -> xsd:any; the client ignores it/,
  ),
];

const responses: readonly Row[] = [
  row(
    'a new element of a record',
    change('<xsd:element name="cost"', `${element('parts', 'xsd:int')}<xsd:element name="cost"`),
    ['c', 'c', 'c'],
    /record ApiSelect, element parts: none -> xsd:int; .*\[SelectoutboxByApikey SelectByApikey SelectlatestByApikey\b/,
  ),
  row(
    'a record without a number',
    change(documented('cost', 'xsd:int'), ''),
    ['c', 'B', 'B'],
    /record ApiSelect, element cost: xsd:int -> none/,
  ),
  row(
    'a record without a string',
    change(documented('statustext', 'xsd:string', 'minOccurs="0"'), ''),
    ['c', 'c', 'B'],
    /record ApiSelect, element statustext: xsd:string, optional -> none; the client reads a response without it; once generated, code that uses it has to change/,
  ),
  row(
    'a renamed element of a record',
    change('name="statustext"', 'name="statusText"'),
    ['c', 'c', 'B'],
    /element statustext: .* -> none/,
  ),
  row(
    'a record in another order',
    change(
      '<xsd:element name="messageid" type="xsd:long">',
      `${documented('cost', 'xsd:int')}<xsd:element name="messageid" type="xsd:long">`,
      change(documented('cost', 'xsd:int'), ''),
    ),
    ['c', 'c', 'c'],
    /record ApiSelect: messageid, .*, cost -> cost, messageid/,
  ),
  row(
    'an int that becomes a long in a record',
    withType('cost', 'xsd:int', 'xsd:long'),
    ['c', 'B', 'B'],
    /element cost: xsd:int -> xsd:long; the client refuses values/,
  ),
  row(
    'an int that becomes a short in a record',
    withType('cost', 'xsd:int', 'xsd:short'),
    ['c', 'c', 'c'],
    /element cost: xsd:int -> xsd:short/,
  ),
  row(
    'a long that becomes an int in a record',
    change('name="date" type="xsd:long"', 'name="date" type="xsd:int"'),
    ['c', 'c', 'B'],
    /element date: xsd:long -> xsd:int; .*once generated, it has another type/,
  ),
  row(
    'a number that becomes a decimal',
    withType('cost', 'xsd:int', 'xsd:decimal'),
    ['c', 'B', 'B'],
    /element cost: xsd:int -> xsd:decimal/,
  ),
  row(
    'a number that becomes a string in a record',
    withType('cost', 'xsd:int', 'xsd:string'),
    ['c', 'B', 'B'],
    /element cost: xsd:int -> xsd:string; the client refuses values that the service may send/,
  ),
  row(
    'a number that may be absent in a record',
    withType('cost', 'xsd:int', 'xsd:int" minOccurs="0'),
    ['c', 'B', 'B'],
    /element cost: xsd:int -> xsd:int, optional; the client needs the element/,
  ),
  row(
    'a number that may be nil in a record',
    withType('cost', 'xsd:int', 'xsd:int" nillable="true'),
    ['c', 'B', 'B'],
    /element cost: xsd:int -> xsd:int, nillable; .*not xsi:nil/,
  ),
  row(
    'a number that is no longer nil in a record',
    change(element('limit', 'xsd:int', 'nillable="true"'), element('limit', 'xsd:int'), extended),
    ['c', 'c', 'c'],
    /element limit: xsd:int, nillable -> xsd:int; the element is never nil/,
    extended,
  ),
  row(
    'a string that becomes a union in a record',
    withType(
      'statustext',
      'xsd:string',
      'tns:T',
      change(
        '</xsd:schema>',
        '<xsd:simpleType name="T"><xsd:union memberTypes="xsd:int xsd:date"/></xsd:simpleType></xsd:schema>',
      ),
    ),
    ['c', 'c', 'c'],
    /element statustext: xsd:string, optional -> xsd:union, optional; the client reads every value/,
  ),
  row(
    'an optional string that may be nil in a record',
    change(
      'name="statustext" type="xsd:string" minOccurs="0"',
      'name="statustext" type="xsd:string" minOccurs="0" nillable="true"',
    ),
    ['c', 'c', 'c'],
    /^record ApiSelect, element statustext: xsd:string, optional -> xsd:string, optional, nillable; the client reads nil as an absent element \[SelectoutboxByApikey SelectByApikey SelectlatestByApikey\b/,
  ),
  row(
    'an unqualified element in a record',
    change('<xsd:element name="cost"', '<xsd:element form="unqualified" name="cost"'),
    ['c', 'B', 'c'],
    /^record ApiSelect, element cost: none -> an element without a namespace; not known to this client: it may break \[SelectoutboxByApikey SelectByApikey SelectlatestByApikey\b/,
  ),
  row(
    'a default value in a record',
    change('<xsd:element name="cost"', '<xsd:element default="1" name="cost"'),
    ['c', 'B', 'c'],
    /^record ApiSelect, element cost: none -> attribute default of element cost; not known to this client: it may break/,
  ),
  row(
    'another name of a record',
    wsdl
      .replaceAll('<xsd:complexType name="ApiSelect">', '<xsd:complexType name="Sent">')
      .replaceAll('type="tns:ApiSelect"', 'type="tns:Sent"'),
    ['c', 'c', 'B'],
    /^record ApiSelect: ApiSelect -> Sent; the same on the wire; once generated, its type has another name \[SelectoutboxByApikey SelectByApikey SelectlatestByApikey\]$/,
  ),
  ...['int', 'boolean', 'short', 'long'].map((type) =>
    row(
      `a text that becomes an xsd:${type}`,
      change('name="statustext" type="xsd:string"', `name="statustext" type="xsd:${type}"`),
      ['c', 'c', 'B'],
      /^record ApiSelect, element statustext: .*; once generated, it has another type/,
    ),
  ),
  ...['minOccurs="1" maxOccurs="unbounded"', 'minOccurs="0" maxOccurs="2"'].map((limits) =>
    row(
      `a list of a response with the limits ${limits}`,
      change(
        'type="tns:ApiSelect" nillable="true" minOccurs="0" maxOccurs="unbounded"',
        `type="tns:ApiSelect" nillable="true" ${limits}`,
      ),
      ['c', 'c', 'c'],
      /the client ignores it/,
    ),
  ),
  row(
    'encoded responses',
    change('<wsdl:output><soap:body use="literal"/>', '<wsdl:output><soap:body use="encoded"/>'),
    ['c', 'B', 'c'],
    /^operations: none -> soap:body use="encoded"/,
  ),
  row(
    'a choice in a record',
    change(documented('cost', 'xsd:int'), `<xsd:choice>${documented('cost', 'xsd:int')}</xsd:choice>`),
    ['c', 'B', 'B'],
    /^record ApiSelect, element cost: xsd:int -> xsd:int, optional, in a choice; the client needs the element/,
  ),
  row(
    'a string that is always there in a record',
    change('name="statustext" type="xsd:string" minOccurs="0"', 'name="statustext" type="xsd:string"'),
    ['c', 'c', 'c'],
    /element statustext: xsd:string, optional -> xsd:string; the element is always there/,
  ),
  row(
    'a string that may be absent in a record',
    change(element('name', 'xsd:string'), element('name', 'xsd:string', 'minOccurs="0"'), extended),
    ['c', 'B', 'B'],
    /record Account, element name: xsd:string -> xsd:string, optional/,
    extended,
  ),
  row(
    'a string that may be nil in a record',
    change(element('name', 'xsd:string'), element('name', 'xsd:string', 'nillable="true"'), extended),
    ['c', 'B', 'B'],
    /record Account, element name: xsd:string -> xsd:string, nillable/,
    extended,
  ),
  ...(
    [
      ['a string that becomes a token', 'statustext', 'xsd:string', 'xsd:token', 'c'],
      ['a string that becomes a date', 'statustext', 'xsd:string', 'xsd:dateTime', 'c'],
      ['a string that becomes an address', 'statustext', 'xsd:string', 'xsd:anyURI', 'c'],
      ['a string that becomes any simple type', 'statustext', 'xsd:string', 'xsd:anySimpleType', 'c'],
      ['a string that becomes any type', 'statustext', 'xsd:string', 'xsd:anyType', 'B'],
      ['an int that becomes an unsigned byte', 'cost', 'xsd:int', 'xsd:unsignedByte', 'c'],
      ['an int that becomes an unsigned int', 'cost', 'xsd:int', 'xsd:unsignedInt', 'B'],
      ['an int that becomes an integer', 'cost', 'xsd:int', 'xsd:integer', 'B'],
      ['an int that becomes a decimal', 'cost', 'xsd:int', 'xsd:decimal', 'B'],
    ] as const
  ).map(([what, name, from, to, verdict]) =>
    row(
      `${what} in a response`,
      withType(name, from, to),
      ['c', verdict, verdict],
      new RegExp(`element ${name}: .*-> ${to}`),
    ),
  ),
  ...(
    [
      ['a string with a greatest length', 'statustext', 'xsd:string', 'xsd:string', facet('maxLength', '20'), 'c'],
      ['a string with a pattern', 'statustext', 'xsd:string', 'xsd:token', facet('pattern', '[a-z]*'), 'c'],
      ['an int with a smallest value', 'cost', 'xsd:int', 'xsd:int', facet('minInclusive', '0'), 'c'],
    ] as const
  ).map(([what, name, from, base, facets, verdict]) =>
    row(
      `a ${from} that becomes ${what} in a response`,
      restricted(name, from, base, facets),
      ['c', verdict, verdict],
      new RegExp(`element ${name}: .*-> xsd:\\w+ with `),
    ),
  ),
  row(
    'a number of a narrower type that may be absent in a response',
    change('name="cost" type="xsd:int"', 'name="cost" type="xsd:unsignedByte" minOccurs="0"'),
    ['c', 'B', 'B'],
    /element cost: xsd:int -> xsd:unsignedByte, optional; the client needs the element/,
  ),
  row(
    'a number of a narrower type that may be nil in a response',
    change('name="cost" type="xsd:int"', 'name="cost" type="xsd:unsignedByte" nillable="true"'),
    ['c', 'B', 'B'],
    /element cost: xsd:int -> xsd:unsignedByte, nillable; the client expects a value, not xsi:nil/,
  ),
  row(
    'a list whose items have a narrower type and may be nil in a response',
    withType(
      'GetStatusByApikeyResult',
      'tns:ArrayOfInt',
      'tns:Bytes',
      change(
        '</xsd:schema>',
        '<xsd:complexType name="Bytes"><xsd:sequence><xsd:element name="int" type="xsd:unsignedByte" nillable="true" minOccurs="0" maxOccurs="unbounded"/></xsd:sequence></xsd:complexType></xsd:schema>',
      ),
    ),
    ['c', 'B', 'B'],
    /element GetStatusByApikeyResult: list of xsd:int .* -> list of xsd:unsignedByte/,
  ),
  row(
    'an enumeration with a value less in a response',
    change('name="state" type="tns:Kind"', 'name="state" type="tns:Kind2"', extended).replace(
      '</xsd:schema>',
      `<xsd:simpleType name="Kind2"><xsd:restriction base="tns:Kind">${facet('enumeration', 'B')}</xsd:restriction></xsd:simpleType></xsd:schema>`,
    ),
    ['c', 'c', 'c'],
    /element state: one of A, B -> one of B; the client reads every value/,
    extended,
  ),
  row(
    'a list of long that becomes a list of int with the same item',
    change('<xsd:element name="long" type="xsd:long"', '<xsd:element name="long" type="xsd:int"'),
    ['B', 'c', 'B'],
    /element SendSimpleByApikeyResult: .*; the client reads every value .*; once generated, it has another type/,
  ),
  row(
    'an enumeration that becomes a string in a record',
    change('name="state" type="tns:Kind"', 'name="state" type="xsd:string"', extended),
    ['c', 'B', 'B'],
    /element state: one of A, B -> xsd:string/,
    extended,
  ),
  row(
    'a single long that becomes a list',
    withType('SendAdvanceResult', 'xsd:long', 'tns:ArrayOfLong'),
    ['c', 'B', 'B'],
    /SendAdvanceResult: xsd:long -> list of xsd:long/,
  ),
  row(
    'a single long that may be absent',
    withType('SendAdvanceResult', 'xsd:long', 'xsd:long" minOccurs="0'),
    ['c', 'B', 'B'],
    /SendAdvanceResult: xsd:long -> xsd:long, optional/,
  ),
  row(
    'a list that is always there',
    change(
      'name="GetStatusByApikeyResult" type="tns:ArrayOfInt" minOccurs="0"',
      'name="GetStatusByApikeyResult" type="tns:ArrayOfInt"',
    ),
    ['c', 'c', 'c'],
    /^response of GetStatusByApikey, element GetStatusByApikeyResult: list of xsd:int in elements int, optional -> list of xsd:int in elements int; the element is always there \[GetStatusByApikey\]$/,
  ),
  row(
    'no result list',
    within('GetStatusByApikeyResponse', documented('GetStatusByApikeyResult', 'tns:ArrayOfInt', 'minOccurs="0"'), ''),
    ['c', 'B', 'B'],
    /element GetStatusByApikeyResult: list of xsd:int .* -> none; the client reads an empty list in its place/,
  ),
  row(
    'a list of other records',
    withType('SelectByApikeyResult', 'tns:ArrayOfApiSelect', 'tns:ArrayOfApiReceive'),
    ['c', 'B', 'B'],
    /SelectByApikeyResult: list of ApiSelect in elements ApiSelect, optional -> list of ApiReceive/,
  ),
  row(
    'records with another element name',
    change('<xsd:element name="ApiSelect" type="tns:ApiSelect"', '<xsd:element name="Message" type="tns:ApiSelect"'),
    ['c', 'B', 'B'],
    /list of ApiSelect in elements ApiSelect, optional -> list of ApiSelect in elements Message/,
  ),
  row(
    'a result of another name',
    change('name="SendAdvanceResult"', 'name="SendAdvanceReturn"'),
    ['c', 'B', 'B'],
    /element SendAdvanceResult: xsd:long -> none/,
  ),
  row(
    'a response without status',
    within(
      'SendAdvanceResponse',
      documented('status', 'xsd:int')
        .replace(/The status of the message/, 'The outcome')
        .replaceAll('\n', '\n  '),
      '',
    ),
    ['c', 'B', 'B'],
    /response of SendAdvance, element status: xsd:int -> none/,
  ),
  row(
    'another name of the response element',
    change(
      'element="tns:SendAdvanceResponse"/>',
      'element="tns:SendAdvanceAnswer"/>',
      change('<xsd:element name="SendAdvanceResponse">', '<xsd:element name="SendAdvanceAnswer">'),
    ),
    ['c', 'B', 'c'],
    /response of SendAdvance: SendAdvanceResponse -> SendAdvanceAnswer/,
  ),
  ...['final="#all"', 'block="#all"'].map((attribute) =>
    row(
      `${attribute} of a record`,
      change('<xsd:complexType name="ApiSelect"', `<xsd:complexType ${attribute} name="ApiSelect"`),
      ['c', 'c', 'c'],
      /^$/,
    ),
  ),
  row(
    'an attribute of a record',
    change(
      '<xsd:complexType name="ApiReceive">\n        <xsd:sequence>',
      '<xsd:complexType name="ApiReceive">\n        <xsd:attribute name="id" type="xsd:int" use="required"/><xsd:sequence>',
    ),
    ['c', 'c', 'c'],
    /^record ApiReceive: none -> xsd:attribute id; /,
  ),
];

const operations: readonly Row[] = [
  row(
    'a new operation',
    addOperation('Ping', credential, element('PingResult', 'xsd:long')),
    ['c', 'c', 'c'],
    /operation Ping: none -> an operation; .* \[Ping\]/,
  ),
  row(
    'a removed operation',
    wsdl,
    ['B', 'B', 'B'],
    /operation Ping: an operation -> none; the service does not know it/,
    addOperation('Ping', credential, element('PingResult', 'xsd:long')),
  ),
  row(
    'an operation spelt in another way',
    wsdl.replaceAll('RemainCreditByApiKey', 'RemainCreditByApikey'),
    ['B', 'B', 'B'],
    /operation RemainCreditByApiKey: an operation -> none \(but RemainCreditByApikey\)/,
  ),
  row(
    'no SOAP 1.2',
    wsdl
      .replace(/<wsdl:binding name="v1Soap12"[\s\S]*?<\/wsdl:binding>/, '')
      .replace(/<wsdl:port name="v1Soap12"[\s\S]*?<\/wsdl:port>/, ''),
    ['B', 'c', 'c'],
    /binding of SOAP 1\.2: bound -> none; .*set another soapVersion/,
  ),
  row(
    'no SOAP 1.1',
    wsdl
      .replace(/<wsdl:binding name="v1Soap"[\s\S]*?<\/wsdl:binding>/, '')
      .replace(/<wsdl:port name="v1Soap"[\s\S]*?<\/wsdl:port>/, ''),
    ['B', 'c', 'c'],
    /binding of SOAP 1\.1: bound -> none/,
  ),
  row(
    'a binding of SOAP 1.2 to another portType',
    change(
      '<wsdl:binding name="v1Soap12" type="tns:v1Soap">',
      '<wsdl:portType name="other"/><wsdl:binding name="v1Soap12" type="tns:other">',
    ),
    ['B', 'c', 'c'],
    /^binding of SOAP 1\.2: bound -> none; the service takes no SOAP 1\.2/,
  ),
  row(
    'an operation that one binding lacks',
    wsdl.replace(/<wsdl:operation name="SendAdvance">\s*<soap12:[\s\S]*?<\/wsdl:operation>/, ''),
    ['B', 'c', 'c'],
    /operation SendAdvance in the binding of SOAP 1\.2: bound -> none/,
  ),
  row(
    'another soapAction for SOAP 1.1',
    change('soapAction="http://messaging.example/SendAdvance"', 'soapAction="urn:SendAdvance"'),
    ['B', 'c', 'c'],
    /soapAction of SendAdvance \(SOAP 1\.1\): \{namespace\}SendAdvance -> urn:SendAdvance/,
  ),
  row(
    'another soapAction for SOAP 1.2',
    change(
      '<soap12:operation soapAction="http://messaging.example/SendAdvance"',
      '<soap12:operation soapAction="urn:SendAdvance"',
    ),
    ['c', 'c', 'c'],
    /soapAction of SendAdvance \(SOAP 1\.2\): .*; the client sends no SOAPAction with SOAP 1\.2/,
  ),
  row(
    'a namespace that lacks the slash of its soapActions',
    wsdl.replaceAll('"http://messaging.example/"', '"http://messaging.example"'),
    ['B', 'c', 'c'],
    /soapAction of SendAdvance \(SOAP 1\.1\): \{namespace\}SendAdvance -> \{namespace\}\/SendAdvance/,
  ),
  row(
    'a header',
    change(
      '<wsdl:input><soap:body use="literal"/></wsdl:input>',
      `<wsdl:input><soap:body use="literal"/>${header}</wsdl:input>`,
    ),
    ['B', 'c', 'c'],
    /^operations: none -> soap:header AuthHeader of input; not known to this client: it may break \[SelectoutboxByApikey\]$/,
  ),
  row(
    'a header of responses',
    change(
      '<wsdl:output><soap:body use="literal"/></wsdl:output>',
      `<wsdl:output><soap:body use="literal"/>${header}</wsdl:output>`,
    ),
    ['c', 'c', 'c'],
    /soap:header AuthHeader of output; the client ignores it/,
  ),
  row(
    'rpc',
    change('<soap:binding style="document"', '<soap:binding style="rpc"'),
    ['B', 'B', 'c'],
    /^binding of SOAP 1\.1: none -> soap:binding style="rpc"/,
  ),
  row(
    'encoded bodies',
    change('<soap:body use="literal"/>', '<soap:body use="encoded"/>'),
    ['B', 'c', 'c'],
    /^operations: none -> soap:body use="encoded"/,
  ),
  row(
    'another transport',
    change('transport="http://schemas.xmlsoap.org/soap/http"', 'transport="http://schemas.xmlsoap.org/soap/smtp"'),
    ['B', 'B', 'c'],
    /^binding of SOAP 1\.1: none -> transport http:\/\/schemas\.xmlsoap\.org\/soap\/smtp/,
  ),
  row(
    'a policy',
    change(
      '<soap:binding style',
      '<wsp:PolicyReference xmlns:wsp="http://www.w3.org/ns/ws-policy" URI="#p"/><soap:binding style',
    ),
    ['B', 'B', 'c'],
    /PolicyReference \(\{http:\/\/www\.w3\.org\/ns\/ws-policy\}\)/,
  ),
  ...(
    [
      ['a port', '<soap:address location="http://provider.example/soap/v1.asmx"/>'],
      ['a service', '<wsdl:service name="v1">'],
      ['a portType', '<wsdl:portType name="v1Soap">'],
      ['an operation of a portType', '<wsdl:documentation>Gets the remaining credit.</wsdl:documentation>'],
      ['a message', '<wsdl:message name="SendAdvanceSoapIn">'],
    ] as const
  ).map(([what, place]) =>
    row(`a policy in ${what}`, change(place, `${place}${policy}`), ['B', 'B', 'c'], /: none -> PolicyReference \(/),
  ),
  row(
    'required addressing in a service',
    change('<wsdl:service name="v1">', `<wsdl:service name="v1">${addressing}`),
    ['B', 'B', 'c'],
    /: none -> UsingAddressing \(/,
  ),
  row(
    'PolicyURIs of a portType',
    change('<wsdl:portType', '<wsdl:portType xmlns:wsp="http://www.w3.org/ns/ws-policy" wsp:PolicyURIs="#p"'),
    ['B', 'B', 'c'],
    /: none -> attribute \{http:\/\/www\.w3\.org\/ns\/ws-policy\}PolicyURIs/,
  ),
  row(
    'addressing that may be left out',
    change('<wsdl:service name="v1">', `<wsdl:service name="v1">${addressing.replace('"true"', '"0"')}`),
    ['c', 'c', 'c'],
    /UsingAddressing .*; the client ignores it/,
  ),
  row(
    'soapActionRequired written as 1',
    change('<soap12:operation soapAction', '<soap12:operation soapActionRequired="1" soapAction'),
    ['B', 'B', 'c'],
    /^operations: none -> soapActionRequired="true"/,
  ),
  row(
    'mixed content written as 1',
    change('<xsd:complexType name="ApiSelect">', '<xsd:complexType name="ApiSelect" mixed=" 1 ">'),
    ['c', 'B', 'c'],
    /^record ApiSelect: none -> attribute mixed of complexType ApiSelect/,
  ),
  row(
    'an abstract response element',
    change('<xsd:element name="SendAdvanceResponse">', '<xsd:element name="SendAdvanceResponse" abstract="true">'),
    ['c', 'B', 'c'],
    /attribute abstract of element SendAdvanceResponse/,
  ),
  row(
    'a body without its part',
    change('<soap:body use="literal"/>', '<soap:body use="literal" parts=""/>'),
    ['B', 'c', 'c'],
    /soap:body parts="" of input/,
  ),
  row(
    'an operation without a body',
    change('<soap:body use="literal"/>', ''),
    ['B', 'c', 'c'],
    /^operations: none -> input of operation SelectoutboxByApikey without soap:body/,
  ),
  row(
    'the output before the input',
    change(
      '<wsdl:input message="tns:SendAdvanceSoapIn"/>\n      <wsdl:output message="tns:SendAdvanceSoapOut"/>',
      '<wsdl:output message="tns:SendAdvanceSoapOut"/><wsdl:input message="tns:SendAdvanceSoapIn"/>',
    ),
    ['B', 'B', 'c'],
    /output of operation SendAdvance before its input/,
  ),
  row(
    'a request without a type',
    change(
      'element="tns:SendAdvance"/>',
      'element="tns:Report"/>',
      change('</xsd:schema>', '<xsd:element name="Report"/></xsd:schema>'),
    ),
    ['B', 'c', 'B'],
    /element Report without elements in it/,
  ),
  row(
    'a response that is a DataSet',
    change(
      '<xsd:element name="GetStatusByApikeyResult" type="tns:ArrayOfInt" minOccurs="0">',
      '<xsd:element name="GetStatusByApikeyResult" minOccurs="0"><xsd:complexType><xsd:sequence><xsd:element ref="xsd:schema"/><xsd:any/></xsd:sequence></xsd:complexType>',
      wsdl.replace(/(name="GetStatusByApikeyResult"[^>]*>)\s*<xsd:annotation>.*<\/xsd:annotation>/, '$1'),
    ),
    ['c', 'B', 'B'],
    /element GetStatusByApikeyResult: list of xsd:int .* -> a record/,
  ),
  row(
    'unqualified elements',
    change('elementFormDefault="qualified"', 'elementFormDefault="unqualified"'),
    ['B', 'B', 'c'],
    /^request of SendAdvance, element sender: none -> an element without a namespace; not known to this client: it may break \[SendAdvance\]$/m,
  ),
  row(
    'one unqualified element',
    change('<xsd:element name="pagesize"', '<xsd:element form="unqualified" name="pagesize"'),
    ['B', 'c', 'c'],
    /^request of SelectlatestByApikey, element pagesize: none -> an element without a namespace; .* \[SelectlatestByApikey\]$/,
  ),
  row(
    'another path',
    wsdl.replaceAll('/soap/v1.asmx', '/soap/v2.asmx'),
    ['B', 'c', 'c'],
    /^address: \{baseUrl\}\/soap\/v1\.asmx -> http:\/\/provider\.example\/soap\/v2\.asmx; the client posts to [^\n]*$/,
  ),
  row(
    'another path for SOAP 1.2',
    change(
      '<soap12:address location="http://provider.example/soap/v1.asmx"',
      '<soap12:address location="http://provider.example/soap12"',
    ),
    ['B', 'c', 'c'],
    /^address \(SOAP 1\.2\): http:\/\/provider\.example\/soap\/v1\.asmx -> http:\/\/provider\.example\/soap12; the client posts to [^\n]*$/,
  ),
  row(
    'another path for SOAP 1.1',
    change(
      '<soap:address location="http://provider.example/soap/v1.asmx"',
      '<soap:address location="http://provider.example/soap11"',
    ),
    ['B', 'c', 'c'],
    /^address \(SOAP 1\.1\): http:\/\/provider\.example\/soap\/v1\.asmx -> http:\/\/provider\.example\/soap11; [^\n]*$/,
  ),
  row(
    'another host for SOAP 1.2',
    change('<soap12:address location="http://provider.example/', '<soap12:address location="http://other.example/'),
    ['B', 'c', 'c'],
    /^address \(SOAP 1\.2\): http:\/\/provider\.example\/soap\/v1\.asmx -> http:\/\/other\.example\/soap\/v1\.asmx; the client has one base URL [^\n]*$/,
  ),
  row(
    'a binding of SOAP 1.2 without a port',
    wsdl.replace(/<wsdl:port name="v1Soap12"[\s\S]*?<\/wsdl:port>/, ''),
    ['B', 'c', 'c'],
    /^binding of SOAP 1\.2: bound -> no port; the service takes no SOAP 1\.2[^\n]*$/,
  ),
  row(
    'no service',
    wsdl.replace(/<wsdl:service[\s\S]*<\/wsdl:service>/, ''),
    ['B', 'c', 'c'],
    /^binding of SOAP 1\.1: bound -> no port; .*\nbinding of SOAP 1\.2: bound -> no port; .*$/,
  ),
  row(
    'a header instead of the API key',
    wsdl
      .replaceAll(/<xsd:element name="apikey"(?:[^>]*\/>|[\s\S]*?<\/xsd:element>)/g, '')
      .replaceAll('<wsdl:input><soap:body use="literal"/>', `<wsdl:input><soap:body use="literal"/>${header}`),
    ['B', 'c', 'B'],
    /element apikey: xsd:string, optional -> none/,
  ),
];

test.each([...requests, ...responses, ...operations])('contract diff finds $what, and says "$effect"', (row) => {
  const comparison = compare(row.before ?? wsdl, row.after);
  const text = lines(comparison);
  expect(text).toMatch(row.says);
  const worst = (side: 'requests' | 'responses' | 'callers'): Verdict =>
    comparison.differences.some((difference) => difference[side] === 'breaking') ? 'breaking' : 'compatible';
  expect({ requests: worst('requests'), responses: worst('responses'), callers: worst('callers'), text }).toEqual({
    requests: row.requests,
    responses: row.responses,
    callers: row.callers,
    text,
  });
  expect(comparison.breaking).toBe(row.requests === 'breaking' || row.responses === 'breaking');
});

/** Moves a part of the WSDL. */
function move(part: RegExp, before: string): string {
  const [found] = part.exec(wsdl) ?? [];
  if (!found) throw new Error(`the WSDL does not hold ${part}`);
  return change(before, found + before, wsdl.replace(part, ''));
}

const schemaEnd = '</xsd:schema>';
const httpGet =
  '<wsdl:portType name="v1HttpGet"><wsdl:operation name="SendAdvance"/></wsdl:portType>' +
  '<wsdl:binding name="v1HttpGet" type="tns:v1HttpGet"><http:binding xmlns:http="http://schemas.xmlsoap.org/wsdl/http/" verb="GET"/></wsdl:binding>';
const sameMeaning: readonly (readonly [string, string])[] = [
  ['itself', wsdl],
  [
    'other prefixes',
    wsdl
      .replaceAll('wsdl:', 'w:')
      .replaceAll('xmlns:wsdl', 'xmlns:w')
      .replaceAll('xsd:', 's:')
      .replaceAll('xmlns:xsd', 'xmlns:s'),
  ],
  ['a default namespace', wsdl.replaceAll('wsdl:', '').replaceAll('xmlns:wsdl', 'xmlns')],
  [
    'blanks around the names that are referred to',
    wsdl.replaceAll(/ (type|element|message|binding)="(tns:\w+)"/g, ' $1=" $2\n"'),
  ],
  ['comments', wsdl.replaceAll('<xsd:element', '<!-- a -->\n<xsd:element')],
  ['no comments', wsdl.replaceAll(/<!--[\s\S]*?-->/g, '')],
  ['no documentation', wsdl.replaceAll(/<xsd:annotation>.*<\/xsd:annotation>/g, '')],
  ['other line ends and no indentation', wsdl.replaceAll(/\n\s*/g, '\r\n')],
  [
    'attributes in single quotes and another order',
    wsdl.replaceAll(/name="(\w+)" type="([\w:]+)"/g, "type='$2'   name='$1'"),
  ],
  [
    'types after the elements that use them',
    move(/ *<xsd:complexType name="ApiSelect">[\s\S]*?<\/xsd:complexType>\n/, schemaEnd),
  ],
  ['bindings before the types', move(/ *<wsdl:binding name="v1Soap12"[\s\S]*?<\/wsdl:binding>\n/, '<wsdl:types>')],
  ['the service first', move(/ *<wsdl:service[\s\S]*?<\/wsdl:service>\n/, '<wsdl:types>')],
  [
    'operations in another order',
    move(
      / *<wsdl:operation name="SendAdvance">\s*<wsdl:documentation>[\s\S]*?<\/wsdl:operation>\n/,
      '</wsdl:portType>',
    ),
  ],
  [
    'two schemas of one namespace',
    change(
      '      <xsd:element name="SelectoutboxByApikey">',
      '</xsd:schema><xsd:schema elementFormDefault="qualified" targetNamespace="http://messaging.example/"><xsd:import namespace="http://messaging.example/"/><xsd:element name="SelectoutboxByApikey">',
    ),
  ],
  ['another name of a list type', wsdl.replaceAll('ArrayOfLong', 'Longs')],
  [
    'an inline list type',
    change(
      '<xsd:element name="SelectByApikeyResult" type="tns:ArrayOfApiSelect" minOccurs="0">',
      '<xsd:element name="SelectByApikeyResult" minOccurs="0"><xsd:complexType><xsd:sequence><xsd:element name="ApiSelect" type="tns:ApiSelect" minOccurs="0" maxOccurs="unbounded"/></xsd:sequence></xsd:complexType>',
    ),
  ],
  [
    'a named type of a message',
    change(
      '<xsd:element name="SelectlatestByApikey">',
      '<xsd:element name="SelectlatestByApikey" type="tns:Latest"/><xsd:complexType name="Latest"><xsd:sequence><xsd:element name="apikey" type="xsd:string" minOccurs="0"/><xsd:element name="pagesize" type="xsd:int"/><xsd:element name="status" type="xsd:int"/><xsd:element name="statusmessage" type="xsd:string" minOccurs="0"/></xsd:sequence></xsd:complexType><xsd:element name="Unused">',
    ),
  ],
  [
    'an element by reference',
    change(
      pagesize,
      '<xsd:element ref="tns:pagesize"/>',
      change(schemaEnd, `<xsd:element name="pagesize" type="xsd:int"/>${schemaEnd}`),
    ),
  ],
  [
    'another name of a simple type',
    withType(
      'pagesize',
      'xsd:int',
      'tns:Count',
      change(schemaEnd, `<xsd:simpleType name="Count"><xsd:restriction base="xsd:int"/></xsd:simpleType>${schemaEnd}`),
    ),
  ],
  [
    'form on each element',
    change('elementFormDefault="qualified"', '').replaceAll(
      /<xsd:element (name="\w+" type)/g,
      '<xsd:element form="qualified" $1',
    ),
  ],
  [
    'an import of XML Schema itself',
    change(
      '<xsd:schema elementFormDefault',
      '<xsd:schema targetNamespace="urn:a"><xsd:import namespace="http://www.w3.org/2001/XMLSchema"/></xsd:schema><xsd:schema elementFormDefault',
    ),
  ],
  [
    'numbers of occurrences with zeros in front',
    wsdl
      .replaceAll('minOccurs="0"', 'minOccurs="00"')
      .replaceAll('type="xsd:int">', 'type="xsd:int" minOccurs="01" maxOccurs="+1">'),
  ],
  [
    'an element that never occurs',
    change(pagesize, `${pagesize}<xsd:element name="old" type="xsd:int" minOccurs="0" maxOccurs="0"/>`),
  ],
  ['a blank after the address', wsdl.replaceAll('/soap/v1.asmx"', '/soap/v1.asmx "')],
  ['default occurrence written out', wsdl.replaceAll('type="xsd:int">', 'type="xsd:int" minOccurs="1" maxOccurs="1">')],
  [
    'nillable strings in requests',
    ['sender', 'receptor', 'apikey', 'lineNumber']
      .reduce(
        (text, name) => text.replaceAll(`name="${name}" type="xsd:string"`, `$& nillable="true"`),
        wsdl.replace(/<xsd:complexType name="Api(?:Select|Receive)">[\s\S]*?<\/xsd:complexType>/g, (record) =>
          record.replaceAll('name="', 'name="\u0000'),
        ),
      )
      .replaceAll('\u0000', ''),
  ],
  [
    'other names of messages and parts',
    wsdl.replaceAll(/(\w+)SoapIn"/g, '$1Request"').replaceAll('name="parameters"', 'name="body"'),
  ],
  [
    'other names of service, portType, bindings and ports',
    wsdl.replaceAll('v1Soap', 'MessagingPort').replaceAll('name="v1"', 'name="Messaging"'),
  ],
  [
    'the host in capitals, and the port written out, for SOAP 1.2',
    change(
      '<soap12:address location="http://provider.example/',
      '<soap12:address location="http://PROVIDER.example:80/',
    ),
  ],
  ['HTTP GET beside SOAP', change('</wsdl:definitions>', `${httpGet}</wsdl:definitions>`)],
  [
    'declared faults',
    change(
      '<wsdl:output message="tns:SendAdvanceSoapOut"/>',
      '<wsdl:output message="tns:SendAdvanceSoapOut"/><wsdl:fault name="f" message="tns:SendAdvanceSoapOut"/>',
    ),
  ],
  [
    'an unused type that the client does not know',
    change(
      schemaEnd,
      `<xsd:complexType name="Odd"><xsd:choice><xsd:element name="a" type="xsd:date"/></xsd:choice></xsd:complexType>${schemaEnd}`,
    ),
  ],
];

test.each(sameMeaning)(
  'contract diff finds no difference between a contract and the same contract with %s',
  (_what, after) => {
    expect(lines(compare(wsdl, after))).toBe('');
  },
);

test('contract diff gives a different namespace and address as settings, and not as differences', () => {
  const provider = wsdl
    .replaceAll('http://messaging.example/', 'urn:provider/')
    .replaceAll('http://provider.example/soap', 'https://api.provider.test:8443/base/soap');
  expect(compare(wsdl, provider)).toEqual({
    breaking: false,
    differences: [],
    settings: { namespace: 'urn:provider/', baseUrl: 'https://api.provider.test:8443/base' },
  });
});

test('contract diff lists breaking differences first', () => {
  const { differences } = compare(
    wsdl,
    withType('cost', 'xsd:int', 'xsd:long', addOperation('Ping', credential, element('PingResult', 'xsd:long'))),
  );
  expect(differences.map(({ where }) => where)).toEqual(['record ApiSelect, element cost', 'operation Ping']);
});

test.each([
  '/soap/v1.asmx',
  'ftp://provider.example/soap/v1.asmx',
  'http:///soap/v1.asmx',
  'http://a/?x=/soap/v1.asmx',
])('contract diff gives no base URL for the address %s', (address) => {
  const comparison = compare(wsdl, wsdl.replaceAll('http://provider.example/soap/v1.asmx', address));
  expect(comparison.settings.baseUrl).toBeUndefined();
  expect(lines(comparison)).toContain(`address: {baseUrl}/soap/v1.asmx -> ${address};`);
  expect(comparison.breaking).toBe(true);
});
