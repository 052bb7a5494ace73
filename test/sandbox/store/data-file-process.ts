// A sandbox with a data file in a process of its own, which a test kills.
import { startSandbox } from '../../../src/sandbox';

const [data] = process.argv.slice(2);
startSandbox({ data }).then(({ baseUrl }) => process.send?.(baseUrl));
