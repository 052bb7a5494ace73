import { readFileSync } from 'node:fs';

// npm runs this before `npm publish`, in the folder of the package. Only its owner knows these addresses.

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const urlOf = (value: string | { url?: string } | undefined) => (typeof value === 'string' ? value : value?.url);
const missing = ['repository', 'homepage', 'bugs'].filter((name) => !urlOf(manifest[name]));
if (missing.length > 0) {
  console.error(`package.json needs the URLs of ${missing.join(', ')} before the package is published`);
  process.exitCode = 1;
}
