import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { credit, NAMESPACE, responseOf, sentRecords } from '../support/envelopes';
import { makeFolder } from '../support/folder';
import { httpResponse } from '../support/http-response';
import { outcomeOf, programPath, startNode } from '../support/process';
import { RawServer } from '../support/raw-server';

// The garbage collector of these programs runs when it is told to.

/** Runs the body of an async function that has `client`, and `collect`, which runs the garbage collector for a while. */
async function run(service: RawServer, body: string) {
  const path = join(makeFolder(), 'program.js');
  writeFileSync(
    path,
    `const { MessagingClient } = require('${programPath('client')}');
    const client = MessagingClient.fromEnv({ maxConnections: 2, timeoutMs: 0 });
    const collect = async (isOver) => {
      while (!isOver()) {
        global.gc();
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    (async () => {${body}
      await client.close();
    })();`,
  );
  const environment = {
    MESSAGING_BASE_URL: service.baseUrl,
    MESSAGING_NAMESPACE: NAMESPACE,
    MESSAGING_API_KEY: 'key',
    MESSAGING_SUCCESS_STATUSES: '200',
  };
  return outcomeOf(startNode(['--expose-gc', path], environment));
}

const list = httpResponse(responseOf('SelectlatestByApikey', sentRecords(1, 5000)));

test('a stream whose iterator is not kept gives its connection back', async () => {
  const service = await RawServer.start(({ body, socket }) =>
    socket.write(body.includes('RemainCredit') ? httpResponse(credit(5)) : list),
  );
  const outcome = await run(
    service,
    `for (let count = 0; count < 2; count++) await client.selectLatestStream({ pagesize: 1 }).next();
      let isOver = false;
      const credit = client.remainCredit().finally(() => (isOver = true));
      await collect(() => isOver);
      console.log(await credit);`,
  );
  expect(outcome).toEqual({ code: 0, stdout: '5n\n', stderr: '' });
});

test('a stream goes on while somebody waits for its next record, although only the promise is kept', async () => {
  const service = await RawServer.start(({ body, socket }) => {
    if (!body.includes('RemainCredit')) return;
    // The garbage collector has run by now.
    for (const { socket } of service.requests) socket.write(list);
    socket.write(httpResponse(credit(5)));
  });
  const outcome = await run(
    service,
    `const first = client.selectLatestStream({ pagesize: 1 }).next();
      let turns = 0;
      await collect(() => turns++ === 20);
      await client.remainCredit().catch(() => {});
      console.log((await first).value.messageid);`,
  );
  expect(outcome).toEqual({ code: 0, stdout: '1n\n', stderr: '' });
});
