import { expect, test } from 'bun:test';
import { findFormulas } from './find-formulas.ts';

const kinds: [text: string, formulas: string[]][] = [
  ['With $x^2$ and \\(y_1\\).', ['x^2', 'y_1']],
  ['So \\[ a = b \\] and\n$$\nc\n$$', [' a = b ', '\nc\n']],
  ['The $n$th of $x$s, the **$k$**', ['n', 'x', 'k']],
  ['$2 \\times 3$ and $5\\ \\text{per hour}$ and $2x$', ['2 \\times 3', '5\\ \\text{per hour}', '2x']],
  ['$\\$5 + x$', ['\\$5 + x']],
  ['| $|x|$ | $a$ |', ['|x|', 'a']],
  ['> $$\n> x\n> $$', ['\n x\n ']],
  ['\\[ a \\\\[2pt] b \\]', [' a \\\\[2pt] b ']],
  // Money, variables and sentences.
  ['It costs $5 and $10.', []],
  ['Between $5-$10, US$5 or 5$ or 6$', []],
  ['$5 million, or 6 million US$', []],
  ['$5 and $x$ is', ['x']],
  ['echo $HOME/$USER $PATH', []],
  ['\\$5 and 6\\$', []],
  ['\\[citation needed\\] \\(see below\\) \\\\(no\\\\)', []],
  ['$ x$ and $x $ and $$', []],
  // Code.
  ['`$x$` and ``a ` $y$`` and $z$', ['z']],
  ['```tex\n$x$\n```\n$y$', ['y']],
  ['~~~\n$x$\n~~~\n\\(y\\)', ['y']],
  ['Not ~~$x$~~ gone', ['x']],
  ['```\n$x$ never ended', []],
  ['$a `b$` c', []],
  // No paragraph goes on behind an empty line.
  ['\\( a\n\n b \\) $c\n\nd$', []],
];

test.each(kinds)('finds the formulas in %j', (text, formulas) => {
  expect(findFormulas(text).map(({ tex }) => tex)).toEqual(formulas);
  for (const { from, to, tex } of findFormulas(text).filter(() => !text.startsWith('>')))
    expect(text.slice(from, to)).toContain(tex);
});

test('while a text streams in, a formula stays a formula and a price stays text', () => {
  for (const text of ['So \\[ a_1 = b \\]', 'So $\\frac{a_1}{b * c} d * e$'])
    for (let end = 'So \\[ a'.length; end <= text.length; end += 1) {
      const [found, ...others] = findFormulas(text.slice(0, end));
      expect([found?.from, found?.open, others]).toEqual([3, end < text.length, []]);
    }
  for (const text of ['It costs $5', 'in $HOME_DIR or C:\\Users', 'so $x']) expect(findFormulas(text)).toEqual([]);
});

test.each(['\\(', '\\[', '$', '$$', '`', '``` ', '$a ', '\\(\n\n', '~', '> \\['])(
  'takes linear time for repeated %j',
  (mark) => {
    const once = (letters: number): number => {
      const begun = process.cpuUsage();
      findFormulas(mark.repeat(letters / mark.length));
      return process.cpuUsage(begun).user / 1000;
    };
    // The least of several: other threads of this process, which collect garbage and compile, count too.
    const takes = (letters: number): number => Math.min(...Array.from({ length: 3 }, () => once(letters)));
    // Below a few milliseconds there is nothing to compare. Quadratic, it would be a hundred times as long.
    expect(takes(500_000)).toBeLessThan(40 * Math.max(takes(50_000), 5));
  },
  60_000,
);
