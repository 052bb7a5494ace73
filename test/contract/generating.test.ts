import { readContractFor } from '../../scripts/generate/files';
import { ContractError } from '../../src/contract/model/problems';
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

const taken: readonly (readonly [string, string])[] = [
  ['our own contract', wsdl],
  ['a new operation', pingWith(element('echo', 'xsd:long'))],
  ['an operation that takes nothing', ping('', element('PingByApikeyResult', 'xsd:long'))],
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
  ['elements of names that are no identifiers', pingWith(element('a、b', 'xsd:int') + element('class', 'xsd:int'))],
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
    'declared faults',
    change(
      '<wsdl:output message="tns:SendAdvanceSoapOut"/>',
      '<wsdl:output message="tns:SendAdvanceSoapOut"/><wsdl:fault name="f" message="tns:SendAdvanceSoapOut"/>',
    ),
  ],
];

test.each(taken)('the generator takes %s', (_what, text) => {
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
    /^soap:header AuthHeader of input is not supported: the client sends no SOAP headers; make it an element of the request$/,
  ],
  [
    'rpc',
    change('<soap12:binding style="document"', '<soap12:binding style="rpc"'),
    /^soap12:binding style="rpc" is not supported: use "document"$/,
  ],
  [
    'rpc of one operation',
    change('SendAdvance" style="document"', 'SendAdvance" style="rpc"'),
    /^soap:operation style="rpc" is not supported/,
  ],
  [
    'encoded bodies',
    change('<soap:body use="literal"/>', '<soap:body use="encoded"/>'),
    /^soap:body use="encoded" is not supported: use "literal"$/,
  ],
  [
    'another transport',
    change('"http://schemas.xmlsoap.org/soap/http"', '"urn:jms"'),
    /^transport urn:jms is not supported: use SOAP over HTTP$/,
  ],
  [
    'a policy',
    change('<soap:binding style', '<p:PolicyReference xmlns:p="urn:p" URI="#p"/><soap:binding style'),
    /^PolicyReference \(\{urn:p\}\) is not supported: remove it$/,
  ],
  [
    'soapActionRequired',
    change('<soap12:operation soapAction', '<soap12:operation soapActionRequired="true" soapAction'),
    /^soapActionRequired="true" is not supported/,
  ],
  [
    'unqualified elements',
    change('elementFormDefault="qualified"', 'elementFormDefault="unqualified"'),
    /^an element without a namespace is not supported: set elementFormDefault="qualified" on the schema, and no form$/,
  ],
  [
    'an attribute',
    change(
      '<xsd:complexType name="ApiSelect">',
      '<xsd:complexType name="ApiSelect"><xsd:attribute name="id" type="xsd:int"/>',
    ),
    /^xsd:attribute id of complexType ApiSelect is not supported: use an element$/,
  ],
  [
    'a choice',
    change(pagesize, `<xsd:choice>${pagesize}</xsd:choice>`),
    /^xsd:choice is not supported: use a plain sequence of elements$/,
  ],
  [
    'xsd:all',
    wsdl.replace(
      /(name="RemainCreditByApiKey">\s*<xsd:complexType>\s*)<xsd:sequence>([\s\S]*?)<\/xsd:sequence>/,
      '$1<xsd:all>$2</xsd:all>',
    ),
    /^xsd:all is not supported: use xsd:sequence$/,
  ],
  ['xsd:any', change(pagesize, '<xsd:any/>'), /^xsd:any is not supported/],
  ['a group', change(pagesize, '<xsd:group ref="tns:g"/>'), /^xsd:group is not supported/],
  [
    'inheritance',
    change('<xsd:complexType name="ApiSelect">', '<xsd:complexType name="ApiSelect"><xsd:complexContent/>'),
    /^xsd:complexContent in complexType ApiSelect is not supported/,
  ],
  [
    'mixed content',
    change('<xsd:complexType name="ApiSelect">', '<xsd:complexType name="ApiSelect" mixed="true">'),
    /^mixed="true" of complexType ApiSelect is not supported: remove it$/,
  ],
  [
    'a default value',
    change('name="pagesize"', 'default="1" name="pagesize"'),
    /^attribute default of element pagesize is not supported: remove it$/,
  ],
  [
    'a list of lists',
    change('name="long" type="xsd:long"', 'name="long" type="tns:ArrayOfInt"'),
    /^element long: a list of lists is not supported: a list holds plain values or records$/,
  ],
  [
    'a list inside a record',
    change('name="cost" type="xsd:int"', 'name="cost" type="tns:ArrayOfInt"'),
    /^element cost: complexType ArrayOfInt is not supported: a record holds plain values, no records or lists$/,
  ],
  [
    'a record inside a record',
    change('name="cost" type="xsd:int"', 'name="cost" type="tns:ApiReceive"'),
    /^element cost: complexType ApiReceive is not supported/,
  ],
  [
    'a record in a request',
    change('name="pagesize" type="xsd:int"', 'name="pagesize" type="tns:ApiReceive"'),
    /^SelectlatestByApikey: element pagesize of the request is a record: use plain values and lists of them$/,
  ],
  [
    'a repeated element beside others',
    change('name="pagesize" type="xsd:int"', 'name="pagesize" type="xsd:int" maxOccurs="unbounded"'),
    /^element pagesize: a repetition beside other elements is not supported: give it a list type of its own$/,
  ],
  [
    'a list of at least one',
    change('name="int" type="xsd:int" minOccurs="0"', 'name="int" type="xsd:int"'),
    /^minOccurs="1" of element int in list complexType ArrayOfInt is not supported: write minOccurs="0" maxOccurs="unbounded"$/,
  ],
  [
    'a list of at most ten',
    change(
      'name="int" type="xsd:int" minOccurs="0" maxOccurs="unbounded"',
      'name="int" type="xsd:int" minOccurs="0" maxOccurs="10"',
    ),
    /^maxOccurs="10" of element int/,
  ],
  [
    'nil items in a list of a request',
    change('name="int" type="xsd:int" minOccurs="0"', 'name="int" type="xsd:int" nillable="true" minOccurs="0"'),
    /^SendArrayByApikey: element msgmode of the request has items that may be nil: remove nillable from int$/,
  ],
  [
    'a date',
    change('name="cost" type="xsd:int"', 'name="cost" type="xsd:dateTime"'),
    /^element cost: xsd:dateTime is not supported: use one of string, boolean, short, int, long and enumerations of strings$/,
  ],
  [
    'a decimal',
    change('name="cost" type="xsd:int"', 'name="cost" type="xsd:decimal"'),
    /^element cost: xsd:decimal is not supported/,
  ],
  [
    'no type',
    change('name="cost" type="xsd:int"', 'name="cost"'),
    /^element cost: xsd:anyType is not supported: use one of/,
  ],
  [
    'a limited string',
    pingWith(
      element('short', 'tns:Short'),
      '<xsd:simpleType name="Short"><xsd:restriction base="xsd:string"><xsd:maxLength value="9"/></xsd:restriction></xsd:simpleType>',
    ),
    /^element short: xsd:string with maxLength 9 is not supported: use the type without the limit$/,
  ],
  [
    'a union',
    pingWith(
      element('u', 'tns:U'),
      '<xsd:simpleType name="U"><xsd:union memberTypes="xsd:int xsd:string"/></xsd:simpleType>',
    ),
    /^element u: xsd:union is not supported/,
  ],
  [
    'an enumeration of numbers',
    pingWith(
      element('u', 'tns:U'),
      '<xsd:simpleType name="U"><xsd:restriction base="xsd:int"><xsd:enumeration value="1"/></xsd:restriction></xsd:simpleType>',
    ),
    /^element u: xsd:int with enumeration 1 is not supported/,
  ],
  [
    'an inline record',
    pingGiving('tns:X').replace(
      'type="tns:X"/>',
      `>${record(element('a', 'xsd:int')).replace(' name="Row"', '')}</xsd:element>`,
    ),
    /^element PingByApikeyResult has an inline complexType: give it a name, and use that as the type$/,
  ],
  [
    'a record without elements',
    pingGiving('tns:Row', '', record('')),
    /^complexType Row holds no elements: give it some$/,
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
    /^an element in namespace urn:other is not supported: define them in http:\/\/messaging\.example\/$/,
  ],
  [
    'a binding of HTTP GET',
    change(
      '</wsdl:definitions>',
      '<wsdl:binding name="get" type="tns:v1Soap"><h:binding xmlns:h="urn:h" verb="GET"/></wsdl:binding></wsdl:definitions>',
    ),
    /^binding get is not SOAP: remove it, its portType, messages and port$/,
  ],
  [
    'a second binding of one version',
    change(
      '<wsdl:binding name="v1Soap12"',
      '<wsdl:binding name="v2Soap" type="tns:v1Soap"><soap:binding transport="http://schemas.xmlsoap.org/soap/http"/></wsdl:binding><wsdl:binding name="v1Soap12"',
    ),
    /^a second binding for SOAP 1\.1, beside v1Soap, is not supported: remove one$/,
  ],
  [
    'a message of two parts',
    change(
      '<wsdl:part name="parameters" element="tns:SendAdvance"/>',
      '<wsdl:part name="parameters" element="tns:SendAdvance"/><wsdl:part name="b" type="xsd:int"/>',
    ),
    /^message SendAdvanceSoapIn with 2 parts is not supported: give it one part, an element$/,
  ],
  [
    'a part without an element',
    change('name="parameters" element="tns:SendAdvance"', 'name="parameters" type="xsd:int"'),
    /^part parameters of message SendAdvanceSoapIn without an element is not supported: name an element, not a type$/,
  ],
  [
    'an operation without an answer',
    change('<wsdl:output message="tns:SendAdvanceSoapOut"/>', ''),
    /^operation SendAdvance without output is not supported: add one$/,
  ],
  [
    'an operation twice',
    change('</wsdl:portType>', '<wsdl:operation name="SendAdvance"/></wsdl:portType>'),
    /^operation SendAdvance twice in portType v1Soap: rename one of them$/,
  ],
  [
    'an element twice',
    change(pagesize, pagesize + pagesize),
    /^element pagesize twice in one sequence is not supported: rename one of them$/,
  ],
  [
    'a request without status',
    ping(credential, element('PingByApikeyResult', 'xsd:long')).replace(
      /(<xsd:element name="PingByApikey">.*?)<xsd:element name="status".*?<xsd:element name="statusmessage".*?\/>/,
      '$1',
    ),
    /^the request of PingByApikey does not end with status \(xsd:int\) and statusmessage \(xsd:string\): add them$/,
  ],
  [
    'an API key that is a number',
    change('name="apikey" type="xsd:string"', 'name="apikey" type="xsd:int"'),
    /^SelectoutboxByApikey: apikey is not a plain xsd:string: make it one$/,
  ],
  [
    'a name that TypeScript has',
    pingGiving('tns:Promise', '', record(element('a', 'xsd:int')).replace('"Row"', '"Promise"')),
    /^complexType Promise: this name cannot be a TypeScript type's: choose another$/,
  ],
  ...['class', 'enum', 'default', 'delete', 'import', 'function', 'let', 'static', 'await', 'package', 'keyof'].map(
    (word) =>
      [
        `a record named ${word}`,
        row(word),
        new RegExp(`^complexType ${word}: this name cannot be a TypeScript type's: choose another$`),
      ] as const,
  ),
  [
    'an operation that is named as a word of TypeScript',
    operationsNamed('interface'),
    /^operation interface: this name cannot be a TypeScript type's: choose another$/,
  ],
  [
    'a record of the name that the service has',
    row('V1'),
    /^complexType V1 and service v1 would share a name: rename one of them$/,
  ],
  [
    'a record of the name that the portType has',
    row('V1Soap'),
    /^complexType V1Soap and portType v1Soap would share a name: rename one of them$/,
  ],
  [
    'a record of the name that the client has',
    row('MessagingV1Client'),
    /^complexType MessagingV1Client and the client of service v1 would share a name: rename one of them$/,
  ],
  [
    'a service of the name that the portType has',
    change('<wsdl:service name="v1">', '<wsdl:service name="v1Soap">'),
    /^portType v1Soap and service v1Soap would share a name: rename one of them$/,
  ],
  [
    'a service whose name is no identifier',
    change('<wsdl:service name="v1">', '<wsdl:service name="v-1">'),
    /^service v-1: this name cannot be a TypeScript type's: choose another$/,
  ],
  [
    'a portType whose name is no identifier',
    wsdl
      .replace('<wsdl:portType name="v1Soap">', '<wsdl:portType name="v1.Soap">')
      .replaceAll('type="tns:v1Soap"', 'type="tns:v1.Soap"'),
    /^portType v1\.Soap: this name cannot be a TypeScript type's: choose another$/,
  ],
  [
    'a port whose name is no identifier',
    change('<wsdl:port name="v1Soap12"', '<wsdl:port name="v1-Soap12"'),
    /^port v1-Soap12: this name cannot be a TypeScript property's: choose another$/,
  ],
  [
    'two ports of one name',
    change('<wsdl:port name="v1Soap12"', '<wsdl:port name="v1Soap"'),
    /^two ports are named v1Soap: rename one of them$/,
  ],
  ...['a b', 'a<b', '1a', '', '-', 'a:b'].map(
    (name) =>
      [
        `an element named "${name}"`,
        pingWith(element(name.replace('<', '&lt;'), 'xsd:int')),
        new RegExp(`^element "${name}": this is no name in XML: choose another$`),
      ] as const,
  ),
  [
    'a record whose name is none in XML',
    change('</xsd:schema>', '<xsd:complexType name="a b"/></xsd:schema>'),
    /^complexType "a b": this is no name in XML/,
  ],
  [
    'an operation whose name is none in XML',
    change('</wsdl:portType>', '<wsdl:operation name="a b"/></wsdl:portType>'),
    /^operation "a b": this is no name in XML/,
  ],
  ['a part whose name is none in XML', change('name="parameters"', 'name="1"'), /^part "1": this is no name in XML/],
  [
    'a port whose name is none in XML',
    change('<wsdl:port name="v1Soap12"', '<wsdl:port name="a b"'),
    /^port "a b": this is no name in XML/,
  ],
  [
    'a service whose name is none in XML',
    change('<wsdl:service name="v1">', '<wsdl:service name="1">'),
    /^service "1": this is no name in XML/,
  ],
  [
    'an operation that is named as a property of each object',
    addOperation('toString', credential, element('toStringResult', 'xsd:int')),
    /^operation toString: this name cannot be a TypeScript type's: choose another$/,
  ],
  [
    'an element of a record that is named as a property of each object',
    pingGiving('tns:Row', '', record(element('constructor', 'xsd:string', 'minOccurs="0"'))),
    /^element constructor: every object of JavaScript has a property of this name: rename it$/,
  ],
  [
    'a record of the name of a type',
    pingGiving('tns:long', '', record(element('a', 'xsd:int')).replace('"Row"', '"long"')),
    /^complexType long: this name cannot be/,
  ],
  [
    'names that differ in case only',
    wsdl.replaceAll('GetStatusByApikey', 'cancelbyapikey'),
    /^operation CancelByApikey and operation cancelbyapikey would share a file: rename one of them$/,
  ],
  [
    'an element that JavaScript cannot hold',
    pingWith(element('__proto__', 'xsd:int')),
    /^element __proto__: every object of JavaScript has a property of this name: rename it$/,
  ],
  [
    'two elements whose options would be spelt alike',
    pingWith(element('localId', 'xsd:int') + element('local-id', 'xsd:int')),
    /^PingByApikey: the fields localId and local-id have the same option --local-id: rename one of them$/,
  ],
];

test.each(refused)('the generator refuses %s, by its name and with what to do', (_what, text, message) => {
  const problems = problemsOf(text);
  expect(problems.map((problem) => problem.text)).toContainEqual(expect.stringMatching(message));
  for (const { file, line } of problems) {
    expect(file).toBe('messaging.v1.wsdl');
    expect(line).toBeGreaterThan(1);
  }
});

test('all refusals of a file come in one run, by line', () => {
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
    'element cost: xsd:float',
    'element pagesize: xsd:date',
    'soap12:body use="encoded"',
  ]);
  expect(problems.map(({ line }) => line)).toEqual([...problems.map(({ line }) => line)].sort((a, b) => a - b));
  const [first] = problems;
  expect(text.split('\n')[(first?.line ?? 0) - 1]).toContain('name="cost"');
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
