/**
 * The answering server: canned bodies over bare sockets, in a process of its own, so that its CPU is not counted and is
 * small beside the fastest client's. It looks at the end of a request only: the operation's end tag, the request's own
 * `status`, which says how many items the answer is to have, and its `statusmessage`, which names a serialization.
 *
 * It is forked: it tells its port once it serves, and on 'last' the last request's body.
 */
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { creditBody, idsBody, listBody, type Serialization, type SoapVersion, statusesBody } from './bodies';

const HEAD_END = '\r\n\r\n';
/** The end of a request that holds status, statusmessage and the operation's end tag, in any client's serialization. */
const TAIL_BYTES = 600;

let lastBody: Buffer = Buffer.alloc(0);
let awake = false;
let awakeUntil = 0;
const answers = new Map<string, Buffer[]>();

function serve(socket: Socket): void {
  let chunks: Buffer[] = [];
  let received = 0;
  let headLength = 0;
  let wanted = 0;
  let head = '';
  socket.setNoDelay(true);
  // Candidate end as they like.
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    chunks.push(chunk);
    received += chunk.length;
    if (wanted === 0) {
      const bytes = chunks.length === 1 ? chunk : Buffer.concat(chunks);
      const end = bytes.indexOf(HEAD_END);
      if (end < 0) return;
      headLength = end + HEAD_END.length;
      head = bytes.toString('latin1', 0, headLength);
      const length = /content-length: *(\d+)/i.exec(head)?.[1];
      if (length === undefined) throw new Error(`a request without Content-Length:\n${head}`);
      wanted = headLength + Number(length);
    }
    if (received < wanted) return;
    stayAwake();
    const request = chunks.length === 1 ? chunk : Buffer.concat(chunks);
    lastBody = request.subarray(headLength, wanted);
    chunks = [];
    received = 0;
    wanted = 0;
    answer(socket, head, lastBody);
  });
}

/**
 * For 20 ms after each request the server asks for the next one without sleeping. Waking it is work that the system does in
 * its caller's name: on a virtual machine it costs more than a small call, and most for whoever comes a little later.
 */
function stayAwake(): void {
  awakeUntil = performance.now() + 20;
  if (!awake) poll();
}

function poll(): void {
  awake = performance.now() < awakeUntil;
  if (awake) setImmediate(poll);
}

function answer(socket: Socket, head: string, body: Buffer): void {
  const tail = body.toString('latin1', Math.max(0, body.length - TAIL_BYTES));
  const version: SoapVersion = /content-type: *application\/soap\+xml/i.test(head) ? '1.2' : '1.1';
  const operation = /<\/(?:[\w-]+:)?(\w+ByApi[kK]ey)>/.exec(tail)?.[1] ?? '';
  const size = /status[^>]*>(\d+)</.exec(tail)?.[1] ?? '';
  const serialization = /statusmessage[^>]*>([a-z]+)</.exec(tail)?.[1] ?? 'fast';
  const close = /connection: *close/i.test(head);
  const key = `${version} ${operation} ${size} ${serialization} ${close}`;
  let pieces = answers.get(key);
  if (!pieces) {
    pieces = makeAnswer(makeBody(version, operation, Number(size), serialization as Serialization), version, close);
    answers.set(key, pieces);
  }
  socket.cork();
  for (const piece of pieces) socket.write(piece);
  socket.uncork();
  if (close) socket.end();
}

function makeAnswer(body: readonly Buffer[], version: SoapVersion, close: boolean): Buffer[] {
  const length = body.reduce((sum, piece) => sum + piece.length, 0);
  const type = version === '1.2' ? 'application/soap+xml' : 'text/xml';
  const head = [
    'HTTP/1.1 200 OK',
    'Cache-Control: private, max-age=0',
    `Content-Type: ${type}; charset=utf-8`,
    `Content-Length: ${length}`,
    `Connection: ${close ? 'close' : 'keep-alive'}`,
  ].join('\r\n');
  // A small answer is one piece, and so one write.
  if (length < 65_536) return [Buffer.concat([Buffer.from(head + HEAD_END), ...body])];
  return [Buffer.from(head + HEAD_END), ...body];
}

function makeBody(version: SoapVersion, operation: string, size: number, serialization: Serialization): Buffer[] {
  switch (operation) {
    case 'SendSimpleByApikey':
    case 'SendArrayByApikey':
      return idsBody(version, operation, size);
    case 'GetStatusByApikey':
      return statusesBody(version, operation, size);
    case 'SelectlatestByApikey':
      return listBody(version, serialization, size);
    case 'RemainCreditByApiKey':
      return creditBody(version, operation);
    default:
      throw new Error(`a request for an unknown operation ${JSON.stringify(operation)}`);
  }
}

const server = createServer(serve);
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('message', () => process.send?.({ body: lastBody.toString('utf8') }));
process.on('disconnect', () => process.exit());
