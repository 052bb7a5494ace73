import { type OperationName, operations } from '../../../../generated/operations';
import type { Operation } from '../../../soap/element';
import type { Effect } from '../../terminal/failure';

/** True for an operation that sends texts to receptors. */
export function sendsMessages(operation: OperationName): boolean {
  const { request }: Operation = operations[operation];
  return ['message', 'receptor'].every((name) => request.some((element) => element.name === name));
}

/** The operations beside those that send messages which change something at the service. */
const effects: { readonly [O in OperationName]?: Effect } = {
  CancelByApikey: {
    none: 'nothing was canceled',
    unknown: 'it may have been canceled: check before you try again',
  },
  ReceiveByApikey: {
    none: 'no message was marked as read',
    unknown: 'its messages may be marked as read: list the read ones too',
    unprinted: 'its messages may be marked as read, and not printed: list the read ones too',
  },
};

/** Says what a failed call may have changed. Undefined for an operation that is not known to change anything. */
export function effectOf(operation: OperationName): Effect | undefined {
  if (!sendsMessages(operation)) return effects[operation];
  return { none: 'nothing was sent', unknown: 'it may have been sent: check before sending again' };
}
