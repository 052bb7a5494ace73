/** One call with node-soap as the shortest script makes it, for the start-up. */
import { createClientAsync } from 'soap';
import { API_KEY } from '../data';

const [url, wsdl] = process.argv.slice(2) as [string, string];

async function main(): Promise<void> {
  const client = await createClientAsync(wsdl, {}, url);
  const [response] = await client.RemainCreditByApiKeyAsync({ apikey: API_KEY, status: 0, statusmessage: '' });
  console.log(response.RemainCreditByApiKeyResult);
}

main();
