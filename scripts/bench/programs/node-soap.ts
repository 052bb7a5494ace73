/** node-soap as its README shows it. */
import { createClientAsync } from 'soap';
import { API_KEY, arrayRequest, receptorAt, SMALL_MESSAGE } from '../data';
import { serveCommands } from './harness';

async function main(): Promise<void> {
  const [url, wsdl] = process.argv.slice(2) as [string, string];
  const client = await createClientAsync(wsdl, {}, url);
  const call = async (operation: string, request: object) => {
    const [response] = await client[`${operation}Async`]({ apikey: API_KEY, ...request, statusmessage: '' });
    return response;
  };
  const fixed = { unixdate: 0, msgmode: 1 };
  await serveCommands({
    sendSimple: (status) => {
      const receptor = { string: [receptorAt(0)] };
      const request = { sender: '3000', message: SMALL_MESSAGE, receptor, ...fixed, status };
      return () => call('SendSimpleByApikey', request);
    },
    sendArray: (status) => {
      const { sender, message, receptor, msgmode } = arrayRequest(status);
      const lists = { sender: { string: sender }, message: { string: message }, receptor: { string: receptor } };
      const request = { ...lists, unixdate: 0, msgmode: { int: msgmode }, status };
      return () => call('SendArrayByApikey', request);
    },
    selectLatest: (status) => () => call('SelectlatestByApikey', { pagesize: status, status }),
    itemsOf(response) {
      const result = Object.entries(response as object).find(([name]) => name.endsWith('Result'))?.[1] as object;
      const [items] = Object.values(result);
      return Array.isArray(items) ? items : [items];
    },
  });
}

main();
