import { EventEmitter } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Sandbox } from '../../src/sandbox';
import { Capture, environmentOf } from '../cli/support';
import { makeFolder } from '../support/folder';
import { copySources } from '../support/sources';
import { type BuiltPackage, bundle, writeTables } from './build';
import { addOperation, change, credential, element } from './wsdl';

let built: BuiltPackage;
let sandbox: Sandbox;

/** A package whose contract has an operation that gives a single record, with a method and a command of its own. */
beforeAll(async () => {
  const folder = makeFolder();
  copySources(folder);
  const result = element('FindByApikeyResult', 'tns:ApiSelect', 'minOccurs="0"');
  writeTables(folder, addOperation('FindByApikey', credential, result));
  const edit = (file: string, from: string, to: string): void => {
    const path = join(folder, file);
    writeFileSync(path, change(from, to, readFileSync(path, 'utf8')));
  };
  const method = "  find(request: object) {\n    return this.#invoker.invoke('FindByApikey', request);\n  }\n\n";
  edit('src/client/client.ts', '  /**\n   * Calls any operation', `${method}  /**\n   * Calls any operation`);
  built = bundle(folder);
  sandbox = await built.sandbox.startSandbox();
});
afterAll(() => sandbox?.close());

const HEADER = 'messageid,message,status,statustext,sender,receptor,date,cost\r\n';

test.each([
  ['table', ''],
  ['csv', HEADER],
  ['json', 'null\n'],
  ['ndjson', ''],
])('a command whose single record is absent prints no row as %s', async (format, printed) => {
  sandbox.reply('FindByApikey' as '*', { result: null } as never);
  const [stdout, stderr] = [new Capture(), new Capture()];
  const code = await built.cli.run(['find', '--output', format], {
    stdout,
    stderr,
    stdin: Readable.from([]),
    environment: environmentOf(sandbox),
    signals: new EventEmitter(),
    invocation: 'messaging',
  });
  expect({ code, stdout: stdout.text, stderr: stderr.text }).toEqual({ code: 0, stdout: printed, stderr: '' });
});
