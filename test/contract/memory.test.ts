import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { loadContract } from '../../src/contract/read/load';
import { messaging } from '../cli/support';
import { makeFolder } from '../support/folder';
import { testInFull } from '../support/loops';
import { outcomeOf, programPath, startNode } from '../support/process';
import { change, element, wsdl } from './wsdl';

const MANY = 18_000;
const many = (write: (index: number) => string, count = MANY): string =>
  Array.from({ length: count }, (_, index) => write(index)).join('');
const withTypes = (types: string, text = wsdl): string => change('</xsd:schema>', `${types}</xsd:schema>`, text);
/** The request of SelectlatestByApikey with many elements of one type. */
const fields = (type: string, text: string, count = MANY): string =>
  change(
    '<xsd:element name="pagesize"',
    `${many((index) => element(`e${index}`, type), count)}<xsd:element name="pagesize"`,
    text,
  );
const restricted = (facet: string): string =>
  `<xsd:simpleType name="T"><xsd:restriction base="xsd:string">${many(
    (index) => `<xsd:${facet} value="${'v'.repeat(50)}${index}"/>`,
  )}</xsd:restriction></xsd:simpleType>`;
const big = `<xsd:element name="Big"><xsd:complexType><xsd:sequence>${many((index) => element(`e${index}`, 'xsd:int'))}</xsd:sequence></xsd:complexType></xsd:element>`;
const bigMessage = '<wsdl:message name="M"><wsdl:part name="parameters" element="tns:Big"/></wsdl:message>';
const operation = (index: number): string =>
  `<wsdl:operation name="o${index}"><wsdl:input message="tns:M"/><wsdl:output message="tns:M"/></wsdl:operation>`;

const hostile: readonly (readonly [string, () => string])[] = [
  [
    'an enumeration of many values that many elements have',
    () => fields('tns:T', withTypes(restricted('enumeration'))),
  ],
  [
    'a global element with much documentation that many elements refer to',
    () => {
      const annotation = '<xsd:annotation/>'.repeat(MANY);
      const global = `<xsd:element name="G" type="xsd:int">${annotation}</xsd:element>`;
      const types = Array.from(
        { length: 5000 },
        (_, index) =>
          `<xsd:complexType name="C${index}"><xsd:sequence><xsd:element ref="tns:G"/></xsd:sequence></xsd:complexType>`,
      );
      const uses = types.map((_, index) => element(`e${index}`, `tns:C${index}`)).join('');
      return change(
        '<xsd:element name="pagesize"',
        `${uses}<xsd:element name="pagesize"`,
        withTypes(global + types.join('')),
      );
    },
  ],
  [
    'a type of many facets that many types restrict',
    () => {
      const types = Array.from(
        { length: 5000 },
        (_, index) => `<xsd:simpleType name="R${index}"><xsd:restriction base="tns:T"/></xsd:simpleType>`,
      );
      const uses = types.map((_, index) => element(`e${index}`, `tns:R${index}`)).join('');
      return change(
        '<xsd:element name="pagesize"',
        `${uses}<xsd:element name="pagesize"`,
        withTypes(restricted('pattern') + types.join('')),
      );
    },
  ],
  ['a string of many patterns that many elements have', () => fields('tns:T', withTypes(restricted('pattern')))],
  [
    'one message that many operations have',
    () =>
      withTypes(big)
        .replace('<wsdl:portType', `${bigMessage}<wsdl:portType`)
        .replace(
          '</wsdl:portType>',
          `${Array.from({ length: 6000 }, (_, index) => operation(index)).join('')}</wsdl:portType>`,
        ),
  ],
  [
    'many extensions of a binding of many operations',
    () => {
      const operations = Array.from({ length: 10_000 }, (_, index) => `<wsdl:operation name="o${index}"/>`).join('');
      const extensions = many((index) => `<e${index} xmlns="urn:e"/>`);
      return change('<soap:binding style', `${extensions}${operations}<soap:binding style`).replace(
        '</wsdl:portType>',
        `${operations}</wsdl:portType>`,
      );
    },
  ],
  [
    'one message of another namespace, with many attributes, that many operations have',
    () =>
      change(
        '<wsdl:types>',
        `<wsdl:types><xsd:schema targetNamespace="urn:o"><xsd:element name="Big"><xsd:complexType>${many((index) => `<xsd:attribute name="a${index}"/>`)}</xsd:complexType></xsd:element></xsd:schema>`,
      )
        .replace('<wsdl:portType', `${bigMessage.replace('tns:Big"', 'o:Big" xmlns:o="urn:o"')}<wsdl:portType`)
        .replace(
          '</wsdl:portType>',
          `${Array.from({ length: 6000 }, (_, index) => operation(index)).join('')}</wsdl:portType>`,
        ),
  ],
  [
    'many differences in each operation',
    () =>
      withTypes(big).replace(
        /<wsdl:part name="parameters" element="tns:\w+"\/>/g,
        '<wsdl:part name="parameters" element="tns:Big"/>',
      ),
  ],
];

testInFull.each(hostile)('a WSDL with %s is compared in 160 MB of heap', async (_what, text) => {
  const path = join(makeFolder(), 'their.wsdl');
  writeFileSync(path, text());
  const outcome = await outcomeOf(
    startNode(['--max-old-space-size=160', programPath('messaging'), 'contract', 'diff', path]),
  );
  expect(outcome.stdout).toContain('MESSAGING_NAMESPACE=http://messaging.example/');
  expect([0, 7]).toContain(outcome.code);
});

test('a WSDL with a type that is defined many times, and that many elements have, is refused with each of them once', async () => {
  const path = join(makeFolder(), 'their.wsdl');
  writeFileSync(path, fields('tns:T', withTypes('<xsd:simpleType name="T"/>\n'.repeat(100)), 100));
  const outcome = await messaging(['contract', 'diff', path]);
  expect(outcome.stderr).toContain('simpleType T is defined twice: remove one of them\n');
  expect(outcome.stderr).toContain(`(79 more problems)`);
  expect(outcome.code).toBe(2);
});

test('contract diff lists the first 5,000 differences, and says what the others break', async () => {
  const path = join(makeFolder(), 'their.wsdl');
  writeFileSync(path, fields('xsd:int', wsdl, 5100));
  const { code, stdout } = await messaging(['contract', 'diff', path]);
  expect(stdout).toMatch(/their\.wsdl: 5001 differences, 5001 break requests/);
  expect(stdout).toMatch(
    /^breaks requests +other places: our contract -> more differences; only 5000 differences are listed$/m,
  );
  expect(code).toBe(7);
});

test('the documents of one WSDL share the limit of elements', async () => {
  let asked = 0;
  const server = createServer((_request, response) => {
    const next = `<wsdl:import location="?n=${++asked}"/>`;
    response.end(
      `<wsdl:definitions xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/">${next}${'<wsdl:types/>'.repeat(9000)}</wsdl:definitions>`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/?wsdl`;
    await expect(loadContract(url, { timeoutMs: 30_000 })).rejects.toThrow(/\?n=4:1: more than 40000 elements/);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
});
