import './ask-compiler-once';

import { methods } from '../../generated/operations';
import { ownCommands, ownMembers } from '../../scripts/generate/methods';
import { readContractFor } from '../../scripts/generate/read-contract';
import { MessagingClient } from '../../src';
import { kebabCase } from '../../src/cli/fields/option-names';
import { ContractError } from '../../src/contract/model/problems';
import { messaging } from '../cli/support';
import { addOperation, change, credential, documented, element, wsdl } from './wsdl';

/** A contract with one operation more: PingByApikey. */
function ping(request: string, result: string, types = ''): string {
  return addOperation('PingByApikey', request, result, types);
}

function pingWith(field: string, types = ''): string {
  return ping(credential + field, element('PingByApikeyResult', 'xsd:long'), types);
}

function pingGiving(type: string, attributes = '', types = ''): string {
  return ping(credential, element('PingByApikeyResult', type, attributes), types);
}

const kind =
  '<xsd:simpleType name="Kind"><xsd:restriction base="xsd:string"><xsd:enumeration value="A"/><xsd:enumeration value="B C"/></xsd:restriction></xsd:simpleType>';
const operationsNamed = (...names: string[]): string =>
  names.reduce((text, name) => addOperation(name, credential, element(`${name}Result`, 'xsd:int'), '', text), wsdl);
const list = (name: string, item: string, type: string): string =>
  `<xsd:complexType name="${name}"><xsd:sequence>${element(item, type, 'minOccurs="0" maxOccurs="unbounded"')}</xsd:sequence></xsd:complexType>`;
const record = (fields: string): string =>
  `<xsd:complexType name="Row"><xsd:sequence>${fields}</xsd:sequence></xsd:complexType>`;
const header = '<soap:header message="tns:SendAdvanceSoapIn" part="AuthHeader" use="literal"/>';

const row = (name: string): string =>
  pingGiving(`tns:${name}`, '', record(element('a', 'xsd:int')).replace('"Row"', `"${name}"`));

const accepted: readonly (readonly [string, string])[] = [
  ['our own contract', wsdl],
  ['a new operation', pingWith(element('echo', 'xsd:long'))],
  ['an operation without request fields', ping('', element('PingByApikeyResult', 'xsd:long'))],
  [
    'other credentials',
    ping(
      element('username', 'xsd:string') + element('password', 'xsd:string'),
      element('PingByApikeyResult', 'xsd:long'),
    ),
  ],
  [
    'an API key that is not the first element',
    ping(element('echo', 'xsd:long') + credential, element('PingByApikeyResult', 'xsd:long')),
  ],
  ['a boolean', pingWith(element('flag', 'xsd:boolean'))],
  ['an enumeration', pingWith(element('kind', 'tns:Kind'), kind)],
  ['an inline enumeration', pingWith(`<xsd:element name="kind">${kind.replace(' name="Kind"', '')}</xsd:element>`)],
  [
    'an enumeration that has a value twice',
    pingWith(
      element('kind', 'tns:Kind'),
      change('<xsd:enumeration value="A"/>', '<xsd:enumeration value="A"/>'.repeat(2), kind),
    ),
  ],
  ['a sequence in a sequence', pingWith(`<xsd:sequence>${element('echo', 'xsd:long')}</xsd:sequence>`)],
  ['a list of enumerations', pingWith(element('kinds', 'tns:Kinds'), kind + list('Kinds', 'Kind', 'tns:Kind'))],
  ['a list of booleans', pingWith(element('flags', 'tns:Flags'), list('Flags', 'boolean', 'xsd:boolean'))],
  ['a nillable number', pingWith(element('limit', 'xsd:int', 'nillable="true"'))],
  ['a number that may be absent', pingWith(element('limit', 'xsd:int', 'minOccurs="0"'))],
  ['an element by reference', pingWith('<xsd:element ref="tns:limit"/>', element('limit', 'xsd:int'))],
  ['a string as the result', pingGiving('xsd:string', 'minOccurs="0"')],
  ['a short as the result', pingGiving('xsd:short')],
  ['a boolean as the result', pingGiving('xsd:boolean')],
  ['an enumeration as the result', pingGiving('tns:Kind', '', kind)],
  ['a nillable number as the result', pingGiving('xsd:long', 'nillable="true"')],
  ['a record as the result', pingGiving('tns:ApiSelect', 'minOccurs="0"')],
  [
    'a list of nillable numbers as the result',
    pingGiving('tns:Numbers', '', list('Numbers', 'int', 'xsd:int" nillable="true')),
  ],
  [
    'a record with every kind of field',
    pingGiving(
      'tns:Row',
      '',
      kind +
        record(
          element('a', 'tns:Kind') +
            element('b', 'xsd:boolean') +
            element('c', 'xsd:short', 'nillable="true"') +
            element('d', 'xsd:long', 'minOccurs="0"'),
        ),
    ),
  ],
  [
    'elements of any legal name',
    pingWith(
      ['LineNumber', 'FallbackUrl', 'output', 'local-id', 'clientMessageID', 'a.b', '_x', 'نام']
        .map((name) => element(name, 'xsd:string', 'minOccurs="0"'))
        .join(''),
    ),
  ],
  ['elements whose names are not identifiers', pingWith(element('a、b', 'xsd:int') + element('class', 'xsd:int'))],
  ['operations whose parameter would have a reserved name', operationsNamed('Delete', 'Callback', '_1')],
  [
    'two schemas of one namespace',
    change(
      '      <xsd:element name="SelectoutboxByApikey">',
      '</xsd:schema><xsd:schema elementFormDefault="qualified" targetNamespace="http://messaging.example/"><xsd:element name="SelectoutboxByApikey">',
    ),
  ],
  [
    'an import of a schema of the same file',
    change(
      'targetNamespace="http://messaging.example/">\n\n      <!-- Records',
      'targetNamespace="http://messaging.example/"><xsd:import namespace="http://messaging.example/"/><!-- Records',
    ),
  ],
  [
    'an import of XML Schema itself',
    change('<!-- Records', '<xsd:import namespace="http://www.w3.org/2001/XMLSchema"/><!-- Records'),
  ],
  [
    'an import of the types of SOAP encoding',
    change('<!-- Records', '<xsd:import namespace="http://schemas.xmlsoap.org/soap/encoding/"/><!-- Records'),
  ],
  [
    'numbers of occurrences with zeros in front',
    wsdl.replaceAll('minOccurs="0"', 'minOccurs="00"').replace('name="pagesize"', 'maxOccurs="01" name="pagesize"'),
  ],
  [
    'an address that begins with the namespace',
    wsdl.replaceAll('http://provider.example/', 'http://messaging.example/'),
  ],
  ['an address with a query', wsdl.replaceAll('/soap/v1.asmx"', '/soap/v1.asmx?tenant=7&amp;a=b"')],
  ['an address without a file', wsdl.replaceAll('/soap/v1.asmx"', '/"')],
  ...['long', 'Promise', 'type', 'V1', 'V1Soap'].map((name) => [`a record named ${name}`, row(name)] as const),
  ['a port whose name is no identifier', change('<wsdl:port name="v1Soap12"', '<wsdl:port name="v1-Soap12"')],
  [
    'declared faults',
    change(
      '<wsdl:output message="tns:SendAdvanceSoapOut"/>',
      '<wsdl:output message="tns:SendAdvanceSoapOut"/><wsdl:fault name="f" message="tns:SendAdvanceSoapOut"/>',
    ),
  ],
];

test.each(accepted)('the generator accepts %s', (_what, text) => {
  expect(readContractFor(text, 'messaging.v1.wsdl').operations.length).toBeGreaterThanOrEqual(10);
});

const pagesize = documented('pagesize', 'xsd:int');
const refused: readonly (readonly [string, string, RegExp])[] = [
  [
    'a header',
    change(
      '<wsdl:input><soap:body use="literal"/></wsdl:input>',
      `<wsdl:input><soap:body use="literal"/>${header}</wsdl:input>`,
    ),
    /^soap:header AuthHeader of input is not supported: the client sends no SOAP headers; the service has to take an element in its place$/,
  ],
  [
    'rpc',
    change('<soap12:binding style="document"', '<soap12:binding style="rpc"'),
    /^soap12:binding style="rpc" is not supported: the service has to use "document"$/,
  ],
  [
    'rpc of one operation',
    change('SendAdvance" style="document"', 'SendAdvance" style="rpc"'),
    /^soap:operation style="rpc" is not supported/,
  ],
  [
    'encoded bodies',
    change('<soap:body use="literal"/>', '<soap:body use="encoded"/>'),
    /^soap:body use="encoded" is not supported: the service has to use "literal"$/,
  ],
  [
    'another transport',
    change('"http://schemas.xmlsoap.org/soap/http"', '"urn:jms"'),
    /^transport urn:jms is not supported: the service has to offer SOAP over HTTP$/,
  ],
  [
    'a policy',
    change('<soap:binding style', '<p:PolicyReference xmlns:p="urn:p" URI="#p"/><soap:binding style'),
    /^PolicyReference \(\{urn:p\}\) is not supported: remove it if the service works without it$/,
  ],
  [
    'soapActionRequired',
    change('<soap12:operation soapAction', '<soap12:operation soapActionRequired="true" soapAction'),
    /^soapActionRequired="true" is not supported/,
  ],
  [
    'unqualified elements',
    change('elementFormDefault="qualified"', 'elementFormDefault="unqualified"'),
    /^element SendSimpleByApikey\/apikey: an element without a namespace is not supported: the service has to qualify its elements \(elementFormDefault="qualified" on the schema, and no form\)$/,
  ],
  [
    'an attribute',
    change(
      '<xsd:complexType name="ApiSelect">',
      '<xsd:complexType name="ApiSelect"><xsd:attribute name="id" type="xsd:int"/>',
    ),
    /^element SelectoutboxByApikeyResponse\/SelectoutboxByApikeyResult\/ApiSelect: xsd:attribute id is not supported: remove it from this file$/,
  ],
  [
    'a choice',
    change(pagesize, `<xsd:choice>${pagesize}</xsd:choice>`),
    /^element SelectlatestByApikey: xsd:choice is not supported: the service has to use a plain sequence of elements$/,
  ],
  [
    'xsd:all',
    wsdl.replace(
      /(name="RemainCreditByApiKey">\s*<xsd:complexType>\s*)<xsd:sequence>([\s\S]*?)<\/xsd:sequence>/,
      '$1<xsd:all>$2</xsd:all>',
    ),
    /^element RemainCreditByApiKey: xsd:all is not supported: write xsd:sequence in this file$/,
  ],
  [
    'xsd:any',
    change(pagesize, '<xsd:any/>'),
    /^element SelectlatestByApikey: xsd:any is not supported: remove it from this file$/,
  ],
  [
    'a group',
    change(pagesize, '<xsd:group ref="tns:g"/>'),
    /^element SelectlatestByApikey: xsd:group is not supported: write all elements in one sequence in this file$/,
  ],
  [
    'inheritance',
    change('<xsd:complexType name="ApiSelect">', '<xsd:complexType name="ApiSelect"><xsd:complexContent/>'),
    /^element SelectoutboxByApikeyResponse\/SelectoutboxByApikeyResult\/ApiSelect: xsd:complexContent is not supported: write all elements in one sequence in this file$/,
  ],
  [
    'mixed content',
    change('<xsd:complexType name="ApiSelect">', '<xsd:complexType name="ApiSelect" mixed="true">'),
    /^element SelectoutboxByApikeyResponse\/SelectoutboxByApikeyResult\/ApiSelect: attribute mixed of complexType ApiSelect is not supported: remove it if the service works without it$/,
  ],
  [
    'a default value',
    change('name="pagesize"', 'default="1" name="pagesize"'),
    /^element SelectlatestByApikey\/pagesize: attribute default of element pagesize is not supported: remove it if the service works without it$/,
  ],
  [
    'a list of lists',
    change('name="long" type="xsd:long"', 'name="long" type="tns:ArrayOfInt"'),
    /^element SendSimpleByApikeyResponse\/SendSimpleByApikeyResult\/long: a list of lists is not supported: the service has to use a list of plain values or records$/,
  ],
  [
    'a list inside a record',
    change('name="cost" type="xsd:int"', 'name="cost" type="tns:ArrayOfInt"'),
    /^element SelectoutboxByApikeyResponse\/SelectoutboxByApikeyResult\/ApiSelect\/cost: a list in a record is not supported: the service has to use plain values in a record$/,
  ],
  [
    'a record inside a record',
    change('name="cost" type="xsd:int"', 'name="cost" type="tns:ApiReceive"'),
    /^element SelectoutboxByApikeyResponse\/SelectoutboxByApikeyResult\/ApiSelect\/cost: a record in a record is not supported: the service has to use plain values in a record$/,
  ],
  [
    'a record in a request',
    change('name="pagesize" type="xsd:int"', 'name="pagesize" type="tns:ApiReceive"'),
    /^element SelectlatestByApikey\/pagesize of the request is a record: the service has to use plain values and lists of them$/,
  ],
  [
    'a repeated element beside others',
    change('name="pagesize" type="xsd:int"', 'name="pagesize" type="xsd:int" maxOccurs="unbounded"'),
    /^element SelectlatestByApikey\/pagesize: a repetition beside other elements is not supported: the service has to put it into a list of its own$/,
  ],
  [
    'a list of at least one',
    change('name="int" type="xsd:int" minOccurs="0"', 'name="int" type="xsd:int"'),
    /^element SendArrayByApikey\/msgmode\/int: minOccurs="1" and maxOccurs="unbounded" of element int is not supported: write minOccurs="0" maxOccurs="unbounded" in this file; in a request, callers have to keep the limit$/,
  ],
  [
    'a list of at most ten',
    change(
      'name="int" type="xsd:int" minOccurs="0" maxOccurs="unbounded"',
      'name="int" type="xsd:int" minOccurs="0" maxOccurs="10"',
    ),
    /^element SendArrayByApikey\/msgmode\/int: minOccurs="0" and maxOccurs="10" of element int is not supported: write minOccurs="0" maxOccurs="unbounded" in this file; in a request, callers have to keep the limit$/,
  ],
  [
    'nil items in a list of a request',
    change('name="int" type="xsd:int" minOccurs="0"', 'name="int" type="xsd:int" nillable="true" minOccurs="0"'),
    /^element SendArrayByApikey\/msgmode of the request has items that may be nil: remove nillable from int$/,
  ],
  [
    'a date',
    change('name="cost" type="xsd:int"', 'name="cost" type="xsd:dateTime"'),
    /^element SelectoutboxByApikeyResponse\/SelectoutboxByApikeyResult\/ApiSelect\/cost: xsd:dateTime is not supported: the service has to use one of short, int, long, boolean, string and enumerations of strings$/,
  ],
  [
    'a decimal',
    change('name="cost" type="xsd:int"', 'name="cost" type="xsd:decimal"'),
    /^element SelectoutboxByApikeyResponse\/SelectoutboxByApikeyResult\/ApiSelect\/cost: xsd:decimal is not supported: the service has to use one of short, int, long, boolean, string and enumerations of strings$/,
  ],
  [
    'no type',
    change('name="cost" type="xsd:int"', 'name="cost"'),
    /^element SelectoutboxByApikeyResponse\/SelectoutboxByApikeyResult\/ApiSelect\/cost: xsd:anyType is not supported: the service has to use one of short, int, long, boolean, string and enumerations of strings$/,
  ],
  [
    'a limited string',
    pingWith(
      element('short', 'tns:Short'),
      '<xsd:simpleType name="Short"><xsd:restriction base="xsd:string"><xsd:maxLength value="9"/></xsd:restriction></xsd:simpleType>',
    ),
    /^element PingByApikey\/short: xsd:string with maxLength 9 is not supported: write xsd:string in this file; in a request, the service may then refuse some of its values$/,
  ],
  [
    'a union',
    pingWith(
      element('u', 'tns:U'),
      '<xsd:simpleType name="U"><xsd:union memberTypes="xsd:int xsd:string"/></xsd:simpleType>',
    ),
    /^element PingByApikey\/u: xsd:union is not supported: the service has to use one of short, int, long, boolean, string and enumerations of strings$/,
  ],
  [
    'an enumeration of numbers',
    pingWith(
      element('u', 'tns:U'),
      '<xsd:simpleType name="U"><xsd:restriction base="xsd:int"><xsd:enumeration value="1"/></xsd:restriction></xsd:simpleType>',
    ),
    /^element PingByApikey\/u: xsd:int with enumeration 1 is not supported: write xsd:int in this file; in a request, the service may then refuse some of its values$/,
  ],
  [
    'an inline record',
    pingGiving('tns:X').replace(
      'type="tns:X"/>',
      `>${record(element('a', 'xsd:int')).replace(' name="Row"', '')}</xsd:element>`,
    ),
    /^element PingByApikeyResult has an inline complexType: give the type a name, and use this name as the type$/,
  ],
  [
    'a record without elements',
    pingGiving('tns:Row', '', record('')),
    /^complexType Row has no elements: the service has to send some$/,
  ],
  [
    'an include',
    change('<!-- Records', '<xsd:include schemaLocation="types.xsd"/><!-- Records'),
    /^xsd:include of types\.xsd is not followed: put its content into this file$/,
  ],
  [
    'an import',
    change('<!-- Records', '<xsd:import namespace="urn:x" schemaLocation="x.xsd"/><!-- Records'),
    /^xsd:import of x\.xsd is not followed/,
  ],
  [
    'a WSDL import',
    change('<wsdl:types>', '<wsdl:import namespace="urn:x" location="x.wsdl"/><wsdl:types>'),
    /^wsdl:import of x\.wsdl is not followed/,
  ],
  [
    'elements in another namespace',
    change(
      '</xsd:schema>',
      `</xsd:schema><xsd:schema xmlns:tns="http://messaging.example/" elementFormDefault="qualified" targetNamespace="urn:other">${list('Longs', 'long', 'xsd:long')}</xsd:schema>`,
    ).replaceAll('type="tns:ArrayOfLong" minOccurs="0">', 'xmlns:o="urn:other" type="o:Longs" minOccurs="0">'),
    /^element SendSimpleByApikeyResponse\/SendSimpleByApikeyResult\/long: an element in namespace urn:other is not supported: the service has to use http:\/\/messaging\.example\/ for all elements$/,
  ],
  [
    'a binding of HTTP GET',
    change(
      '</wsdl:definitions>',
      '<wsdl:binding name="get" type="tns:v1Soap"><h:binding xmlns:h="urn:h" verb="GET"/></wsdl:binding></wsdl:definitions>',
    ),
    /^binding get is not supported: the client needs one portType, and a binding of it for each SOAP version; remove it from this file$/,
  ],
  [
    'a second binding of one version',
    change(
      '<wsdl:binding name="v1Soap12"',
      '<wsdl:binding name="v2Soap" type="tns:v1Soap"><soap:binding transport="http://schemas.xmlsoap.org/soap/http"/></wsdl:binding><wsdl:binding name="v1Soap12"',
    ),
    /^binding v2Soap is not supported: the client needs one portType, and a binding of it for each SOAP version; remove it from this file$/,
  ],
  [
    'a message of two parts',
    change(
      '<wsdl:part name="parameters" element="tns:SendAdvance"/>',
      '<wsdl:part name="parameters" element="tns:SendAdvance"/><wsdl:part name="b" type="xsd:int"/>',
    ),
    /^message SendAdvanceSoapIn with 2 parts is not supported: the service has to use one part, an element$/,
  ],
  [
    'a part without an element',
    change('name="parameters" element="tns:SendAdvance"', 'name="parameters" type="xsd:int"'),
    /^part parameters of message SendAdvanceSoapIn without an element is not supported: the service has to use an element, not a type$/,
  ],
  [
    'an operation without a response',
    change('<wsdl:output message="tns:SendAdvanceSoapOut"/>', ''),
    /^operation SendAdvance without output is not supported: the service has to send a response$/,
  ],
  [
    'an operation twice',
    change('</wsdl:portType>', '<wsdl:operation name="SendAdvance"/></wsdl:portType>'),
    /^operation SendAdvance twice in portType v1Soap: the service has to rename one of them$/,
  ],
  [
    'an element twice',
    change(pagesize, pagesize + pagesize),
    /^element SelectlatestByApikey: element pagesize twice in one type is not supported: the service has to rename one of them$/,
  ],
  [
    'a request without status',
    ping(credential, element('PingByApikeyResult', 'xsd:long')).replace(
      /(<xsd:element name="PingByApikey">.*?)<xsd:element name="status".*?<xsd:element name="statusmessage".*?\/>/,
      '$1',
    ),
    /^the request of PingByApikey does not end with status \(xsd:int\) and statusmessage \(xsd:string\): the service has to accept them there$/,
  ],
  [
    'an API key that is a number',
    change('name="apikey" type="xsd:string"', 'name="apikey" type="xsd:int"'),
    /^element SelectoutboxByApikey\/apikey is not a plain xsd:string: the service has to take a string without xsi:nil$/,
  ],
  [
    'operations of which one has the name of the other with Async',
    operationsNamed('SendAdvanceAsync'),
    /^operation SendAdvance and operation SendAdvanceAsync \(line \d+\) would share the member SendAdvanceAsync of node-soap's client: the service has to rename one of them$/,
  ],
  ...['emit', 'wsdl', 'httpClient', 'SOAPAction', 'lastRequest', '_events', '_invoke', 'toString'].map(
    (name) =>
      [
        `an operation named ${name}`,
        operationsNamed(name),
        literally(
          `operation ${name}: node-soap's client has a member ${name} of its own: the service has to choose another name`,
        ),
      ] as const,
  ),
  [
    'a service with the name of a member of the client',
    change('<wsdl:service name="v1">', '<wsdl:service name="wsdl">'),
    /^service wsdl: node-soap's client has a member wsdl of its own: choose another name in this file$/,
  ],
  [
    'a service with the name of a method of the client',
    change('<wsdl:service name="v1">', '<wsdl:service name="SendAdvanceAsync">'),
    /^service SendAdvanceAsync and operation SendAdvance \(line \d+\) would share the member SendAdvanceAsync of node-soap's client: rename one of them in this file$/,
  ],
  [
    'two types of one name',
    change(
      '<wsdl:types>',
      `<wsdl:types><xsd:schema targetNamespace="urn:other">${record('<xsd:element ref="tns:a"/>').replace('"Row"', '"ApiSelect"')}</xsd:schema>`,
      pingGiving('o:ApiSelect" xmlns:o="urn:other', '', element('a', 'xsd:int')),
    ),
    /^complexType ApiSelect and complexType ApiSelect \(line \d+\) would share a file: rename one of them in this file$/,
  ],
  [
    'two ports of one name',
    change('<wsdl:port name="v1Soap12"', '<wsdl:port name="v1Soap"'),
    /^two ports are named v1Soap: rename one of them in this file$/,
  ],
  ...['a b', 'a<b', '1a', '', '-', 'a:b'].map(
    (name) =>
      [
        `an element named "${name}"`,
        pingWith(element(name.replace('<', '&lt;'), 'xsd:int')),
        new RegExp(`^element "${name}": not a valid XML name: choose another$`),
      ] as const,
  ),
  [
    'a record whose name is not valid in XML',
    change('</xsd:schema>', '<xsd:complexType name="a b"/></xsd:schema>'),
    /^complexType "a b": not a valid XML name: choose another$/,
  ],
  [
    'an operation whose name is not valid in XML',
    change('</wsdl:portType>', '<wsdl:operation name="a b"/></wsdl:portType>'),
    /^operation "a b": not a valid XML name: choose another$/,
  ],
  [
    'a part whose name is not valid in XML',
    change('name="parameters"', 'name="1"'),
    /^part "1": not a valid XML name: choose another$/,
  ],
  [
    'a port whose name is not valid in XML',
    change('<wsdl:port name="v1Soap12"', '<wsdl:port name="a b"'),
    /^port "a b": not a valid XML name: choose another$/,
  ],
  [
    'a service whose name is not valid in XML',
    change('<wsdl:service name="v1">', '<wsdl:service name="1">'),
    /^service "1": not a valid XML name: choose another$/,
  ],
  [
    'an element of a record that is named as a property of each object',
    pingGiving('tns:Row', '', record(element('constructor', 'xsd:string', 'minOccurs="0"'))),
    /^element constructor: every JavaScript object has a property of this name: the service has to choose another name$/,
  ],
  [
    'a record that is named as a property of each object',
    row('constructor'),
    /^complexType constructor: every JavaScript object has a property of this name: choose another name in this file$/,
  ],
  [
    'names that differ in case only',
    wsdl.replaceAll('GetStatusByApikey', 'cancelbyapikey'),
    /^operation CancelByApikey and operation cancelbyapikey \(line \d+\) would share a file: the service has to rename one of them$/,
  ],
  [
    'an element that JavaScript cannot hold',
    pingWith(element('__proto__', 'xsd:int')),
    /^element __proto__: every JavaScript object has a property of this name: the service has to choose another name$/,
  ],
  [
    'two elements with the same option',
    pingWith(element('localId', 'xsd:int') + element('local-id', 'xsd:int')),
    /^PingByApikey: the fields localId and local-id have the same option --local-id \(lines \d+ and \d+\): the service has to rename one of them$/,
  ],
  ...(
    [
      ['REPLACE_WITH_ACTUAL_URL', 'is not an absolute http or https URL: write the URL of the service'],
      ['', 'is not an absolute http or https URL: write the URL of the service'],
      ['/soap/v1.asmx', 'is not an absolute http or https URL: write the URL of the service'],
      ['jms://provider.example/soap', 'is not an absolute http or https URL: write the URL of the service'],
      ['http://provider.example', 'is not spelt as it is sent: write http://provider.example/'],
      [
        'http://provider.example/پیام',
        'is not spelt as it is sent: write http://provider.example/%D9%BE%DB%8C%D8%A7%D9%85',
      ],
      ['http://provider.example/a/../b?c d', 'is not spelt as it is sent: write http://provider.example/b?c%20d'],
      ['http://provider.example/a#b', 'has a fragment, which is never sent: remove it'],
    ] as const
  ).map(
    ([address, what]) =>
      [
        `the address "${address}"`,
        wsdl.replaceAll('http://provider.example/soap/v1.asmx', address),
        literally(`port v1Soap: the address "${address}" ${what}`),
      ] as const,
  ),
  [
    'a port without an address',
    wsdl.replaceAll(/<soap(12)?:address.*\/>/g, ''),
    /^port v1Soap: the address "" is not an absolute http or https URL: write the URL of the service$/,
  ],
  ...['port', 'service', 'portType', 'message'].map(
    (tag) =>
      [
        `a policy in a ${tag}`,
        wsdl.replace(new RegExp(`<wsdl:${tag} [^>]*>`), (start) => `${start}<p:Policy xmlns:p="urn:p"/>`),
        /^Policy \(\{urn:p\}\) is not supported: remove it if the service works without it$/,
      ] as const,
  ),
  [
    'PolicyURIs of a binding',
    change('<wsdl:binding name="v1Soap"', '<wsdl:binding xmlns:p="urn:p" p:PolicyURIs="#p" name="v1Soap"'),
    /^attribute \{urn:p\}PolicyURIs is not supported: remove it if the service works without it$/,
  ],
  [
    'a minOccurs that is not a number',
    change('name="pagesize" type="xsd:int"', 'name="pagesize" type="xsd:int" minOccurs="x"'),
    /^minOccurs="x" and maxOccurs="1" of element pagesize are not a range of numbers: correct them$/,
  ],
  [
    'an element that occurs at least twice and at most once',
    change('name="pagesize" type="xsd:int"', 'name="pagesize" type="xsd:int" minOccurs="2"'),
    /^minOccurs="2" and maxOccurs="1" of element pagesize are not a range of numbers: correct them$/,
  ],
  [
    'an element that never occurs',
    change(pagesize, `${pagesize}<xsd:element name="old" type="xsd:int" minOccurs="0" maxOccurs="0"/>`),
    /^element old with maxOccurs="0" never occurs: remove it$/,
  ],
  [
    'an element with two types',
    pingWith(`<xsd:element name="kind" type="xsd:string">${kind.replace(' name="Kind"', '')}</xsd:element>`),
    /^element kind has a type and an inline type: remove one of them$/,
  ],
  [
    'an abstract request element',
    change('<xsd:element name="SendAdvance">', '<xsd:element name="SendAdvance" abstract="1">'),
    /^element SendAdvance: attribute abstract of element SendAdvance is not supported: remove it if the service works without it$/,
  ],
  [
    'a body that leaves out the part',
    change('<soap:body use="literal"/>', '<soap:body use="literal" parts=""/>'),
    /^soap:body parts="" of input is not supported: the service has to send the part: remove it$/,
  ],
  [
    'an operation without a body',
    change('<soap:body use="literal"/>', ''),
    /^input of operation SelectoutboxByApikey without soap:body is not supported: add it$/,
  ],
  ...['Con', 'aux', 'NUL', 'Com1'].map(
    (name) =>
      [
        `an operation named ${name}`,
        operationsNamed(name),
        literally(`operation ${name}: Windows allows no file of this name: the service has to choose another name`),
      ] as const,
  ),
  [
    'an element inside an element',
    change(
      '</xsd:annotation>\n            </xsd:element>',
      `</xsd:annotation>${element('tag', 'xsd:string')}</xsd:element>`,
    ),
    /^element \w+\/\w+: element tag inside element \w+ is not supported: put it beside the element$/,
  ],
  [
    'an element without the prefix of XML Schema',
    change(pagesize, `${pagesize}<element name="tag" type="xsd:string"/>`),
    /^element SelectlatestByApikey: element tag in no namespace is not supported: write it with the prefix of XML Schema, or remove it$/,
  ],
  [
    'an unknown element of XML Schema in an element',
    change('<xsd:element name="pagesize" type="xsd:int">', '<xsd:element name="pagesize" type="xsd:int"><xsd:foo/>'),
    /^element SelectlatestByApikey\/pagesize: xsd:foo in element pagesize is not supported: remove it if the service works without it$/,
  ],
  [
    'an unknown element of XML Schema in a sequence',
    change(pagesize, `${pagesize}<xsd:foo/>`),
    /^element SelectlatestByApikey: xsd:foo is not supported: the service has to use a plain sequence of elements$/,
  ],
  [
    'an xsd:token',
    change('name="pagesize" type="xsd:int"', 'name="pagesize" type="xsd:token"'),
    /pagesize: xsd:token is not supported: write xsd:string in this file; in a request, the service may then refuse some of its values$/,
  ],
  [
    'two operations with the same method',
    change('Gets the remaining credit.', 'cancel: Gets the remaining credit.'),
    /^operation RemainCreditByApiKey and operation CancelByApikey \(line \d+\) would share the method cancel: begin the documentation of one of them with another name and a colon$/,
  ],
  ...[
    ...['Close', 'Track', 'Call', 'BaseUrl', 'Namespace', 'IdleTimeoutMs', 'Then', 'ConstructorByApikey', 'ToString'],
    ...['Doctor', 'Inbox', 'Setup', 'Config', 'Wsdl', 'Contract', 'Sandbox', 'Bulk', 'Completion', 'Help', 'Settings'],
    ...['ExitCodes', 'exit_codes'],
  ].map(
    (name) =>
      [
        `an operation named ${name}`,
        operationsNamed(name),
        new RegExp(
          `^operation ${name} would have the (method|command) \\S+ of the package: begin its documentation with another name and a colon$`,
        ),
      ] as const,
  ),
  ...(
    [
      ['SelectStream', 'SelectByApikey', 'method selectStream'],
      ['Remain_Credit', 'RemainCreditByApiKey', 'command remain-credit'],
    ] as const
  ).map(
    ([name, other, shared]) =>
      [
        `an operation named ${name}`,
        operationsNamed(name),
        new RegExp(
          `^operation (${name}|${other}) and operation (${name}|${other}) \\(line \\d+\\) would share the ${shared}: begin `,
        ),
      ] as const,
  ),
  [
    'an operation named __proto__',
    operationsNamed('__proto__'),
    /^operation __proto__: node-soap's client has a member __proto__ of its own: the service has to choose another name$/,
  ],
  [
    'an operation named SoapClient',
    operationsNamed('SoapClient'),
    /^operation SoapClient: the generated client has a type SoapClient of its own: the service has to choose another name$/,
  ],
  [
    'an operation named v1Client',
    operationsNamed('v1Client'),
    /^operation v1Client: the generated client has a type v1Client of its own: the service has to choose another name$/,
  ],
  [
    'an operation named like the portType',
    operationsNamed('v1Soap'),
    /^portType v1Soap and operation v1Soap \(line \d+\) would share a type of the generated client: rename one of them in this file$/,
  ],
  [
    'a service whose name is no identifier',
    change('<wsdl:service name="v1">', '<wsdl:service name="v-1">'),
    /^service v-1: TypeScript refuses a type of this name \(.*\): choose another name in this file$/,
  ],
  [
    'a portType whose name is no identifier',
    wsdl
      .replace('<wsdl:portType name="v1Soap">', '<wsdl:portType name="v1.Soap">')
      .replaceAll('type="tns:v1Soap"', 'type="tns:v1.Soap"'),
    /^portType v1\.Soap: TypeScript refuses a type of this name \(.*\): choose another name in this file$/,
  ],
  [
    'a record named Prn',
    row('Prn'),
    /^complexType Prn: Windows allows no file of this name: choose another name in this file$/,
  ],
  [
    'an operation named Größe',
    operationsNamed('Größe'),
    /^operation Größe: node-soap makes no promise method for a name with other characters than A to Z, digits and _: the service has to choose another name$/,
  ],
  [
    'soapActionRequired written as 1',
    change('<soap12:operation soapAction', '<soap12:operation soapActionRequired="1" soapAction'),
    /^soapActionRequired="true" is not supported/,
  ],
  [
    'mixed content written as 1',
    change('<xsd:complexType name="ApiSelect">', '<xsd:complexType name="ApiSelect" mixed="1">'),
    /: attribute mixed of complexType ApiSelect is not supported: remove it if the service works without it$/,
  ],
  [
    'the output before the input',
    change(
      '<wsdl:input message="tns:SendAdvanceSoapIn"/>\n      <wsdl:output message="tns:SendAdvanceSoapOut"/>',
      '<wsdl:output message="tns:SendAdvanceSoapOut"/><wsdl:input message="tns:SendAdvanceSoapIn"/>',
    ),
    /^output of operation SendAdvance before its input is not supported: put it after the input$/,
  ],
  [
    'a sequence that may be absent',
    change('<xsd:sequence>', '<xsd:sequence minOccurs="0">'),
    /: minOccurs="0" and maxOccurs="1" of sequence is not supported: write them on its elements$/,
  ],
  [
    'a portType without operations',
    wsdl.replace(/(<wsdl:portType name="v1Soap">)[\s\S]*(<\/wsdl:portType>)/, '$1$2'),
    /^portType v1Soap has no operation: add one$/,
  ],
  [
    'an element without a namespace by its form',
    change('<xsd:element name="pagesize"', '<xsd:element form="unqualified" name="pagesize"'),
    /^element SelectlatestByApikey\/pagesize: an element without a namespace is not supported: the service has to qualify/,
  ],
];

function literally(text: string): RegExp {
  return new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`);
}

test.each(refused)('the generator refuses %s, names it and says what to do', (_what, text, message) => {
  const problems = problemsOf(text);
  expect(problems.map((problem) => problem.text)).toContainEqual(expect.stringMatching(message));
  for (const { file, line } of problems) {
    expect(file).toBe('messaging.v1.wsdl');
    expect(line).toBeGreaterThan(1);
  }
});

test('one run of the generator reports all refusals of a file, ordered by line', () => {
  const text = change(
    'name="cost" type="xsd:int"',
    'name="cost" type="xsd:float"',
    change(
      'name="pagesize" type="xsd:int"',
      'name="pagesize" type="xsd:date"',
      change('soap12:body use="literal"', 'soap12:body use="encoded"'),
    ),
  );
  const problems = problemsOf(text);
  expect(problems.map((problem) => problem.text.replace(/ is not supported.*/, ''))).toEqual([
    'element SelectoutboxByApikeyResponse/SelectoutboxByApikeyResult/ApiSelect/cost: xsd:float',
    'element SelectlatestByApikey/pagesize: xsd:date',
    'soap12:body use="encoded"',
  ]);
  expect(problems.map(({ line }) => line)).toEqual([...problems.map(({ line }) => line)].sort((a, b) => a - b));
  const [first] = problems;
  expect(text.split('\n')[(first?.line ?? 0) - 1]).toContain('name="cost"');
});

const words = ['class', 'enum', 'string', 'let', 'await', 'infer', 'a-b', 'Array'];

test('one run of the generator reports every name that TypeScript refuses, at its element', () => {
  const types = words.map((word) => record(element('a', 'xsd:int')).replace('"Row"', `"${word}"`));
  const text = words.reduce(
    (changed, word, index) =>
      addOperation(`Ping${index}`, credential, element(`Ping${index}Result`, `tns:${word}`), '', changed),
    change('</xsd:schema>', `${types.join('\n')}</xsd:schema>`, operationsNamed('interface')),
  );
  expect(problemsOf(text).map(({ line, text }) => `${line}: ${text.replace(/\(.*\)/, '()')}`)).toEqual([
    ...words.map((word) => {
      const line = lineOf(`<xsd:complexType name="${word}">`, text);
      return `${line}: complexType ${word}: TypeScript refuses a type of this name (): choose another name in this file`;
    }),
    `${lineOf('<wsdl:operation name="interface">', text)}: operation interface: TypeScript refuses a type of this name (): the service has to choose another name`,
  ]);
  expect(problemsOf(text)).toContainEqual(
    expect.objectContaining({ text: expect.stringContaining("(Interface name cannot be 'string')") }),
  );
});

function problemsOf(text: string): ContractError['problems'] {
  try {
    readContractFor(text, 'messaging.v1.wsdl');
  } catch (error) {
    if (error instanceof ContractError) return error.problems;
    throw error;
  }
  return [];
}

/** The line of the WSDL, from 1, that holds a text. */
function lineOf(part: string, text: string): number {
  return text.slice(0, text.indexOf(part)).split('\n').length;
}

test('the generator reports a wrong soapAction at the line of its soap:operation', () => {
  const text = change('soapAction="http://messaging.example/SendAdvance"', 'soapAction="urn:x"');
  expect(problemsOf(text)).toEqual([
    expect.objectContaining({
      line: lineOf('soapAction="urn:x"', text),
      text: 'soapAction of SendAdvance for SOAP 1.1 is urn:x: the client sends http://messaging.example/SendAdvance, which the service has to accept',
    }),
  ]);
});

/** The WSDL with more attributes on an element of a message, and the line of this element. */
function withAttributes(message: string, name: string, attributes: string): { text: string; line: number } {
  const [part = ''] = new RegExp(`<xsd:element name="${message}">[\\s\\S]*?</xsd:sequence>`).exec(wsdl) ?? [];
  const text = change(part, change(`name="${name}"`, `name="${name}" ${attributes}`, part));
  return { text, line: lineOf(`name="${name}" ${attributes}`, text) };
}

test('the generator refuses a status of a response that may be absent, and takes one of a request', () => {
  expect(problemsOf(withAttributes('SendSimpleByApikey', 'status', 'minOccurs="0"').text)).toEqual([]);
  expect(problemsOf(withAttributes('SendSimpleByApikeyResponse', 'status', 'minOccurs="0"').text)).toEqual([
    expect.objectContaining({
      text: expect.stringMatching(/^the status of the response of SendSimpleByApikey may be absent: /),
    }),
  ]);
});

test.each([
  ['SendSimpleByApikey', 'apikey'],
  ['SendSimpleByApikey', 'status'],
  ['SendSimpleByApikey', 'statusmessage'],
  ['SendSimpleByApikeyResponse', 'status'],
])('the generator gives the line of nillable for an element of %s: %s', (message, name) => {
  const { text, line } = withAttributes(message, name, 'nillable="true"');
  expect(problemsOf(text).map((problem) => problem.line)).toEqual([line]);
});

test('the generator gives the line of nillable for the items of a list, and for an element that is referred to', () => {
  const items = change('name="int" type="xsd:int"', 'name="int" nillable="true" type="xsd:int"');
  const key = element('apikey', 'xsd:string', 'nillable="true"');
  const referred = addOperation(
    'Ping',
    '<xsd:element ref="tns:apikey" minOccurs="0"/>',
    element('PingResult', 'xsd:int'),
    `${key}\n`,
  );
  expect(problemsOf(items).map(({ line }) => line)).toEqual([lineOf('name="int" nillable', items)]);
  expect(problemsOf(referred).map(({ line }) => line)).toEqual([lineOf(key, referred)]);
});

test('the names of the package are those of its client and of its commands', async () => {
  const ofOperations: readonly string[] = Object.values(methods);
  const members = Object.getOwnPropertyNames(MessagingClient.prototype).filter(
    (name) => !ofOperations.includes(name.replace(/Stream$/, '')),
  );
  expect(ownMembers.filter((name) => name !== 'then').sort()).toEqual(members.sort());
  const { stdout } = await messaging(['help']);
  const commands = [.../^ {2}([a-z-]+) {2,}\S/gm[Symbol.matchAll](stdout)].map(([, name = '']) => name);
  const others = commands.filter((name) => !ofOperations.some((method) => kebabCase(method) === name));
  expect(ownCommands.filter((name) => name !== 'settings' && name !== 'exit-codes').sort()).toEqual(others.sort());
});

test('the generator gives the lines of both fields that differ in case only', () => {
  const text = change(pagesize, `${pagesize}\n${element('Tag', 'xsd:int')}\n\n${element('tag', 'xsd:int')}`);
  const [first, second] = ['name="Tag"', 'name="tag"'].map((name) => lineOf(name, text));
  expect(problemsOf(text)).toEqual([
    expect.objectContaining({
      line: second,
      text: `SelectlatestByApikey: the fields Tag and tag have the same option --tag (lines ${first} and ${second}): the service has to rename one of them`,
    }),
  ]);
});

test('the generator gives the line of the element that has a list or a record in a record, or a list of lists', () => {
  const cost = '<xsd:element name="cost" type="xsd:int">';
  for (const type of ['ArrayOfInt', 'ApiReceive']) {
    const text = change(cost, `<xsd:element name="cost" type="tns:${type}">`);
    expect(problemsOf(text)).toEqual([
      expect.objectContaining({ line: lineOf(`name="cost" type="tns:${type}"`, text) }),
    ]);
  }
  const lists = change('<xsd:element name="long" type="xsd:long"', '<xsd:element name="long" type="tns:ArrayOfInt"');
  expect(problemsOf(lists)).toEqual([
    expect.objectContaining({ line: lineOf('<xsd:element name="long" type="tns:ArrayOfInt"', lists) }),
  ]);
});

test.each(['\n', '\r\n', '\r'])(
  'the generator gives the line of the start tag when %j follows the name of an element',
  (lineBreak) => {
    const text = change(
      '<xsd:element name="cost" type="xsd:int">',
      `<xsd:element${lineBreak} name="cost" type="xsd:date">`,
    );
    expect(problemsOf(text)).toEqual([expect.objectContaining({ line: lineOf(`<xsd:element${lineBreak}`, text) })]);
  },
);

test('the generator reports an unreadable first request once, without false refusals of other parts', () => {
  const text = change('name="parameters" element="tns:SelectoutboxByApikey"', 'name="parameters" type="xsd:string"');
  expect(problemsOf(text).map((problem) => problem.text)).toEqual([
    expect.stringMatching(/^part parameters of message SelectoutboxByApikeySoapIn without an element/),
  ]);
});

test('the generator reports only the rpc style and the parts of an rpc service', () => {
  const text = wsdl
    .replaceAll('style="document"', 'style="rpc"')
    .replaceAll(/name="parameters" element="tns:\w+"/g, 'name="parameters" type="xsd:string"');
  const others = problemsOf(text).filter((problem) => !/style="rpc"|without an element/.test(problem.text));
  expect(others).toEqual([]);
});
