import { parseContentType } from '../../src/internal/content-type';
import { cpuTime } from '../support/cost';

test.each([
  [undefined, '', {}],
  ['', '', {}],
  [' Text/XML ', 'text/xml', {}],
  ['text/xml;charset=utf-8', 'text/xml', { charset: 'utf-8' }],
  ['text/xml ; Charset = "UTF-8" ; a=b', 'text/xml', { charset: 'UTF-8', a: 'b' }],
  ['a/b; action="urn:x;y=\\"z\\\\"', 'a/b', { action: 'urn:x;y="z\\' }],
  ['a/b; x=1; X=2', 'a/b', { x: '1' }],
  ['a/b; x=; y=1', 'a/b', { x: '', y: '1' }],
  ['a/b; ; =; x', 'a/b', {}],
  ['a/b; x="open', 'a/b', { x: '"open' }],
])('the Content-Type %j is split into its media type and parameters', (header, mediaType, parameters) => {
  const found = parseContentType(header);
  expect([found.mediaType, Object.fromEntries(found.parameters)]).toEqual([mediaType, parameters]);
});

test('no Content-Type takes long to parse', () => {
  const cost = cpuTime(() => {
    for (const part of [' ', '; ', ';a="', 'a', ';a="\\', '\\', ';a=', ';a ']) {
      parseContentType(`x;a="${part.repeat(16_000 / part.length)}`);
      parseContentType(`x${part.repeat(16_000 / part.length)}`);
    }
  });
  expect(cost).toBeLessThan(1000);
});
