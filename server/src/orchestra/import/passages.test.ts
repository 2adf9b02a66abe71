import { describe, expect, test } from 'bun:test';
import { FileFault } from './faults.ts';
import { type Passage, passagesOf } from './passages.ts';
import { sectionsOf } from './sections.ts';

const cut = (text: string, most = 10_000): Passage[] => [...passagesOf(sectionsOf(text), most)];
const sentences = (count: number): string =>
  Array.from({ length: count }, (_, i) => `Sentence number ${i} tells of the harbour and its ${i} berths.`).join(' ');

describe('passages of a text', () => {
  test('keep their headings, and combine paragraphs while there is room', () => {
    const text =
      'Before.\n\n# Guide\n\n## Setup\n\nFirst.\nStill first.\n\nSecond.\n\n## Use\nThird.\n\nOther\n=====\nFourth.\n';
    expect(cut(text)).toEqual([
      { content: 'Before.', page: null, heading: null },
      { content: 'First.\nStill first.\n\nSecond.', page: null, heading: 'Guide › Setup' },
      { content: 'Third.', page: null, heading: 'Guide › Use' },
      { content: 'Fourth.', page: null, heading: 'Other' },
    ]);
  });

  test('a heading without text is kept, and one with parts appears in them', () => {
    expect(cut('# All\n## Empty\n## Full\ntext\n# Last').map(({ content, heading }) => [heading, content])).toEqual([
      ['All › Empty', 'Empty'],
      ['All › Full', 'text'],
      ['Last', 'Last'],
    ]);
  });

  test('a heading-like line in a code block is code', () => {
    const code = '```sh\n# not a heading\n\necho hi\n```';
    expect(cut(`# Real\n${code}\n\nafter`)).toEqual([{ content: `${code}\n\nafter`, page: null, heading: 'Real' }]);
    expect(cut('#hashtag and #!shebang').map(({ heading }) => heading)).toEqual([null]);
  });

  test('a long paragraph is split after sentences, with overlapping pieces', () => {
    const passages = cut(sentences(100));
    expect(passages.length).toBeGreaterThan(3);
    for (const [i, { content }] of passages.entries()) {
      expect(content.length).toBeLessThanOrEqual(1500);
      expect(content).toMatch(/^Sentence .*\.$/);
      const next = passages[i + 1]?.content;
      if (next) expect(content.endsWith(next.slice(0, 40)) || content.includes(next.slice(0, 40))).toBe(true);
    }
    for (let i = 0; i < 100; i += 1)
      expect(
        passages.some(({ content }) => content.includes(`number ${i} tells of the harbour and its ${i} berths.`)),
      ).toBe(true);
  });

  test('text without spaces is split at its own full stops, and no character is split', () => {
    const passages = cut('港には船が泊まる。'.repeat(500));
    for (const { content } of passages) expect(content.endsWith('。')).toBe(true);
    const faces = cut(`a${'😀'.repeat(3_000)}`);
    for (const { content } of faces) expect(content.isWellFormed()).toBe(true);
  });

  test('handles hostile texts: one word, only newlines, only headings, control characters', () => {
    const word = cut('x'.repeat(1_000_000));
    expect(word.length).toBeGreaterThan(600);
    expect(word.every(({ content }) => content.length <= 1500)).toBe(true);
    expect(cut('\n'.repeat(1_000_000))).toEqual([]);
    expect(() => cut('# a\nb\n'.repeat(20_000))).toThrow(FileFault);
    expect(cut('a\x1b[31mb\x07\u2028c\ud800')).toEqual([{ content: 'a[31mbc\ufffd', page: null, heading: null }]);
    expect(cut(`# ${'x'.repeat(5_000)}\ny`)[0]!.heading).toBeNull();
    expect(cut('```\n'.repeat(100_000), 100_000).length).toBeGreaterThan(10);
  });
});

test.each([
  ['Hindi', 'बंदरगाह में बारह घाट हैं।'],
  ['Arabic', 'كم رصيفا في الميناء؟'],
  ['Urdu', 'بندرگاہ میں بارہ گودیاں ہیں۔'],
  ['Armenian', 'Նավահանգիստն ունի տասներկու կառանատեղ։'],
  ['Burmese', 'ဆိပ်ကမ်းတွင်ဆိပ်ခံတံတားဆယ့်နှစ်ခုရှိသည်။'],
  ['Khmer', 'កំពង់ផែមានកន្លែងចតដប់ពីរ។'],
])('a long paragraph in %s is split after sentences', (_, sentence) => {
  const paragraphs = [Array(150).fill(sentence).join(' ')];
  const made = [...passagesOf([{ headings: [], page: null, paragraphs }], 100)].map(({ content }) => content);
  expect(made.length).toBeGreaterThan(1);
  for (const content of made) expect(content.endsWith(sentence)).toBe(true);
});
