import { expect, test } from 'bun:test';
import { type Cell, csvCell, csvLine } from './csv.ts';

const cells: [Cell, string][] = [
  [1, '1'],
  [-5, '-5'],
  [0, '0'],
  [true, 'true'],
  [null, ''],
  [undefined, ''],
  ['', ''],
  ['a', 'a'],
  ['a,b', '"a,b"'],
  ['a"b', '"a""b"'],
  ['two\nlines', '"two\nlines"'],
  ['-1', "'-1"],
  ['=1', "'=1"],
  ['+1', "'+1"],
  ['@1', "'@1"],
  ['\t=1', "'\t=1"],
  ['\r=1', `"'\r=1"`],
  ['\n=1', `"'\n=1"`],
  ['＝1', "'＝1"],
  ['＋1', "'＋1"],
  ['－1', "'－1"],
  ['＠1', "'＠1"],
  ['=a,"b"', `"'=a,""b"""`],
  ['a=1', 'a=1'],
];

test.each(cells)('the cell %p is written %p', (value, written) => expect(csvCell(value)).toBe(written));

test('a line ends as RFC 4180 requires', () => {
  expect(csvLine([1, null, 'a', 'a,b', 'say "x"', 'two\nlines'])).toBe('1,,a,"a,b","say ""x""","two\nlines"\r\n');
});
