import { readableText } from '../../src/internal/readable-text';
import { cpuTime } from '../support/cost';

test.each([
  ['a title', '<HTML><head><title>503 Busy</title></head><body><h1>503 Busy</h1></body></HTML>', '503 Busy'],
  [
    'a title before the text',
    '<html><head><title>Maintenance window</title><style>p {}</style></head><body><p>until 5</p></body></html>',
    'Maintenance window: until 5',
  ],
  ['a title alone', '<title lang="en">Maintenance\nwindow &amp; more</title>', 'Maintenance window & more'],
  [
    'a title that the text repeats',
    '<title>404 - Not found</title><h1>Error 404 - Not found.</h1>',
    'Error 404 - Not found.',
  ],
  ['a header', '<header>Busy</header>', 'Busy'],
  ['a script', '<script>var a = "<p>no</p>";</script>Sorry', 'Sorry'],
  ['a style sheet', '<STYLE type="text/css">p > a {}</STYLE >Sorry', 'Sorry'],
  ['a tag that is cut off', 'Sorry <a href="x', 'Sorry'],
  ['references', 'a &lt;b&gt; &#x41;&amp;', 'a <b> A&'],
  ['references of HTML', 'a&nbsp;b', 'a&nbsp;b'],
  ['an emoji as two references', 'a&#55357;&#56832;b', 'a😀b'],
  ['control characters, raw and as references', 'a\x1b[31m\r\n\tb&#10;&#27;c', 'a [31m b c'],
])('the words of a page are on one line, without its markup: %s', (_, markup, words) => {
  expect(readableText(markup)).toBe(words);
});

test.each([
  ['heads', '<head>'.repeat(1300)],
  ['heads, and half an end tag', `${'<head>'.repeat(1300)}</head${' '.repeat(8000)}`],
  ['heads, styles and scripts', '<head><style><script>'.repeat(780)],
  ['characters that begin a tag', '<'.repeat(16_384)],
  ['characters that begin a reference', '&'.repeat(16_384)],
])('a page that consists of %s is read in time', (_, page) => {
  const cost = cpuTime(() => {
    for (let count = 0; count < 100; count++) readableText(page);
  });
  // A time that grows with the square of the page would be seconds.
  expect(cost).toBeLessThan(500);
});
