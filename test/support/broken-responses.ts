import type { OperationName } from '../../src';
import { responseEnvelope } from './envelopes';
import { readResponse, readWithSax } from './reading';

// Responses with one mistake each, for the tests of the readers.

/** The title, the body of the response, words of the error, and the operation unless it is SelectByApikey. */
type BrokenResponse = readonly [string, string | Buffer, string, OperationName?];

export const STATUS = '<status>200</status><statusmessage>ok</statusmessage>';
export const RECORD =
  '<ApiSelect><messageid>1</messageid><message>m</message><status>2</status><date>3</date><cost>4</cost></ApiSelect>';
export const select = (content: string) => responseEnvelope('SelectByApikey', content);
export const listOf = (...records: string[]) =>
  select(`<SelectByApikeyResult>${records.join('')}</SelectByApikeyResult>${STATUS}`);
/** A record whose message has this XML. */
export const withText = (xml: string) => listOf(RECORD.replace('>m<', () => `>${xml}<`));
export const credit = (content: string) => responseEnvelope('RemainCreditByApiKey', content);
export const ids = (content: string) =>
  responseEnvelope('SendSimpleByApikey', `<SendSimpleByApikeyResult>${content}</SendSimpleByApikeyResult>${STATUS}`);
export const nested = (depth: number) => select(`${'<a>'.repeat(depth)}${'</a>'.repeat(depth)}${STATUS}`);
export const LIST_PATH = 'in Envelope/Body/SelectByApikeyResponse/SelectByApikeyResult';

/** Message texts do not promise which words are in quotes. */
export function unquoted(message: string): string {
  return message.replaceAll('"', '');
}

/** Tests that both readers refuse each response, and that the error says what is wrong and where. */
export function testBrokenResponses(responses: readonly BrokenResponse[]): void {
  const rows = responses.map(
    ([title, body, message, operation = 'SelectByApikey']) => [title, operation, body, message] as const,
  );

  test.each(rows)(
    'the error for a broken response names the problem and its place: %s',
    (_title, operation, body, message) => {
      const read = readResponse(operation, body);
      expect(read).toEqual({ error: expect.any(String) });
      expect(unquoted((read as { error: string }).error)).toContain(unquoted(message));
      expect(readWithSax(operation, body)).toEqual({ error: expect.any(String) });
    },
  );

  test.each(rows.filter(([, , body]) => body.length < 10_000))(
    'a broken response that arrives one byte at a time is an error: %s',
    (_title, operation, body) => {
      const cuts = Array.from(Buffer.from(body).keys());
      expect(readResponse(operation, body, { cuts })).toHaveProperty('error');
    },
  );
}
