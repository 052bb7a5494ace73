// The options of a client, and the effect of defaults on requests. This file is compiled and never run. A line below
// `@ts-expect-error` must not compile.
import { MessagingClient, type MessagingOptions, type MessagingRequest, type RequestDefaults } from '../../src';

const required = {
  baseUrl: 'https://provider.example',
  namespace: 'http://provider.example/',
  apiKey: 'key',
  successStatuses: [200],
};

// @ts-expect-error no options
new MessagingClient();
// @ts-expect-error options are missing
new MessagingClient({ baseUrl: 'https://provider.example' });
// @ts-expect-error successStatuses has no default
new MessagingClient({ baseUrl: required.baseUrl, namespace: required.namespace, apiKey: 'key' });
// @ts-expect-error a list of statuses is needed
new MessagingClient({ ...required, successStatuses: 200 });
// @ts-expect-error a status is a number
new MessagingClient({ ...required, successStatuses: ['200'] });
// @ts-expect-error a version is a text
new MessagingClient({ ...required, soapVersion: 1.2 });
// @ts-expect-error there is no such SOAP version
new MessagingClient({ ...required, soapVersion: '2.0' });
// @ts-expect-error milliseconds are a number
new MessagingClient({ ...required, timeoutMs: '30000' });
// @ts-expect-error unknown option
new MessagingClient({ ...required, maxRetries: 3 });
// @ts-expect-error keepAlive is a boolean
new MessagingClient({ ...required, keepAlive: 'false' });
// @ts-expect-error unknown setting of TLS
new MessagingClient({ ...required, tls: { secure: true } });
// @ts-expect-error not an operation's field
new MessagingClient({ ...required, defaults: { priority: 1 } });
// @ts-expect-error the API key is not a default
new MessagingClient({ ...required, defaults: { apikey: 'key' } });

new MessagingClient({ ...required, apiKey: process.env.MESSAGING_API_KEY });
new MessagingClient({ ...required, soapVersion: '1.2', timeoutMs: 0, keepAlive: false, tls: { ca: ['a'] } });
MessagingClient.fromEnv();
MessagingClient.fromEnv({ timeoutMs: 5 });
// @ts-expect-error unknown option
MessagingClient.fromEnv({ timeout: 5 });

export async function defaultsMakeFieldsOptional(): Promise<void> {
  const client = new MessagingClient({ ...required, defaults: { msgmode: 1, unixdate: 0n, sender: '3000' } });
  await client.sendSimple({ message: 'hello', receptor: ['1'] });
  await client.sendSimple({ message: 'hello', receptor: ['1'], msgmode: 2, unixdate: 5, sender: null });
  // @ts-expect-error receptor has no default
  await client.sendSimple({ message: 'hello' });
  // @ts-expect-error a default allows no wrong type
  await client.sendSimple({ message: 'hello', receptor: ['1'], msgmode: 'x' });
  // @ts-expect-error a default makes a field optional, not nullable
  await client.sendSimple({ message: 'hello', receptor: ['1'], msgmode: null });
  // @ts-expect-error sender and msgmode are lists in SendArray: these defaults have another type
  await client.sendArray({ message: ['hello'], receptor: ['1'] });
  await client.sendArray({ message: ['hello'], receptor: ['1'], sender: ['3000'], msgmode: [1] });
  // @ts-expect-error messagemode has no default, though msgmode has
  await client.sendAdvance({ message: 'm', encoding: 0, receptor: '2', fallbackurl: '', clientmessageid: '' });
  await client.call('SendSimpleByApikey', { message: 'hello', receptor: ['1'] });
  // @ts-expect-error call wants the same fields
  await client.call('SendSimpleByApikey', { receptor: ['1'] });
}

export async function defaultsOfLists(): Promise<void> {
  const client = new MessagingClient({ ...required, defaults: { msgmode: [1], pagesize: 10, isread: 0 } });
  await client.sendArray({ message: ['hello'], receptor: ['1'], sender: ['3000'], unixdate: 0n });
  // @ts-expect-error msgmode is one number in SendSimple: this default has another type
  await client.sendSimple({ sender: '3000', message: 'hello', receptor: ['1'], unixdate: 0n });
  await client.selectLatest({});
  for await (const record of client.selectLatestStream({})) console.log(record.messageid);
  await client.receive({ lineNumber: '3000' });
  // @ts-expect-error lineNumber has no default
  await client.receive({});
}

export async function annotatedOptions(options: MessagingOptions): Promise<void> {
  const client = new MessagingClient(options);
  // @ts-expect-error the type of the options promises no default
  await client.sendSimple({});
  // @ts-expect-error msgmode may have no default
  await client.sendSimple({ sender: '3000', message: 'hello', receptor: ['1'], unixdate: 0n });
  await client.sendSimple({ sender: '3000', message: 'hello', receptor: ['1'], unixdate: 0n, msgmode: 1 });
}

export async function noDefaults(): Promise<void> {
  const client: MessagingClient = MessagingClient.fromEnv();
  // @ts-expect-error without defaults every field is needed
  await client.selectLatest({});
  // @ts-expect-error defaults are numbers where the field is one
  const wrong: RequestDefaults = { pagesize: 'all' };
  // @ts-expect-error the contract has no such operation
  const none: MessagingRequest<'SendSimple'> = {};
  const options: MessagingOptions = { ...required, defaults: { pagesize: 1, statusmessage: null } };
  // @ts-expect-error options are read-only
  options.timeoutMs = 5;
  console.log(wrong, none);
}

type OneAndZero = { readonly msgmode: number; readonly unixdate: bigint };
declare const condition: boolean;
declare const annotated: MessagingOptions<OneAndZero>;
declare const plain: MessagingClient;

export async function defaultsThatMayBeMissing(): Promise<void> {
  const given = { msgmode: 1, unixdate: 0n };
  const text = { sender: '3000', message: 'hello', receptor: ['1'] };
  // @ts-expect-error the defaults may be undefined
  await new MessagingClient({ ...required, defaults: condition ? given : undefined }).sendSimple(text);
  // @ts-expect-error the defaults may be undefined
  await MessagingClient.fromEnv({ defaults: condition ? given : undefined }).sendSimple(text);
  // @ts-expect-error the defaults of these options may be missing
  await new MessagingClient(annotated).sendSimple(text);
  // @ts-expect-error the promised defaults are missing
  new MessagingClient<OneAndZero>(required);
  // @ts-expect-error the promised defaults may be missing
  new MessagingClient<OneAndZero>(annotated);
  // @ts-expect-error the promised defaults are missing
  MessagingClient.fromEnv<OneAndZero>();
  // @ts-expect-error the promised defaults are missing
  MessagingClient.fromEnv<OneAndZero>({ timeoutMs: 5 });
  // @ts-expect-error the type of the variable promises defaults
  const promised: MessagingClient<OneAndZero> = new MessagingClient(required);
  // @ts-expect-error the type of the variable promises defaults
  const fromEnvironment: MessagingClient<OneAndZero> = MessagingClient.fromEnv();
  // @ts-expect-error a client without defaults cannot take the place of a client with defaults
  const assigned: MessagingClient<{ readonly unixdate: bigint }> = plain;
  const client = new MessagingClient<OneAndZero>({ ...required, defaults: given });
  await client.sendSimple(text);
  await MessagingClient.fromEnv({ defaults: given }).sendSimple(text);
  await MessagingClient.fromEnv<OneAndZero>({ defaults: given }).sendSimple(text);
  // A program that needs no defaults takes every client.
  const any: MessagingClient = client;
  const fewer: MessagingClient<{ readonly unixdate: bigint }> = client;
  const either = new MessagingClient({ ...required, defaults: condition ? given : { pagesize: 1 } });
  // @ts-expect-error one of the two defaults has no msgmode
  await either.sendSimple(text);
  const none: Record<string, never> = {};
  // @ts-expect-error the defaults have no field
  await new MessagingClient({ ...required, defaults: none }).sendSimple(text);
  // biome-ignore lint/suspicious/noExplicitAny: a program without types
  const unknownNames: Record<string, any> = {};
  // @ts-expect-error the defaults may have no field
  await new MessagingClient({ ...required, defaults: unknownNames }).sendSimple(text);
  const optional = new MessagingClient<{ readonly msgmode?: number }>(required);
  // @ts-expect-error msgmode may have no default
  await optional.sendSimple({ ...text, unixdate: 0n });
  const mixed = new MessagingClient({ ...required, defaults: { msgmode: condition ? 1 : [1], unixdate: 0n } });
  // @ts-expect-error the default may be a list
  await mixed.sendSimple(text);
  // @ts-expect-error the default may be a number
  await mixed.sendArray({ ...text, sender: ['3000'], message: ['hello'] });
  console.log(promised, fromEnvironment, assigned, any, fewer);
}
