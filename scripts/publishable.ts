import { readFileSync } from 'node:fs';

/** The passage of README.md that is true until the first release. */
const UNPUBLISHED = 'The package is not published yet';

// npm runs this before `npm publish`, in the folder of the package. Only its owner knows these addresses.

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const urlOf = (value: string | { url?: string } | undefined) => (typeof value === 'string' ? value : value?.url);
const missing = ['repository', 'homepage', 'bugs'].filter((name) => !urlOf(manifest[name]));
if (missing.length > 0) {
  console.error(`package.json needs the URLs of ${missing.join(', ')} before the package is published`);
  process.exitCode = 1;
}
if (readFileSync('README.md', 'utf8').includes(UNPUBLISHED)) {
  const advice = 'write how to install it from the registry in its place';
  console.error(`README.md says "${UNPUBLISHED}": ${advice}, before the package is published`);
  process.exitCode = 1;
}
