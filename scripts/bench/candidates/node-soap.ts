/** node-soap as its README shows it: out of the box, or with `keep-alive` as the fourth argument and an agent to match. */
import { Agent } from 'node:http';
import { createClientAsync } from 'soap';
import { API_KEY } from '../data';
import { serveBench } from './harness';
import { wrappedCalls } from './wrapped-calls';

serveBench(async ({ url, wsdl, version }) => {
  const keepAlive = process.argv[5] === 'keep-alive';
  const options = version === '1.2' ? { forceSoap12Headers: true } : {};
  const client = await createClientAsync(wsdl, options, url);
  const perCall = keepAlive ? { forever: true, httpAgent: new Agent({ keepAlive: true, maxSockets: 16 }) } : {};
  const call = async (operation: string, request: object) => {
    const [response] = await client[`${operation}Async`]({ apikey: API_KEY, ...request }, perCall);
    return response;
  };
  return wrappedCalls(call);
});
