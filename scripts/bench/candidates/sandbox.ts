/** The package's sandbox in a process of its own; a line says where it is. */
import { startSandbox } from '../../../src/sandbox';
import { API_KEY, NAMESPACE } from '../data';

startSandbox({ apiKey: API_KEY, namespace: NAMESPACE }).then(({ baseUrl }) => console.log(baseUrl));
