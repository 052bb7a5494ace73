/** This package, as its users call it. The first argument is the folder of a built package: this commit's or an earlier one's. */
import { join } from 'node:path';
import { API_KEY, arrayRequest, NAMESPACE, receptorAt, SMALL_MESSAGE, type SoapVersion } from '../data';
import { serveCommands } from './harness';

const [folder, url, soapVersion] = process.argv.slice(2) as [string, string, SoapVersion];
const { MessagingClient } = require(join(folder, 'dist/src')) as typeof import('../../../src');

const client = new MessagingClient({
  baseUrl: new URL(url).origin,
  namespace: NAMESPACE,
  apiKey: API_KEY,
  successStatuses: [200],
  soapVersion,
  // The number of connections that the program on bare undici has.
  maxConnections: 16,
});

serveCommands({
  sendSimple: (status) => {
    const receptor = [receptorAt(0)];
    return () =>
      client.sendSimple({ sender: '3000', message: SMALL_MESSAGE, receptor, unixdate: 0n, msgmode: 1, status });
  },
  sendArray: (status) => {
    const { sender, message, receptor, msgmode } = arrayRequest(status);
    return () => client.sendArray({ sender, message, receptor, unixdate: 0n, msgmode, status });
  },
  selectLatest: (status) => () => client.selectLatest({ pagesize: status, status }),
  itemsOf: (result) => result as unknown[],
});
