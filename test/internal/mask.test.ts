import { createMasker } from '../../src/internal/mask';

test.each([
  ['k', 'invalid apikey', 'invalid apikey'],
  ['k', '<apikey>k</apikey>', '<apikey>***</apikey>'],
  ['k', '{"apikey":"k"}', '{"apikey":"***"}'],
  ['k', 'apikey=%6b&x=1', 'apikey=***&x=1'],
  ['ab', 'the table of ab: AB', 'the table of ***: ***'],
  ['abc', 'xabcx', 'x***x'],
])('a key %j of one or two characters is masked as a word, and a longer one everywhere: %j', (key, text, masked) => {
  expect(createMasker(key).mask(text)).toBe(masked);
});
