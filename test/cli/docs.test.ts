import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { methods } from '../../generated/operations';
import { kebabCase } from '../../src/cli/fields/option-names';
import { exitCodes } from '../../src/cli/terminal/failure';
import { settingRows } from '../../src/client/options/settings';
import { messaging } from './support';

test('the documents name every command, setting and exit code', async () => {
  const folder = join(__dirname, '../../docs');
  const pages = readdirSync(folder).filter((name) => name.endsWith('.md'));
  const text = pages.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
  const { stdout } = await messaging(['--help']);
  const commands = [...stdout.matchAll(/^ {2}([a-z-]+) {2,}/gm)].map(([, name = '']) => name);
  // The README has a generated table of the commands for operations.
  const known = new Set(['help', ...Object.values(methods).map(kebabCase)]);
  const others = commands.filter((name) => !known.has(name));
  expect(others).toContain('bulk');
  for (const name of others) expect(text).toMatch(new RegExp(`\`${name}\\b`));
  for (const name of Object.keys(settingRows)) expect(text).toContain(`\`--${kebabCase(name)}\``);
  for (const code of Object.values(exitCodes)) expect(text).toContain(`\n| ${code} |`);
});
