/** strong-soap as its README shows it. */
import { API_KEY } from '../data';
import { serveBench } from './harness';
import { wrappedCalls } from './wrapped-calls';

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
  return wrappedCalls(call);
});
