import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { kebabCase } from '../../../src/cli/fields/option-names';
import { type ClientOptionRow, clientOptions } from '../../../src/client/options/client';

const file = join(__dirname, '../../../src/client/options/client.ts');
const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);

/** The documentation of each option of the client, on one line. */
const documentation = new Map([...documented(source)]);

/** The members of the table and of `MessagingOptions` that have documentation. */
function* documented(node: ts.Node): Generator<[name: string, text: string]> {
  const isMember = ts.isPropertyAssignment(node) || ts.isPropertySignature(node);
  const comments = isMember ? ts.getJSDocCommentsAndTags(node) : [];
  const text = comments.map((comment) => comment.getText(source).replace(/\s*\n\s*\*?/g, '')).join(' ');
  if (isMember && text !== '') yield [node.name.getText(source), text];
  for (const child of node.getChildren(source)) yield* documented(child);
}

const names = Object.keys(clientOptions) as (keyof typeof clientOptions)[];

const clientOption = (name: keyof typeof clientOptions): ClientOptionRow => clientOptions[name];

/** A default as the documentation writes it. */
function written(value: unknown): string {
  if (typeof value === 'number') return value.toLocaleString('en');
  if (typeof value === 'string') return `\`'${value}'\``;
  return typeof value === 'boolean' ? String(value) : '';
}

test('each option of the client is documented', () => {
  expect(names.filter((name) => !documentation.has(name))).toEqual([]);
});

test.each(names)('the documentation of %s names its variable and its default', (name) => {
  const { variable, required, default: value } = clientOption(name);
  const text = documentation.get(name) ?? '';
  expect(text).toContain(required ? 'Required.' : 'Default');
  expect(text).toContain(required ? '' : written(value));
  if (variable !== undefined) expect(text).toContain(`\`${variable}\``);
});

const page = readFileSync(join(__dirname, '../../../docs/api.md'), 'utf8');

test.each(names)('docs/api.md names the variable, the flag and the default of %s', (name) => {
  const { variable, required, flag, default: value } = clientOption(name);
  const cells = new RegExp(`^\\| \`${name}\`[^|]*\\|([^|]*)\\|([^|]*)\\|([^|]*)\\|[^|]*\\|$`, 'm').exec(page);
  const [, inEnvironment, onCommandLine, byDefault = ''] = (cells ?? []).map((cell) => cell.trim());
  if (variable !== undefined) expect(inEnvironment).toContain(`\`${variable}\``);
  else if (name !== 'tls') expect(inEnvironment).toBe('');
  expect(onCommandLine).toContain(flag === undefined ? '' : `\`--${kebabCase(name)}\``);
  const isPlain = typeof value === 'number' && value > 0 && value < 1_000_000;
  expect(byDefault).toContain(required ? 'required' : isPlain ? value.toLocaleString('en') : '');
});

test.each(['WebService/V4/Box.asmx', 'webservice/v4/box.asmx'])(
  'a baseUrl that ends in the path of the service is refused, whatever its capitals: %s',
  (path) => {
    jest.isolateModules(() => {
      const generated = jest.requireActual<typeof import('../../../generated/operations')>(
        '../../../generated/operations',
      );
      const service = { ...generated.service, path: '/WebService/V4/Box.asmx' };
      jest.doMock('../../../generated/operations', () => ({ ...generated, service }));
      const { readBaseUrl } = require('../../../src/options/checks') as typeof import('../../../src/options/checks');
      expect(() => readBaseUrl(`http://provider.example/api/${path}`)).toThrow(
        /write "http:\/\/provider\.example\/api"/,
      );
      jest.dontMock('../../../generated/operations');
    });
  },
);
