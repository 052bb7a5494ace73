import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatWsdl } from '../../src/soap/wsdl';
import { change } from '../contract/wsdl';
import { makeFolder } from '../support/folder';
import { bundle, ROOT } from '../support/process';

test('the WSDL has no comments, and gets a namespace and an address in their places', () => {
  const expected = readFileSync(join(ROOT, 'wsdl/messaging.v1.wsdl'), 'utf8')
    .replaceAll(/<!--[\s\S]*?-->/g, '')
    .replaceAll('location="http://provider.example/soap/v1.asmx"', 'location="http://a/?b=1&amp;c=&quot;$$"')
    .replaceAll(/(targetNamespace=|xmlns:tns=|soapAction=)"http:\/\/messaging\.example\//g, '$1"urn:a&amp;b#');
  expect(formatWsdl('urn:a&b#', 'http://a/?b=1&c="$')).toBe(expected);
});

/** Loads the module as a bundle beside another WSDL. */
function bundled(text: string): typeof formatWsdl {
  const folder = makeFolder();
  bundle('src/soap/wsdl.ts', join(folder, 'app/wsdl.js'));
  mkdirSync(join(folder, 'wsdl'));
  writeFileSync(join(folder, 'wsdl/messaging.v1.wsdl'), text);
  return require(join(folder, 'app/wsdl.js')).formatWsdl;
}

test('texts that are equal to the placeholders do not change in another place of the WSDL', () => {
  const elsewhere = 'soapAction="http://messaging.example/" <address location="http://provider.example/soap/v1.asmx">';
  const quoted = elsewhere.replaceAll('<', '&lt;');
  const text = change(
    'The line whose messages are listed.',
    `${quoted} <![CDATA[${elsewhere}]]>`,
    change('<wsdl:types>', `<!-- ${elsewhere} --><wsdl:types>`),
  ).replaceAll(
    'location="http://provider.example/soap/v1.asmx"/>',
    "location = 'http://messaging.example/v1?a=1&amp;b=2'/>",
  );
  const found = bundled(text)('NAMESPACE', 'ADDRESS');
  expect(found).toContain(`<xsd:documentation>${quoted} <![CDATA[${elsewhere}]]><`);
  expect(found).not.toContain('<!--');
  expect(found).toContain('<soap:address location="ADDRESS"/>');
  expect(found).toContain('<soap12:address location="ADDRESS"/>');
});

test('a bundle without the WSDL says which file to copy', () => {
  const folder = makeFolder();
  bundle('src/soap/wsdl.ts', join(folder, 'wsdl.js'));
  expect(() => require(join(folder, 'wsdl.js')).formatWsdl('', '')).toThrow(
    `no folder above ${folder} has wsdl/messaging.v1.wsdl: copy this file of messaging-soap beside your bundle`,
  );
});
