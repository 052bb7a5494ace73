import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { inbox } from '../users';

export { inbox };

// In a thread, uses a journal, says so, and ends when it is told to.
if (parentPort && workerData?.journal) {
  const port = parentPort;
  const meanwhile = async () => {
    port.postMessage('open');
    await once(port, 'message');
  };
  inbox.use(workerData.journal, meanwhile).catch(({ code, message }) => port.postMessage(code ?? message));
}
