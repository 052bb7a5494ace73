import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { operations } from '../../generated/operations';
import { compareContracts } from '../../src/contract/compare/compare';
import { ContractError } from '../../src/contract/model/problems';
import { FetchError } from '../../src/contract/read/fetch';
import { loadContract } from '../../src/contract/read/load';
import { readWsdl } from '../../src/contract/read/read-contract';
import { pem } from '../support/fixtures';
import { makeFolder } from '../support/folder';
import { startProxy } from '../support/proxy';
import { RawServer } from '../support/raw-server';
import { addOperation, change, element, wsdl } from './wsdl';

const limits = { timeoutMs: 30_000 };
let folder: string;
const servers: Server[] = [];

beforeEach(() => {
  folder = makeFolder();
});
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function serve(
  listener: RequestListener,
  tls?: { readonly cert: string; readonly key: string },
): Promise<string> {
  const server = tls ? createSecureServer(tls, listener) : createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http${tls ? 's' : ''}://127.0.0.1:${(server.address() as AddressInfo).port}/soap/v1.asmx?wsdl`;
}

function write(content: string | Buffer): string {
  const path = join(folder, 'their.wsdl');
  writeFileSync(path, content);
  return path;
}

async function differences(source: string): Promise<string[]> {
  const { contract: ours } = readWsdl(wsdl, 'ours');
  const { contract } = await loadContract(source, limits, ours);
  return compareContracts(ours, contract).differences.map(({ where }) => where);
}

function swap(bytes: Buffer): Buffer {
  return Buffer.from(bytes).swap16();
}

const utf16 = Buffer.from(wsdl.replace('encoding="utf-8"', 'encoding="utf-16"'), 'utf16le');
const latin1 = (declared: string): Buffer =>
  Buffer.from(
    wsdl.replace('encoding="utf-8"', `encoding="${declared}"`).replace('The id of', 'Die Nümmer of'),
    'latin1',
  );
const encodings: readonly (readonly [string, Buffer])[] = [
  ['UTF-8 with a byte order mark', Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(wsdl)])],
  ['UTF-16, little end first, with a byte order mark', Buffer.concat([Buffer.from([0xff, 0xfe]), utf16])],
  ['UTF-16, big end first, with a byte order mark', Buffer.concat([Buffer.from([0xfe, 0xff]), swap(utf16)])],
  ['UTF-16 without a byte order mark', utf16],
  ['UTF-8 with a declaration of UTF-16', Buffer.from(utf16.toString('utf16le'))],
  ['ISO 8859-1', latin1('iso-8859-1')],
  ['windows-1252', latin1('windows-1252')],
];

test.each(encodings)('a WSDL in %s is read without a difference', async (_what, bytes) => {
  expect(await differences(write(bytes))).toEqual([]);
});

test('the charset of the response counts before the encoding that the document declares', async () => {
  const url = await serve((_request, response) => {
    response.setHeader('content-type', 'text/xml; charset=iso-8859-1').end(latin1('utf-8'));
  });
  expect(await differences(url)).toEqual([]);
});

test('the request for a WSDL has no credentials', async () => {
  const requests: IncomingMessage[] = [];
  const url = await serve((request, response) => {
    requests.push(request);
    response.end(wsdl);
  });
  expect(await differences(url)).toEqual([]);
  expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /soap/v1.asmx?wsdl']);
  expect(Object.keys(requests[0]?.headers ?? {}).sort()).toEqual(['accept', 'connection', 'host', 'user-agent']);
});

const serverTls = { cert: pem('server.pem'), key: pem('server.key') };

test('a WSDL at an https address is read with the authority of the settings only', async () => {
  const url = await serve((_request, response) => response.end(wsdl), serverTls);
  const { contract } = await loadContract(url, { ...limits, tls: { ca: pem('authority.pem') } });
  expect(contract.namespace).toBe('http://messaging.example/');
  const failure = loadContract(url, limits);
  await expect(failure).rejects.toThrow(/^https:\/\/127\.0\.0\.1:\d+\/soap\/v1\.asmx\?wsdl: unable to verify/);
  await expect(failure).rejects.toMatchObject({ name: 'FetchError', sent: false });
});

test.each([
  ['http', undefined],
  ['https', serverTls],
])('the documents of a WSDL at an %s address are fetched through the proxy', async (_what, tls) => {
  const { service: proxy, asked } = await startProxy();
  const schema = '<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:other"/>';
  const text = change(
    '<wsdl:types>',
    '<wsdl:types><xsd:schema><xsd:import namespace="urn:other" schemaLocation="?xsd"/></xsd:schema>',
  );
  const url = await serve((request, response) => response.end(request.url?.endsWith('?xsd') ? schema : text), tls);
  const { problems } = await loadContract(url, { ...limits, proxy: proxy.baseUrl, tls: { ca: pem('authority.pem') } });
  expect(problems).toEqual([]);
  const connect = `CONNECT ${new URL(url).host} HTTP/1.1`;
  expect(asked.map(({ requestLine }) => requestLine)).toEqual([connect, connect]);
});

test('a proxy that refuses the connection is named as the cause, and nothing was sent', async () => {
  const { service: proxy } = await startProxy({ status: '403 Forbidden' });
  const url = await serve((_request, response) => response.end(wsdl));
  const failure = loadContract(url, { ...limits, proxy: proxy.baseUrl });
  await expect(failure).rejects.toThrow(/the proxy responded with HTTP status 403$/);
  await expect(failure).rejects.toMatchObject({ name: 'FetchError', sent: false });
});

test('the time limit ends the wait for a proxy that does not answer', async () => {
  const url = await serve(() => undefined);
  const { baseUrl: proxy } = await RawServer.start({ onRequest: () => undefined });
  const failure = loadContract(url, { timeoutMs: 200, proxy });
  await expect(failure).rejects.toThrow(/no complete response within the time limit/);
  await expect(failure).rejects.toMatchObject({ name: 'FetchError', sent: false });
});

test('a WSDL that is split over several addresses of one host is read without a difference', async () => {
  const schema = /<xsd:schema[\s\S]*<\/xsd:schema>/.exec(wsdl)?.[0] as string;
  const declared = schema.replace(
    '<xsd:schema',
    '<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:tns="http://messaging.example/"',
  );
  const records = /<xsd:complexType name="ApiSelect">[\s\S]*?<\/xsd:complexType>/.exec(schema)?.[0] as string;
  const start = declared.slice(0, declared.indexOf('>') + 1);
  const documents: Record<string, string> = {
    '/soap/v1.asmx?wsdl': `<wsdl:definitions xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" targetNamespace="http://messaging.example/"><wsdl:import namespace="http://messaging.example/" location="?wsdl=wsdl0"/></wsdl:definitions>`,
    '/soap/v1.asmx?wsdl=wsdl0': wsdl.replace(
      schema,
      '<xsd:schema targetNamespace="http://messaging.example/Imports"><xsd:import schemaLocation="?xsd=xsd0" namespace="http://messaging.example/"/></xsd:schema>',
    ),
    '/soap/v1.asmx?xsd=xsd0': declared
      .replace(records, '')
      .replace(start, `${start}<xsd:include schemaLocation="records.xsd"/>`),
    // Two that include each other are asked for once each.
    '/soap/records.xsd': `${start}<xsd:include schemaLocation="v1.asmx?xsd=xsd0"/>${records}</xsd:schema>`,
  };
  const asked: string[] = [];
  const url = await serve((request, response) => {
    asked.push(request.url as string);
    response.end(documents[request.url as string]);
  });
  expect(await differences(url)).toEqual([]);
  expect(asked.sort()).toEqual(Object.keys(documents).sort());
});

/** The server of documents by their paths; the WSDL is at /soap/v1.asmx?wsdl. */
async function serveDocuments(documents: Readonly<Record<string, string>>): Promise<string> {
  return serve((request, response) => response.end(documents[request.url as string]));
}

test('an included schema without a namespace is not followed, and is named when a definition is missing', async () => {
  const [record = ''] = /<xsd:complexType name="ApiSelect">[\s\S]*?<\/xsd:complexType>/.exec(wsdl) ?? [];
  const url = await serveDocuments({
    '/soap/v1.asmx?wsdl': change(record, '<xsd:include schemaLocation="records.xsd"/>'),
    '/soap/records.xsd': `<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema">${record}</xsd:schema>`,
  });
  await expect(loadContract(url, limits)).rejects.toThrow(
    'xsd:include of records.xsd is not followed: put its content into this file',
  );
});

test('xsd:redefine is not followed, and is named when a definition is missing', async () => {
  const [record] = /<xsd:complexType name="ApiSelect">[\s\S]*?<\/xsd:complexType>/.exec(wsdl) ?? [];
  const text = change(record as string, '<xsd:redefine schemaLocation="records.xsd"/>');
  await expect(loadContract(await serveDocuments({ '/soap/v1.asmx?wsdl': text }), limits)).rejects.toThrow(
    'xsd:redefine of records.xsd is not followed: put its content into this file',
  );
});

/** A portType of one other operation, with a binding of each version and its service. */
function otherPortType(versions: readonly ('soap' | 'soap12')[]): Record<'portType' | 'bindings' | 'service', string> {
  const bound = (prefix: string): string =>
    `<wsdl:binding name="a_${prefix}" type="tns:admin"><${prefix}:binding transport="http://schemas.xmlsoap.org/soap/http"/>` +
    `<wsdl:operation name="Restart"><${prefix}:operation soapAction="urn:x"/><wsdl:input><${prefix}:body use="literal"/></wsdl:input><wsdl:output><${prefix}:body use="literal"/></wsdl:output></wsdl:operation></wsdl:binding>`;
  const port = (prefix: string): string =>
    `<wsdl:port name="a_${prefix}" binding="tns:a_${prefix}"><${prefix}:address location="http://provider.example/admin"/></wsdl:port>`;
  return {
    portType: `<wsdl:portType name="admin"><wsdl:operation name="Restart"><wsdl:input message="tns:SendAdvanceSoapIn"/><wsdl:output message="tns:SendAdvanceSoapOut"/></wsdl:operation></wsdl:portType>`,
    bindings: versions.map(bound).join(''),
    service: `<wsdl:service name="admin">${versions.map(port).join('')}</wsdl:service>`,
  };
}

/** The WSDL with another portType before ours. */
function withOther({ portType, bindings, service }: ReturnType<typeof otherPortType>, text = wsdl): string {
  return change(
    '<wsdl:portType',
    `${portType}<wsdl:portType`,
    change('<wsdl:binding', `${bindings}<wsdl:binding`, change('<wsdl:service', `${service}<wsdl:service`, text)),
  );
}

const withoutSoap12 = wsdl
  .replace(/<wsdl:binding name="v1Soap12"[\s\S]*?<\/wsdl:binding>/, '')
  .replace(/<wsdl:port name="v1Soap12"[\s\S]*?<\/wsdl:port>/, '');

test.each([
  ['another service before ours', withOther(otherPortType(['soap', 'soap12'])), []],
  ['SOAP 1.2 of another service only', withOther(otherPortType(['soap12']), withoutSoap12), ['binding of SOAP 1.2']],
])('a WSDL with %s is compared by the first port that has one of our operations', async (_what, text, expected) => {
  expect(await differences(write(text))).toEqual(expected);
});

test('both bindings come from one service when two services have the same portType', async () => {
  const [first, second] = ['v1Soap', 'v1Soap12'].map(
    (name) => new RegExp(`<wsdl:binding name="${name}"[\\s\\S]*?</wsdl:binding>`).exec(wsdl)?.[0] as string,
  ) as [string, string];
  const copies = [second.replace('"v1Soap12"', '"copy12"'), first.replace('"v1Soap"', '"copy"')];
  const [service] = /<wsdl:service[\s\S]*<\/wsdl:service>/.exec(wsdl) ?? [];
  const other = (service as string)
    .replaceAll('v1Soap12"', 'copy12"')
    .replaceAll('v1Soap"', 'copy"')
    .replace('name="v1"', 'name="copy"')
    .replaceAll('provider.example', 'other.example');
  const text = change(first, `${first}${copies.join('')}`).replace(
    '</wsdl:definitions>',
    `${other}</wsdl:definitions>`,
  );
  expect(await differences(write(text))).toEqual([]);
});

const include = (location: string): string =>
  change(
    'targetNamespace="http://messaging.example/">\n\n      <!-- Records',
    `targetNamespace="http://messaging.example/"><xsd:include schemaLocation="${location}"/><!-- Records`,
  ).replace(/<xsd:complexType name="ApiSelect">[\s\S]*?<\/xsd:complexType>/, '');

test('an import from another host is not followed, and is named when a definition is missing', async () => {
  let asked = 0;
  const other = await serve((_request, response) => {
    asked++;
    response.end('<secret/>');
  });
  const url = await serve((_request, response) => response.end(include(other)));
  await expect(loadContract(url, limits)).rejects.toThrow(
    /xsd:include of http:\/\/127\.0\.0\.1:\d+\/soap\/v1\.asmx\?wsdl is not followed/,
  );
  expect(asked).toBe(0);
});

test.each(['file:///etc/hostname', '/etc/hostname', 'other.xsd'])(
  'a file that names %s does not have it read',
  async (location) => {
    writeFileSync(join(folder, 'other.xsd'), 'secret');
    const failure = loadContract(write(include(location)), limits);
    await expect(failure).rejects.toThrow(`xsd:include of ${location} is not followed`);
    await expect(failure).rejects.not.toThrow('secret');
  },
);

test('an import from a file is not followed from the network', async () => {
  const url = await serve((_request, response) => response.end(include('file:///etc/hostname')));
  await expect(loadContract(url, limits)).rejects.toThrow('xsd:include of file:///etc/hostname is not followed');
});

test('an import that defines nothing needed does not stop the comparison', async () => {
  const unused = change(
    'elementFormDefault="qualified" targetNamespace="http://messaging.example/">',
    'elementFormDefault="qualified" targetNamespace="http://messaging.example/"><xsd:import namespace="http://schemas.xmlsoap.org/soap/encoding/"/>',
  );
  expect(await differences(write(unused))).toEqual([]);
});

const dataSet =
  '<xsd:element name="ReportResult"><xsd:complexType><xsd:sequence><xsd:element ref="xsd:schema"/><xsd:any/></xsd:sequence></xsd:complexType></xsd:element>';
const withReport = addOperation('Report', '', dataSet);
const missingMessage = withReport.replace('<wsdl:message name="ReportOut">', '<wsdl:message name="Other">');

test.each([
  ['that returns a DataSet', withReport],
  ['whose element has no type', withReport.replace(/<xsd:element name="Report">.*/, '<xsd:element name="Report"/>')],
  ['whose message is not defined', missingMessage],
  ['whose type is not defined', addOperation('Report', '', element('ReportResult', 'tns:Nothing'))],
  [
    'whose type is defined twice',
    addOperation('Report', '', element('ReportResult', 'tns:Twice'), '<xsd:complexType name="Twice"/>'.repeat(2)),
  ],
  ['that is bound twice', withReport.replace(/(<wsdl:operation name="Report"><soap:.*?<\/wsdl:operation>)/, '$1$1')],
  ['that the portType does not have', withReport.replace(/<wsdl:operation name="Report"><wsdl:input.*/, '')],
])('an operation of the service %s does not stop the comparison', async (_what, text) => {
  expect((await differences(write(text))).filter((where) => where !== 'operation Report')).toEqual([]);
});

test.each([
  [
    'whose message is not defined',
    change('<wsdl:message name="SendAdvanceSoapIn">', '<wsdl:message name="Other">'),
    'message SendAdvanceSoapIn is not defined',
  ],
  [
    'whose type is defined twice',
    change(
      '<xsd:complexType name="ArrayOfLong">',
      '<xsd:complexType name="ArrayOfLong"/><xsd:complexType name="ArrayOfLong">',
    ),
    'complexType ArrayOfLong is defined twice',
  ],
  [
    'that is bound twice',
    wsdl.replace(/(<wsdl:operation name="SendAdvance">\s*<soap:[\s\S]*?<\/wsdl:operation>)/, '$1$1'),
    'operation SendAdvance twice in binding v1Soap',
  ],
])('an operation of this package %s stops the comparison', async (_what, text, message) => {
  await expect(loadContract(write(text), limits)).rejects.toThrow(message);
});

test('an import that was not followed is named before the missing definitions', async () => {
  const failure: unknown = await loadContract(write(include('types.xsd')), limits).catch((error: unknown) => error);
  const [first, ...others] = (failure as ContractError).problems;
  expect(first).toMatchObject({
    kind: 'import',
    text: expect.stringMatching(/^xsd:include of types\.xsd is not followed/),
  });
  expect(others.length).toBeGreaterThan(0);
  expect(others.map(({ kind }) => kind)).not.toContain('import');
});

test('a WSDL of more than twenty documents is refused', async () => {
  const url = await serve((request, response) => {
    const next = Number(/\d+/.exec(request.url?.split('?')[1] ?? '')?.[0] ?? 0) + 1;
    response.end(
      `<wsdl:definitions xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/"><wsdl:import location="?n=${next}"/></wsdl:definitions>`,
    );
  });
  await expect(loadContract(url, limits)).rejects.toThrow(/more than 20 documents/);
});

const broken: readonly (readonly [string, string, RegExp])[] = [
  ['that is no XML', 'hello', /their\.wsdl:1: not well-formed XML/],
  ['that is empty', '', /their\.wsdl:1: not well-formed XML/],
  ['that ends in the middle', wsdl.slice(0, 20_000), /not well-formed XML/],
  ['that is a web page', '<html><meta charset=utf-8><body>hello</body></html>', /:1: an HTML page, not a WSDL/],
  ['that is a web page with its type', '<!DOCTYPE html>\n<html></html>', /:1: an HTML page, not a WSDL/],
  [
    'of WSDL 2.0',
    '<description xmlns="http://www.w3.org/ns/wsdl"/>',
    /the root element is description, not wsdl:definitions/,
  ],
  ['without anything', '<definitions xmlns="http://schemas.xmlsoap.org/wsdl/"/>', /:1: no binding for SOAP 1\.1/],
  [
    'with a document type declaration',
    `<!DOCTYPE a [<!ENTITY b "c">]>${wsdl.replace(/<\?.*\?>/, '')}`,
    /a document type declaration \(DOCTYPE\) is not read/,
  ],
  ['with an entity', change('The id of', '&xxe;'), /not well-formed XML: undefined entity/],
  ['with entities in entities', `<!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;&b;&b;">]><a>&c;</a>`, /DOCTYPE/],
  ['nested too deep', `${'<a>'.repeat(200)}${'</a>'.repeat(200)}`, /elements nested deeper than 100/],
  ['with too many elements', `<a>${'<b/>'.repeat(40_001)}</a>`, /more than 40000 elements/],
  ['with an attribute that is too long', `<a b="${'c'.repeat(4001)}"/>`, /an attribute of more than 4000 characters/],
  [
    'with too many attributes',
    `<a ${Array.from({ length: 200 }, (_, index) => `a${index}=""`).join(' ')}/>`,
    /an element with more than 100 attributes/,
  ],
  [
    'with a type that restricts itself',
    change(
      'type="xsd:int" minOccurs="0" maxOccurs="unbounded"',
      'type="tns:Loop" minOccurs="0" maxOccurs="unbounded"',
    ).replace(
      '</xsd:schema>',
      '<xsd:simpleType name="Loop"><xsd:restriction base="tns:Loop"/></xsd:simpleType></xsd:schema>',
    ),
    /simpleType Loop restricts itself/,
  ],
  [
    'with a type that is not defined',
    change('tns:ArrayOfApiReceive', 'tns:Nothing'),
    /complexType Nothing is not defined in namespace http:\/\/messaging\.example\//,
  ],
  [
    'with a prefix that is bound to nothing',
    change('type="tns:ArrayOfApiReceive"', 'type="x:ArrayOfApiReceive"'),
    /the prefix of x:ArrayOfApiReceive is not declared: declare it/,
  ],
  [
    'with an element whose name is none in XML',
    change('name="cost"', 'name="co st"'),
    /their\.wsdl:\d+: element "co st": not a valid XML name: choose another/,
  ],
  [
    'with a binding of no portType',
    change('<wsdl:binding name="v1Soap" type="tns:v1Soap">', '<wsdl:binding name="v1Soap">'),
    /^\S+their\.wsdl:\d+: binding v1Soap has no type: add it$/,
  ],
  [
    'with a binding whose type has a prefix that is bound to nothing',
    change('<wsdl:binding name="v1Soap" type="tns:v1Soap">', '<wsdl:binding name="v1Soap" type="x:v1Soap">'),
    /^\S+their\.wsdl:\d+: binding v1Soap: the prefix of x:v1Soap is not declared: declare it$/,
  ],
];

test.each(broken)('a WSDL %s is refused with its place', async (_what, text, message) => {
  const failure = loadContract(write(text), limits);
  await expect(failure).rejects.toThrow(ContractError);
  await expect(failure).rejects.toThrow(message);
});

test('records and lists that contain themselves do not make the reader loop', async () => {
  const loops = change(
    '<xsd:element name="long" type="xsd:long" minOccurs="0" maxOccurs="unbounded"/>',
    '<xsd:element name="long" type="tns:ArrayOfLong" minOccurs="0" maxOccurs="unbounded"/>',
  );
  const record = change('name="cost" type="xsd:int"', 'name="cost" type="tns:ApiSelect"', loops);
  expect(await differences(write(record))).toContain('record ApiSelect, element cost');
});

test('a file with bytes outside its encoding is refused', async () => {
  await expect(loadContract(write(latin1('utf-8')), limits)).rejects.toThrow(
    /their\.wsdl:1: not text in the encoding utf-8/,
  );
});

const endless =
  (chunk: Buffer): RequestListener =>
  (_request, response) => {
    const more = (): void => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on('drain', more);
    more();
  };

test('the reader stops at an endless response', async () => {
  const url = await serve(endless(Buffer.alloc(65_536, ' ')));
  await expect(loadContract(url, limits)).rejects.toThrow(/:1: the file is too large for a WSDL/);
});

test('the reader stops at a compressed response that unpacks to a huge one', async () => {
  const bomb = gzipSync(Buffer.alloc(20_000_000, ' '));
  const url = await serve((_request, response) => response.setHeader('content-encoding', 'gzip').end(bomb));
  await expect(loadContract(url, limits)).rejects.toThrow(/:1: the file is too large for a WSDL/);
});

test('the reader stops at an endless file', async () => {
  await expect(loadContract('/dev/zero', limits)).rejects.toThrow('/dev/zero:1: the file is too large for a WSDL');
});

test('a pipe is read, also one that nobody writes to', async () => {
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  await expect(loadContract(path, { timeoutMs: 50 })).rejects.toThrow(
    'pipe:1: no complete document within the time limit',
  );
  const writing = writeFile(path, wsdl);
  const { contract } = await loadContract(path, limits);
  await writing;
  expect(contract.operations).toHaveLength(Object.keys(operations).length);
});

test('an import at the same host and port gets the password of the address, however it is written, and no other host gets it', async () => {
  const asked: string[] = [];
  const listener: RequestListener = ({ url = '', headers }, response) => {
    asked.push(`${url} ${headers.authorization ?? 'no password'}`);
    response.end(url.endsWith('?wsdl') ? split : schema);
  };
  const url = await serve(listener);
  const other = new URL('/types.xsd', await serve(listener)).href;
  const schema = '<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema"/>';
  const imports = [new URL('/absolute.xsd', url).href, 'relative.xsd', other].map(
    (location) => `<xsd:import namespace="urn:x" schemaLocation="${location}"/>`,
  );
  const split = change('<xsd:complexType name="ApiSelect">', `${imports.join('')}<xsd:complexType name="ApiSelect">`);
  await loadContract(url.replace('http://', 'http://user:pass@'), limits);
  const basic = `Basic ${Buffer.from('user:pass').toString('base64')}`;
  expect(asked.sort()).toEqual([
    `/absolute.xsd ${basic}`,
    `/soap/relative.xsd ${basic}`,
    `/soap/v1.asmx?wsdl ${basic}`,
  ]);
});

test('blanks around names, references, numbers and actions do not count', async () => {
  const spaced = wsdl
    .replaceAll(
      / (name|element|message|binding|type|base|soapAction|targetNamespace|minOccurs)="([^"]*)"/g,
      ' $1="\n  $2 "',
    )
    .replace(/(<wsdl:service name=)"[^"]*"/, '$1" v1 "');
  expect(await differences(write(spaced))).toEqual([]);
});

test.each([
  ['gzip', gzipSync(wsdl)],
  ['GZIP', gzipSync(wsdl)],
  ['x-gzip', gzipSync(wsdl)],
  ['Identity', wsdl],
  ['', wsdl],
  ['UTF-8', wsdl],
])('a response with the content encoding "%s" is read, although the request did not ask for it', async (name, body) => {
  const url = await serve((_request, response) => response.setHeader('content-encoding', name).end(body));
  expect(await differences(url)).toEqual([]);
});

test('an emoji that a documentation has as two references is one character', () => {
  const text = change('Sends one text from one sender to a list of receptors.', 'Sends 😀&#55357;&#56832;&#xD83D;.');
  const { operations } = readWsdl(text, 'ours').contract;
  expect(operations.map(({ documentation }) => documentation)).toContainEqual(expect.stringContaining('😀😀\ufffd.'));
});

test('a reference to a character that XML forbids is refused', async () => {
  await expect(loadContract(write(change('Sends one text', 'Sends &#1; one text')), limits)).rejects.toThrow(
    /not well-formed XML: malformed character entity/,
  );
});

const failures: readonly (readonly [string, RequestListener, RegExp])[] = [
  [
    'not found',
    (_request, response) => response.writeHead(404).end('no'),
    /^http:\/\/127\.0\.0\.1:\d+\/soap\/v1\.asmx\?wsdl: the response has HTTP status 404$/,
  ],
  [
    'a redirect to an address whose query may hold a key',
    (_request, response) => response.writeHead(302, { location: 'https://elsewhere.example/?wsdl&k=secret' }).end(),
    /HTTP status 302 and redirects to https:\/\/elsewhere\.example\/\?wsdl&k=\*\*\*: give this address/,
  ],
  [
    'a redirect',
    (_request, response) => response.writeHead(302, { location: 'https://elsewhere.example/' }).end(),
    /HTTP status 302 and redirects to https:\/\/elsewhere\.example\/: give this address/,
  ],
  [
    'an unknown compression',
    (_request, response) => response.setHeader('content-encoding', 'br').end('x'),
    /Content-Encoding br, which was not requested/,
  ],
  [
    'a cut connection',
    (_request, response) =>
      void response.writeHead(200, { 'content-length': '100' }).write('<a', () => response.destroy()),
    /aborted/,
  ],
  ['no response', () => undefined, /no complete response within the time limit/],
  [
    'a response that never ends',
    (_request, response) => void response.write('<a>'),
    /no complete response within the time limit/,
  ],
];

test.each(failures)('an address with %s gives an error that says so', async (_what, listener, message) => {
  const failure = loadContract(await serve(listener), {
    timeoutMs: message.source.includes('time limit') ? 200 : 30_000,
  });
  await expect(failure).rejects.toThrow(FetchError);
  await expect(failure).rejects.toThrow(message);
  await expect(failure).rejects.toMatchObject({ sent: true });
});

test('an address at which no program listens is reported as not reached, without its password', async () => {
  const url = await serve(() => undefined);
  await new Promise((resolve) => servers.pop()?.close(resolve));
  const failure = loadContract(url.replace('//', '//user:secret@'), limits);
  await expect(failure).rejects.toMatchObject({ name: 'FetchError', sent: false });
  await expect(failure).rejects.toThrow(/^http:\/\/127\.0\.0\.1:\d+\/soap\/v1\.asmx\?wsdl: connect ECONNREFUSED/);
});

test('the time limit ends a request without a response, also after a garbage collection', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const url = await serve(() => undefined);
  const failure = expect(loadContract(url, { timeoutMs: 150 })).rejects.toThrow(/within the time limit/);
  const collecting = setInterval(collect, 50);
  try {
    await failure;
  } finally {
    clearInterval(collecting);
  }
});
