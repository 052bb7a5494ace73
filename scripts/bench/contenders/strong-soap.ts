/** strong-soap as its README shows it. */
import { API_KEY, idAt, receptorAt, SMALL_MESSAGE, textAt } from '../data';
import { itemsOfResponse, serveBench } from './harness';

type Method = (request: object) => Promise<{ result: unknown }>;
/** Its methods by service, port and operation. */
type Client = Record<string, Record<string, Record<string, Method>>>;

interface StrongSoap {
  createClient(
    wsdl: string,
    options: { endpoint: string },
    callback: (error: Error | null, client: Client) => void,
  ): void;
}

// It comes without types.
const { soap } = require('strong-soap') as { soap: StrongSoap };

serveBench(async ({ url, wsdl, version }) => {
  const client = await new Promise<Client>((resolve, reject) => {
    soap.createClient(wsdl, { endpoint: url }, (error, created) => (error ? reject(error) : resolve(created)));
  });
  const methods = client.v1?.[version === '1.2' ? 'v1Soap12' : 'v1Soap'] as Record<string, Method>;
  const call = async (operation: string, request: object) => {
    const { result } = await (methods[operation] as Method)({ apikey: API_KEY, ...request });
    return result;
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
