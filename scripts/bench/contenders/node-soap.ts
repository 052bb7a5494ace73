/** node-soap as its README shows it: out of the box, or with `keep-alive` as the fourth argument and an agent to match. */
import { Agent } from 'node:http';
import { createClientAsync } from 'soap';
import { API_KEY, idAt, receptorAt, SMALL_MESSAGE, textAt } from '../data';
import { itemsOfResponse, serveBench } from './harness';

serveBench(async ({ url, wsdl, version }) => {
  const keepAlive = process.argv[5] === 'keep-alive';
  const options = version === '1.2' ? { forceSoap12Headers: true } : {};
  const client = await createClientAsync(wsdl, options, url);
  const perCall = keepAlive ? { forever: true, httpAgent: new Agent({ keepAlive: true, maxSockets: 16 }) } : {};
  const call = async (operation: string, request: object) => {
    const [response] = await client[`${operation}Async`]({ apikey: API_KEY, ...request }, perCall);
    return response;
  };
  const all = (length: number) => Array.from({ length }, (_, index) => index);
  const statusmessage = '';
  return {
    sendSimple: (status) => {
      const receptor = { string: [receptorAt(0)] };
      const request = {
        sender: '3000',
        message: SMALL_MESSAGE,
        receptor,
        unixdate: 0,
        msgmode: 1,
        status,
        statusmessage,
      };
      return () => call('SendSimpleByApikey', request);
    },
    sendArray: (status) => {
      const request = {
        sender: { string: all(status).map(() => '3000') },
        message: { string: all(status).map(textAt) },
        receptor: { string: all(status).map(receptorAt) },
        unixdate: 0,
        msgmode: { int: all(status).map(() => 1) },
        status,
        statusmessage,
      };
      return () => call('SendArrayByApikey', request);
    },
    latest: (status) => () => call('SelectlatestByApikey', { pagesize: status, status, statusmessage }),
    getStatus: (status) => {
      const messageid = { long: all(status).map((index) => String(idAt(index))) };
      return () => call('GetStatusByApikey', { messageid, status, statusmessage });
    },
    itemsOf: itemsOfResponse,
  };
});
