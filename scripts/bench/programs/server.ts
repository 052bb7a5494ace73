/**
 * The server that all clients call: prepared bodies over bare sockets, in a process of its own, so that its CPU time is not
 * counted. It reads only the end of a request: the operation's end tag and the element `status`, which holds the number of items
 * that the response is to have. It prints its port.
 */
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { SoapVersion } from '../data';
import { responseBody } from './responses';

const HEAD_END = '\r\n\r\n';
/** The end of a request that contains `status` and the operation's end tag, as every client writes it. */
const TAIL_BYTES = 600;

let awake = false;
let awakeUntil = 0;
const responses = new Map<string, Buffer[]>();

function serve(socket: Socket): void {
  let chunks: Buffer[] = [];
  let received = 0;
  let headLength = 0;
  let wanted = 0;
  let head = '';
  socket.setNoDelay(true);
  // Clients close their connections as they like.
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
    const body = (chunks.length === 1 ? chunk : Buffer.concat(chunks)).subarray(headLength, wanted);
    chunks = [];
    received = 0;
    wanted = 0;
    respond(socket, head, body);
  });
}

/**
 * Polls for the next request without sleeping, for 20 ms after each request. The system charges the work of waking the server to the
 * client that sends. On a virtual machine this work costs more than a small call.
 */
function stayAwake(): void {
  awakeUntil = performance.now() + 20;
  if (!awake) poll();
}

function poll(): void {
  awake = performance.now() < awakeUntil;
  if (awake) setImmediate(poll);
}

function respond(socket: Socket, head: string, body: Buffer): void {
  const tail = body.toString('latin1', Math.max(0, body.length - TAIL_BYTES));
  const version: SoapVersion = /content-type: *application\/soap\+xml/i.test(head) ? '1.2' : '1.1';
  const operation = /<\/(?:[\w-]+:)?(\w+ByApi[kK]ey)>/.exec(tail)?.[1];
  if (operation === undefined) throw new Error(`a request without an operation:\n${tail}`);
  const size = /status[^>]*>(\d+)</.exec(tail)?.[1] ?? '';
  const close = /connection: *close/i.test(head);
  const key = `${version} ${operation} ${size} ${close}`;
  let pieces = responses.get(key);
  if (!pieces) {
    pieces = makeResponse(responseBody(version, operation, Number(size)), version, close);
    responses.set(key, pieces);
  }
  socket.cork();
  for (const piece of pieces) socket.write(piece);
  socket.uncork();
  if (close) socket.end();
}

function makeResponse(body: readonly Buffer[], version: SoapVersion, close: boolean): Buffer[] {
  const length = body.reduce((sum, piece) => sum + piece.length, 0);
  const lines = [
    'HTTP/1.1 200 OK',
    'Cache-Control: private, max-age=0',
    `Content-Type: ${version === '1.2' ? 'application/soap+xml' : 'text/xml'}; charset=utf-8`,
    `Content-Length: ${length}`,
    `Connection: ${close ? 'close' : 'keep-alive'}`,
  ];
  const head = Buffer.from(lines.join('\r\n') + HEAD_END);
  // A small response is one piece, and so one write.
  return length < 65_536 ? [Buffer.concat([head, ...body])] : [head, ...body];
}

const server = createServer(serve);
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
