import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HttpError } from '../../src';
import { readDocument } from '../../src/contract/read/fetch';
import { ReadingLimits } from '../../src/contract/read/xml-tree';
import { parseContentType } from '../../src/internal/content-type';
import { decodeBody } from '../../src/sandbox/soap/charset';
import { createDecoder, decodeBytes } from '../../src/xml/encoding';
import { clientOf } from '../support/client';
import { responseOf } from '../support/envelopes';
import { makeFolder } from '../support/folder';
import { errorOf } from '../support/outcomes';
import { serve } from '../support/raw-server';
import { readResponse } from '../support/reading';

const folder = join(__dirname, '../fixtures');

/**
 * The characters of the bytes 128 to 255, by encoding. Python's codecs made them; a byte without a character is the
 * control character of its number in windows encodings, and U+FFFD in ISO 8859, as in the Encoding Standard.
 */
const made: Record<string, string> = JSON.parse(readFileSync(join(folder, 'single-byte-encodings.json'), 'utf8'));

/** The Encoding Standard reads these labels as the windows encoding that has the same letters. */
const upperHalves: Record<string, string | undefined> = {
  ...made,
  'iso-8859-1': made['windows-1252'],
  latin1: made['windows-1252'],
  'iso-8859-9': made['windows-1254'],
};

const ascii = String.fromCharCode(...Array.from({ length: 128 }, (_, byte) => byte));
const allBytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));

test.each(Object.entries(upperHalves))('each byte of %s is decoded as its character', (label, upperHalf) => {
  const expected = ascii + upperHalf;
  expect(upperHalf).toHaveLength(128);
  expect(decodeBytes(allBytes, label)).toBe(expected);
  const decoder = createDecoder(label);
  const inPieces = Array.from(allBytes, (byte) => decoder.decode(Buffer.of(byte), { stream: true })).join('');
  expect(inPieces + decoder.decode()).toBe(expected);
});

describe('text in windows-1252', () => {
  const text = '€ “déjà” ™';
  const bytes = Buffer.from([0x80, 0x20, 0x93, 0x64, 0xe9, 0x6a, 0xe0, 0x94, 0x20, 0x99]);
  const type = 'text/xml; charset=windows-1252';
  const around = (xml: string): Buffer => {
    const [before = '', after = ''] = xml.split('TEXT');
    return Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]);
  };

  test('text in windows-1252 is read in a response', async () => {
    const body = around(responseOf('RemainCreditByApiKey', '5', { statusmessage: 'TEXT' }));
    const client = clientOf(await serve({ headers: { 'Content-Type': type }, body }));
    expect(await client.call('RemainCreditByApiKey', {})).toMatchObject({ statusmessage: text });
  });

  test('text in windows-1252 is read in an error page, and a key in it is masked', async () => {
    const page = await serve({ status: 500, headers: { 'Content-Type': type }, body: bytes });
    expect((await errorOf(HttpError, clientOf(page).remainCredit())).body).toBe(text);
    const error = await errorOf(HttpError, clientOf(page, { apiKey: '“déjà”' }).remainCredit());
    expect(error.body).toBe('€ *** ™');
  });

  test('text in windows-1252 is read in a request to the sandbox, and in a WSDL', async () => {
    expect(decodeBody(bytes, parseContentType(type))).toBe(text);
    const path = join(makeFolder(), 'a.wsdl');
    writeFileSync(path, around('<?xml version="1.0" encoding="windows-1252"?><a>TEXT</a>'));
    const { signal } = new AbortController();
    expect(await readDocument(path, new ReadingLimits(), signal)).toContain(text);
  });
});

describe('a body that is called ASCII and has other bytes', () => {
  const type = 'text/xml; charset=us-ascii';
  const xml = responseOf('RemainCreditByApiKey', '5', { statusmessage: 'سلام' });
  const wrong = Buffer.concat([Buffer.from('<p>d'), Buffer.of(0xe9), Buffer.from('j</p>')]);

  test.each([
    ['in its header', type, xml],
    ['in its XML declaration', 'text/xml', xml.replace('encoding="utf-8"', 'encoding="US-ASCII"')],
  ])('a body that is called ASCII %s, and is in UTF-8, is read as UTF-8', async (_, contentType, body) => {
    const client = clientOf(await serve({ headers: { 'Content-Type': contentType }, body }));
    expect(await client.call('RemainCreditByApiKey', {})).toMatchObject({ statusmessage: 'سلام' });
  });

  test('a response in another encoding that is called ASCII is a ResponseError that names charset and offset', async () => {
    const [before = '', after = ''] = xml.split('سلام');
    const body = Buffer.concat([Buffer.from(`${before}سd`), Buffer.of(0xe9), Buffer.from(`j${after}`)]);
    const message = `the body is not valid us-ascii, from the byte at offset ${body.indexOf(0xe9)} on`;
    const client = clientOf(await serve({ headers: { 'Content-Type': type }, body }));
    await expect(client.remainCredit()).rejects.toMatchObject({
      name: 'ResponseError',
      message: `RemainCreditByApiKey: ${message}`,
    });
    const cuts = Array.from(body.keys());
    expect(readResponse('RemainCreditByApiKey', body, { charset: 'us-ascii', cuts })).toEqual({ error: message });
  });

  test('an error page in another encoding that is called ASCII has U+FFFD in its place', async () => {
    const client = clientOf(await serve({ status: 502, headers: { 'Content-Type': type }, body: wrong }));
    expect((await errorOf(HttpError, client.remainCredit())).body).toBe('<p>d\ufffdj</p>');
  });
});
