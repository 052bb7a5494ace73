import { idAt, receptorAt, SMALL_MESSAGE, textAt } from '../data';
import { type Candidate, itemsOfResponse } from './harness';

/** The bench's calls in the shape that node-soap and its offspring want: lists wrapped as on the wire, longs as text. */
export function wrappedCalls(call: (operation: string, request: object) => Promise<unknown>): Candidate {
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
}
