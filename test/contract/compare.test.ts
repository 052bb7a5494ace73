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
  readonly after: string;
  readonly before?: string;
  readonly requests: Verdict;
  readonly answers: Verdict;
  readonly callers: Verdict;
  /** The difference as a line: where, before, after, why. */
  readonly says: RegExp;
}

function compare(before: string, after: string): Comparison {
  return compareContracts(readWsdl(before, 'before.wsdl').contract, readWsdl(after, 'after.wsdl').contract);
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
  verdicts: readonly [requests: 'B' | 'c', answers: 'B' | 'c', callers: 'B' | 'c'],
  says: RegExp,
  before = wsdl,
): Row {
  const [requests, answers, callers] = verdicts.map((letter) => (letter === 'B' ? 'breaking' : 'compatible'));
  return { what, after, before, requests, answers, callers, says } as Row;
}

const SEND = 'SendSimpleByApikey';
const pagesize = documented('pagesize', 'xsd:int');
const unixdate = documented('unixdate', 'xsd:long');
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
const header = '<soap:header message="tns:SendAdvanceSoapIn" part="AuthHeader" use="literal"/>';

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
    /element tag: none -> xsd:string; the service needs it/,
  ),
  row(
    'a new required number',
    change(pagesize, pagesize + element('page', 'xsd:int')),
    ['B', 'c', 'B'],
    /element page: none -> xsd:int/,
  ),
  row(
    'a removed element',
    change(pagesize, ''),
    ['B', 'c', 'B'],
    /element pagesize: xsd:int -> none; the service does not know it/,
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
    /element pagesize: xsd:int -> xsd:long; each value of today is taken/,
  ),
  row(
    'an int that becomes a short',
    withType('pagesize', 'xsd:int', 'xsd:short'),
    ['B', 'c', 'B'],
    /element pagesize: xsd:int -> xsd:short; the service refuses values/,
  ),
  row(
    'a long that becomes an int',
    withType('startUnixdate', 'xsd:long', 'xsd:int'),
    ['B', 'c', 'B'],
    /element startUnixdate: xsd:long -> xsd:int/,
  ),
  row(
    'an int that becomes a string',
    withType('pagesize', 'xsd:int', 'xsd:string'),
    ['B', 'c', 'B'],
    /element pagesize: xsd:int -> xsd:string/,
  ),
  row(
    'a string that becomes an int',
    withType('lineNumber', 'xsd:string', 'xsd:int'),
    ['B', 'c', 'B'],
    /element lineNumber: xsd:string, optional -> xsd:int/,
  ),
  row(
    'an int that becomes a boolean',
    withType('pagesize', 'xsd:int', 'xsd:boolean'),
    ['B', 'c', 'B'],
    /-> xsd:boolean/,
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
    /messages: none -> minOccurs="1" of element string in list complexType ArrayOfString/,
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
    /element sender: xsd:string, optional -> xsd:string; a call that leaves it out with null is refused/,
  ),
  row(
    'a required number that is optional',
    within(SEND, 'name="msgmode" type="xsd:int"', 'name="msgmode" type="xsd:int" minOccurs="0"'),
    ['c', 'c', 'c'],
    /element msgmode: xsd:int -> xsd:int, optional; null may leave it out/,
  ),
  row(
    'an API key that is required',
    within(SEND, 'name="apikey" type="xsd:string" minOccurs="0"', 'name="apikey" type="xsd:string"'),
    ['c', 'c', 'c'],
    /element apikey: xsd:string, optional -> xsd:string; it is always sent/,
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
    /element pagesize: xsd:int -> xsd:int, nillable; it may be null, once generated/,
  ),
  row(
    'a number that may no longer be nil',
    change(' nillable="true"/><xsd:element name="flag"', '/><xsd:element name="flag"', extended),
    ['B', 'c', 'B'],
    /element level: xsd:int, nillable -> xsd:int; null is refused/,
    extended,
  ),
  row(
    'an enumeration with a value more',
    change('<xsd:enumeration value="B"/>', '<xsd:enumeration value="B"/><xsd:enumeration value="C"/>', extended),
    ['c', 'B', 'B'],
    /request of Probe, element kind: one of A, B -> one of A, B, C; each value of today is taken/,
    extended,
  ),
  row(
    'an enumeration with a value less',
    change('<xsd:enumeration value="B"/>', '', extended),
    ['B', 'c', 'B'],
    /request of Probe, element kind: one of A, B -> one of A; the service refuses/,
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
    /messages: none -> xsd:attribute version/,
  ),
  row(
    'an attribute that may be left out',
    within(
      'SelectlatestByApikey',
      '</xsd:sequence>',
      '</xsd:sequence><xsd:attribute name="version" type="xsd:string"/>',
    ),
    ['c', 'c', 'c'],
    /xsd:attribute version of complexType; the client ignores it/,
  ),
  row(
    'a choice',
    within(
      'SelectlatestByApikey',
      pagesize,
      `<xsd:choice>${pagesize}<xsd:element name="all" type="xsd:boolean"/></xsd:choice>`,
    ),
    ['B', 'c', 'B'],
    /messages: none -> xsd:choice; the client does not follow it/,
  ),
  row(
    'anything else allowed',
    within('SelectlatestByApikey', pagesize, `${pagesize}<xsd:any minOccurs="0"/>`),
    ['c', 'c', 'c'],
    /messages: none -> xsd:any; the client ignores it/,
  ),
];

const answers: readonly Row[] = [
  row(
    'a new element of a record',
    change('<xsd:element name="cost"', `${element('parts', 'xsd:int')}<xsd:element name="cost"`),
    ['c', 'c', 'c'],
    /record ApiSelect, element parts: none -> xsd:int; .*\[SelectoutboxByApikey SelectByApikey SelectlatestByApikey\]/,
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
    ['c', 'B', 'B'],
    /record ApiSelect, element statustext: xsd:string, optional -> none/,
  ),
  row(
    'a renamed element of a record',
    change('name="statustext"', 'name="statusText"'),
    ['c', 'B', 'B'],
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
    /element cost: xsd:int -> xsd:string/,
  ),
  row(
    'a number that may be absent in a record',
    withType('cost', 'xsd:int', 'xsd:int" minOccurs="0'),
    ['c', 'B', 'B'],
    /element cost: xsd:int -> xsd:int, optional; the client relies on it/,
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
    /element limit: xsd:int, nillable -> xsd:int; it is never nil/,
    extended,
  ),
  row(
    'a string that is always there in a record',
    change('name="statustext" type="xsd:string" minOccurs="0"', 'name="statustext" type="xsd:string"'),
    ['c', 'c', 'c'],
    /element statustext: xsd:string, optional -> xsd:string; it is always there/,
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
  row(
    'a boolean that becomes a string in a record',
    change('name="active" type="xsd:boolean"', 'name="active" type="xsd:string"', extended),
    ['c', 'B', 'B'],
    /element active: xsd:boolean -> xsd:string/,
    extended,
  ),
  row(
    'an enumeration that becomes a string in a record',
    change('name="state" type="tns:Kind"', 'name="state" type="xsd:string"', extended),
    ['c', 'B', 'B'],
    /element state: one of A, B -> xsd:string/,
    extended,
  ),
  row(
    'a single long that becomes an int',
    withType('SendAdvanceResult', 'xsd:long', 'xsd:int'),
    ['c', 'c', 'B'],
    /answer of SendAdvance, element SendAdvanceResult: xsd:long -> xsd:int/,
  ),
  row(
    'a single long that becomes a list',
    withType('SendAdvanceResult', 'xsd:long', 'tns:ArrayOfLong'),
    ['c', 'B', 'B'],
    /SendAdvanceResult: xsd:long -> list of xsd:long/,
  ),
  row(
    'a single long that becomes a string',
    withType('SendAdvanceResult', 'xsd:long', 'xsd:string'),
    ['c', 'B', 'B'],
    /SendAdvanceResult: xsd:long -> xsd:string/,
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
    /^$/,
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
    'an answer without status',
    within(
      'SendAdvanceResponse',
      documented('status', 'xsd:int')
        .replace(/The status of the message/, 'The outcome')
        .replaceAll('\n', '\n  '),
      '',
    ),
    ['c', 'B', 'B'],
    /answer of SendAdvance, element status: xsd:int -> none/,
  ),
  row(
    'another name of the response element',
    change(
      'element="tns:SendAdvanceResponse"/>',
      'element="tns:SendAdvanceAnswer"/>',
      change('<xsd:element name="SendAdvanceResponse">', '<xsd:element name="SendAdvanceAnswer">'),
    ),
    ['c', 'B', 'c'],
    /answer of SendAdvance: SendAdvanceResponse -> SendAdvanceAnswer/,
  ),
  row(
    'an attribute of a record',
    change(
      '<xsd:complexType name="ApiReceive">\n        <xsd:sequence>',
      '<xsd:complexType name="ApiReceive">\n        <xsd:attribute name="id" type="xsd:int" use="required"/><xsd:sequence>',
    ),
    ['c', 'c', 'c'],
    /messages: none -> xsd:attribute id of complexType ApiReceive/,
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
    /messages: none -> soap:header AuthHeader of input; the client does not follow it/,
  ),
  row(
    'a header of answers',
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
    /messages: none -> soap:binding style="rpc"/,
  ),
  row(
    'encoded bodies',
    change('<soap:body use="literal"/>', '<soap:body use="encoded"/>'),
    ['B', 'B', 'c'],
    /messages: none -> soap:body use="encoded"/,
  ),
  row(
    'another transport',
    change('transport="http://schemas.xmlsoap.org/soap/http"', 'transport="http://schemas.xmlsoap.org/soap/smtp"'),
    ['B', 'B', 'c'],
    /transport http:\/\/schemas\.xmlsoap\.org\/soap\/smtp/,
  ),
  row(
    'a policy',
    change(
      '<soap:binding style',
      '<wsp:PolicyReference xmlns:wsp="http://www.w3.org/ns/ws-policy" URI="#p"/><soap:binding style',
    ),
    ['B', 'c', 'c'],
    /PolicyReference \(\{http:\/\/www\.w3\.org\/ns\/ws-policy\}\)/,
  ),
  row(
    'unqualified elements',
    change('elementFormDefault="qualified"', 'elementFormDefault="unqualified"'),
    ['B', 'B', 'c'],
    /messages: none -> an element without a namespace; .*SendAdvance/,
  ),
  row(
    'one unqualified element',
    change('<xsd:element name="pagesize"', '<xsd:element form="unqualified" name="pagesize"'),
    ['B', 'c', 'c'],
    /an element without a namespace; .*\[SelectlatestByApikey\]/,
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
      .replaceAll(/<xsd:element name="apikey"[\s\S]*?<\/xsd:element>/g, '')
      .replaceAll('<wsdl:input><soap:body use="literal"/>', `<wsdl:input><soap:body use="literal"/>${header}`),
    ['B', 'c', 'B'],
    /element apikey: xsd:string, optional -> none/,
  ),
];

test.each([...requests, ...answers, ...operations])(
  '$what: requests $requests, answers $answers, callers $callers',
  (row) => {
    const comparison = compare(row.before ?? wsdl, row.after);
    const text = lines(comparison);
    expect(text).toMatch(row.says);
    const worst = (side: 'requests' | 'answers' | 'callers'): Verdict =>
      comparison.differences.some((difference) => difference[side] === 'breaking') ? 'breaking' : 'compatible';
    expect({ requests: worst('requests'), answers: worst('answers'), callers: worst('callers'), text }).toEqual({
      requests: row.requests,
      answers: row.answers,
      callers: row.callers,
      text,
    });
    expect(comparison.breaking).toBe(row.requests === 'breaking' || row.answers === 'breaking');
  },
);

test('the table has at least sixty pairs', () => {
  expect(requests.length + answers.length + operations.length).toBeGreaterThanOrEqual(60);
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
    'another name of a record',
    wsdl
      .replaceAll('<xsd:complexType name="ApiSelect">', '<xsd:complexType name="Sent">')
      .replaceAll('type="tns:ApiSelect"', 'type="tns:Sent"'),
  ],
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
  ['default occurrence written out', wsdl.replaceAll('type="xsd:int">', 'type="xsd:int" minOccurs="1" maxOccurs="1">')],
  [
    'nillable strings and lists',
    wsdl.replaceAll('type="xsd:string" minOccurs="0"', 'type="xsd:string" nillable="true" minOccurs="0"'),
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

test.each(sameMeaning)('the same contract with %s is no difference', (_what, after) => {
  expect(lines(compare(wsdl, after))).toBe('');
});

test('a namespace and an address are settings, and no difference', () => {
  const provider = wsdl
    .replaceAll('http://messaging.example/', 'urn:provider/')
    .replaceAll('http://provider.example/soap', 'https://api.provider.test:8443/base/soap');
  expect(compare(wsdl, provider)).toEqual({
    breaking: false,
    differences: [],
    settings: { namespace: 'urn:provider/', baseUrl: 'https://api.provider.test:8443/base' },
  });
});

test('what breaks comes first', () => {
  const { differences } = compare(
    wsdl,
    withType('cost', 'xsd:int', 'xsd:long', addOperation('Ping', credential, element('PingResult', 'xsd:long'))),
  );
  expect(differences.map(({ where }) => where)).toEqual(['record ApiSelect, element cost', 'operation Ping']);
});
