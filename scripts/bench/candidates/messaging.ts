/** This package, as its users call it. */
import { MessagingClient } from '../../../src';
import { API_KEY, idAt, NAMESPACE, receptorAt, SMALL_MESSAGE, textAt } from '../data';
import { serveBench } from './harness';

serveBench(({ url, version }) => {
  const client = new MessagingClient({
    baseUrl: new URL(url).origin,
    namespace: NAMESPACE,
    apiKey: API_KEY,
    successStatuses: [200],
    soapVersion: version,
    // As many as the baseline has.
    maxConnections: 16,
  });
  const all = (length: number) => Array.from({ length }, (_, index) => index);
  let statusmessage = '';
  return {
    sendSimple: (status) => {
      const receptor = [receptorAt(0)];
      return () =>
        client.sendSimple({ sender: '3000', message: SMALL_MESSAGE, receptor, unixdate: 0n, msgmode: 1, status });
    },
    sendArray: (status) => {
      const sender = all(status).map(() => '3000');
      const message = all(status).map(textAt);
      const receptor = all(status).map(receptorAt);
      const msgmode = all(status).map(() => 1);
      return () => client.sendArray({ sender, message, receptor, unixdate: 0n, msgmode, status });
    },
    latest: (status) => () => client.selectLatest({ pagesize: status, status, statusmessage }),
    getStatus: (status) => {
      const messageid = all(status).map(idAt);
      return () => client.getStatus({ messageid, status });
    },
    itemsOf: (result) => result as unknown[],
    useSerialization: (serialization) => {
      statusmessage = serialization;
    },
  };
});
