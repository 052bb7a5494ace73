import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatWsdl } from '../../src/soap/wsdl';
import { makeFolder } from './folder';

/** Runs xmllint on documents, and returns its output. */
export function runXmllint(
  documents: readonly string[],
  args: (folder: string) => readonly string[],
): { readonly stdout: string; readonly stderr: string } {
  const folder = makeFolder();
  const paths = documents.map((document, index) => {
    const path = join(folder, `${index}.xml`);
    writeFileSync(path, document);
    return path;
  });
  return spawnSync('xmllint', [...args(folder), ...paths], { encoding: 'utf8', maxBuffer: 2 ** 26 });
}

/**
 * Validates the operation elements of requests by the schema in the WSDL. Returns xmllint's complaints, or an empty
 * text.
 */
export function schemaErrors(namespace: string, requests: readonly string[]): string {
  const wsdl = formatWsdl(namespace, 'http://127.0.0.1/soap/v1.asmx');
  const [, declarations = ''] = /<wsdl:definitions\s([^>]*)>/.exec(wsdl) ?? [];
  const [schema = ''] = /<xsd:schema[\s\S]*<\/xsd:schema>/.exec(wsdl) ?? [];
  const payloads = requests.map((request) => /Body>([\s\S]*)<\/soap(?:12)?:Body>/.exec(request)?.[1] ?? '');
  const { stderr } = runXmllint(payloads, (folder) => {
    const path = join(folder, 'schema.xsd');
    const prefixes = declarations.replace(/targetNamespace="[^"]*"/, '');
    writeFileSync(path, schema.replace('<xsd:schema ', `<xsd:schema ${prefixes} `));
    return ['--noout', '--schema', path];
  });
  return stderr.replace(/^.*\.xml validates\n/gm, '');
}
