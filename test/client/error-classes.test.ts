import { runInThisContext } from 'node:vm';
import { buildSync } from 'esbuild';
import {
  AbortError,
  ConfigurationError,
  ConnectionError,
  FaultError,
  HttpError,
  MessagingError,
  RequestError,
  ResponseError,
  StatusError,
  TimeoutError,
  TrackingTimeout,
} from '../../src';
import { quote } from '../../src/client/response/reading-words';
import { createMasker } from '../../src/internal/mask';

const operation = 'SendSimpleByApikey';
const reason = new Error('no time left');

/** An error of each class as a user constructs it, its message, and its fields. */
const rows: [MessagingError, message: string, fields: Readonly<Record<string, unknown>>][] = [
  [
    new ConfigurationError({
      problems: [
        { option: 'apiKey', message: 'missing', variable: 'MESSAGING_API_KEY' },
        { option: 'tls.ca', message: 'PEM as a string or bytes is needed' },
      ],
    }),
    'apiKey (MESSAGING_API_KEY): missing; tls.ca: PEM as a string or bytes is needed',
    {
      outcome: 'not-sent',
      problems: [
        { option: 'apiKey', message: 'missing', variable: 'MESSAGING_API_KEY' },
        { option: 'tls.ca', message: 'PEM as a string or bytes is needed' },
      ],
    },
  ],
  [
    new ConfigurationError({ message: 'the client is busy' }),
    'the client is busy',
    { outcome: 'not-sent', problems: [] },
  ],
  [
    new RequestError({ operation, message: 'the request is not an object' }),
    'SendSimpleByApikey: the request is not an object',
    { operation, outcome: 'not-sent', field: undefined, problems: [] },
  ],
  [
    new RequestError({
      operation,
      problems: [
        { field: 'receptor', index: 2, message: 'a string is needed' },
        { field: 'msgmode', message: 'missing' },
      ],
    }),
    'SendSimpleByApikey: receptor[2]: a string is needed; msgmode: missing',
    {
      operation,
      outcome: 'not-sent',
      field: 'receptor[2]',
      problems: [
        { field: 'receptor', index: 2, message: 'a string is needed' },
        { field: 'msgmode', message: 'missing' },
      ],
    },
  ],
  [
    new StatusError({ operation, status: 418, statusmessage: 'no credit', result: [9007199254740993n] }),
    'SendSimpleByApikey: service returned status 418 (no credit)',
    { operation, outcome: 'rejected', status: 418, statusmessage: 'no credit', result: [9007199254740993n] },
  ],
  [
    new FaultError({ operation, code: 'soap:Server', reason: 'out of order', detail: '<a>disk</a>', httpStatus: 500 }),
    'SendSimpleByApikey: service returned fault Server (out of order; disk)',
    {
      operation,
      outcome: 'unknown',
      code: 'Server',
      reason: 'out of order',
      detail: '<a>disk</a>',
      httpStatus: 500,
      headers: {},
    },
  ],
  [
    new FaultError({ operation, code: 'Client.Authentication', reason: '', httpStatus: 400 }),
    'SendSimpleByApikey: service returned fault Client.Authentication',
    {
      operation,
      outcome: 'rejected',
      code: 'Client.Authentication',
      reason: '',
      detail: '',
      httpStatus: 400,
      headers: {},
    },
  ],
  [
    new HttpError({ operation, httpStatus: 503, headers: { 'retry-after': '5' }, body: '<p>busy</p>' }),
    'SendSimpleByApikey: service returned HTTP status 503 (busy)',
    { operation, outcome: 'unknown', httpStatus: 503, headers: { 'retry-after': '5' }, body: '<p>busy</p>' },
  ],
  [
    new HttpError({ operation, httpStatus: 404 }),
    'SendSimpleByApikey: service returned HTTP status 404; check the base URL',
    { operation, outcome: 'rejected', httpStatus: 404, headers: {}, body: '' },
  ],
  [
    new ConnectionError({ operation, outcome: 'not-sent', code: 'ECONNREFUSED', message: 'cannot connect' }),
    'SendSimpleByApikey: cannot connect (ECONNREFUSED)',
    { operation, outcome: 'not-sent', code: 'ECONNREFUSED' },
  ],
  [
    new TimeoutError({ operation, outcome: 'unknown', timeoutMs: 40, phase: 'waiting for the response' }),
    'SendSimpleByApikey: timed out after 40 ms waiting for the response',
    { operation, outcome: 'unknown', timeoutMs: 40 },
  ],
  [
    new TimeoutError({ outcome: 'not-sent', timeoutMs: 40 }),
    'timed out after 40 ms',
    { outcome: 'not-sent', timeoutMs: 40 },
  ],
  [
    new TrackingTimeout({ pending: [9007199254740993n], total: 5, withinMs: 600_000 }),
    'GetStatusByApikey: 1 of 5 messages has no final status after 600000 ms',
    { operation: 'GetStatusByApikey', outcome: 'not-sent', pending: [9007199254740993n] },
  ],
  [
    new AbortError({ operation, outcome: 'unknown', cause: reason }),
    'SendSimpleByApikey: aborted while it was under way',
    { operation, outcome: 'unknown' },
  ],
  [
    new ResponseError({ operation, message: 'not well-formed XML', body: '<html' }),
    'SendSimpleByApikey: not well-formed XML',
    { operation, outcome: 'unknown', body: '<html' },
  ],
];

test.each(rows.map(([error, ...others]) => [String(error), error, ...others] as const))(
  'a user can construct an error with its fields: %s',
  (_, error, message, fields) => {
    expect(error).toBeInstanceOf(MessagingError);
    expect(error.message).toBe(message);
    expect(error.name).toBe(error.constructor.name);
    expect({ ...error }).toEqual(fields);
    const longs = Object.keys(fields).filter((name) => name === 'result' || name === 'pending');
    const plain = { ...fields, ...Object.fromEntries(longs.map((name) => [name, ['9007199254740993']])) };
    expect(error.toJSON()).toEqual({ name: error.name, message, ...plain });
  },
);

test('the cause of an AbortError is the given reason, and is not listed among the fields', () => {
  const error = new AbortError({ operation, outcome: 'not-sent', cause: reason });
  expect(error.cause).toBe(reason);
  expect(Object.keys(error)).not.toContain('cause');
});

test('an error that a user constructs has a body of at most 1,000 characters', () => {
  const body = 'x'.repeat(2000);
  expect(new HttpError({ httpStatus: 500, body }).body).toHaveLength(1000);
  expect(new ResponseError({ message: 'too long', body }).body).toHaveLength(1000);
});

test('the name of an error can be changed, and is not listed among the fields', () => {
  const error = new TimeoutError({ outcome: 'not-sent', timeoutMs: 5 });
  expect(Object.keys(error)).not.toContain('name');
  error.name = 'Mine';
  expect(String(error)).toBe('Mine: timed out after 5 ms');
  expect(error.toJSON().name).toBe('Mine');
  expect(new TimeoutError({ outcome: 'not-sent', timeoutMs: 5 }).name).toBe('TimeoutError');
});

test('JSON of an error with what a program added never fails, and keeps what JSON can hold', () => {
  const request: Record<string, unknown> = { id: 5n };
  request.self = request;
  const at = new Date(0);
  const error = Object.assign(new StatusError({ status: 418, statusmessage: 'no', result: [1n] }), {
    request,
    at,
    tags: new Set(['a']),
    meta: { at, ids: [7n] },
    retry: () => 1,
  });
  Object.defineProperty(error, 'late', {
    enumerable: true,
    get() {
      throw new Error('too late');
    },
  });
  const fields = { status: 418, result: ['1'], request: '[not JSON]', late: '[not JSON]', meta: { ids: ['7'] } };
  expect(JSON.parse(JSON.stringify(error))).toMatchObject({ ...fields, at: '1970-01-01T00:00:00.000Z', tags: {} });
  expect(error.toJSON()).toMatchObject(fields);
  const looped = Object.assign(new TimeoutError({ outcome: 'not-sent', timeoutMs: 5 }), { error: {} });
  looped.error = looped;
  expect(() => JSON.stringify(looped)).not.toThrow();
});

test('errors have the same names in a program that was minified', () => {
  const { outputFiles } = buildSync({
    entryPoints: [require.resolve('../../src/errors.ts')],
    bundle: true,
    minify: true,
    write: false,
    platform: 'node',
    format: 'iife',
    globalName: 'minified',
  });
  const program = `(() => { ${outputFiles[0]?.text}; return minified; })()`;
  const minified = runInThisContext(program) as typeof import('../../src/errors');
  const errors = [
    new minified.AbortError({ operation, outcome: 'not-sent' }),
    new minified.ConfigurationError({ message: 'wrong' }),
    new minified.ConnectionError({ outcome: 'not-sent', code: 'ECONNREFUSED', message: 'cannot connect' }),
    new minified.FaultError({ code: 'Server', reason: 'no', httpStatus: 500 }),
    new minified.HttpError({ httpStatus: 500 }),
    new minified.RequestError({ message: 'wrong' }),
    new minified.ResponseError({ message: 'wrong' }),
    new minified.StatusError({ status: 418, statusmessage: '' }),
    new minified.TimeoutError({ outcome: 'not-sent', timeoutMs: 5 }),
    new minified.TrackingTimeout({ pending: [], total: 1, withinMs: 5 }),
  ];
  // Otherwise the program was not minified.
  expect(errors[0]?.constructor.name).not.toBe('AbortError');
  expect(errors.map(({ name }) => name)).toEqual([
    'AbortError',
    'ConfigurationError',
    'ConnectionError',
    'FaultError',
    'HttpError',
    'RequestError',
    'ResponseError',
    'StatusError',
    'TimeoutError',
    'TrackingTimeout',
  ]);
});

test('the work for an error is bounded, however long the texts of a service are', () => {
  const long = 'x'.repeat(20_000_000);
  const lengths: number[] = [];
  const note = (text: string) => {
    lengths.push(text.length);
    return text;
  };
  const context = { operation, mask: note, maskTruncated: note };
  const error = new StatusError({ ...context, status: 418, statusmessage: long });
  expect(error.statusmessage).toHaveLength(1_000_000);
  expect(error.message).toBe(`SendSimpleByApikey: service returned status 418 (${'x'.repeat(300)}…)`);
  expect(quote(long, context)).toBe(`"${'x'.repeat(40)}…"`);
  expect(Math.max(...lengths)).toBe(1_000_000);
});

test('a statusmessage that is cut in the middle of the key shows no part of it', () => {
  const key = 'canary0123456789';
  const statusmessage = `${'x'.repeat(1_000_000 - 10)}${key}${'x'.repeat(10)}`;
  const error = new StatusError({ ...createMasker(key), status: 418, statusmessage });
  expect(error.statusmessage).toBe('x'.repeat(1_000_000 - 10));
});
