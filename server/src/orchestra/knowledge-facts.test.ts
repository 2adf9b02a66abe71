import { expect, test } from 'bun:test';
import { areDistinctFacts, groundedFacts, isSameFact } from './knowledge-facts.ts';

const message = 'Our staging database\n  runs on “port 5433”, and Maria owns the deploys.';
const said = { id: 7, text: message };
const fact = (quote: string, content = 'Staging runs on port 5433', title = 'Staging port') => ({
  category: 'infra',
  title,
  content,
  keywords: ['staging'],
  quote,
});
const answer = (...facts: unknown[]) => `\`\`\`json\n${JSON.stringify({ facts })}\n\`\`\``;

test('a fact that quotes the message is kept, ignoring spaces and quotation marks', () => {
  expect(groundedFacts(answer(fact('staging database runs on "port 5433"')), [said])).toEqual([
    {
      category: 'infra',
      title: 'Staging port',
      content: 'Staging runs on port 5433',
      keywords: ['staging'],
      quote: 'staging database runs on “port 5433”',
      sourceMessage: 7,
    },
  ]);
});

test('a made-up, trivial or missing quote drops the fact', () => {
  expect(groundedFacts(answer(fact('production runs on port 5432')), [said])).toEqual([]);
  expect(groundedFacts(answer(fact('and')), [said])).toEqual([]);
  expect(groundedFacts(answer({ title: 'x', content: 'y' }), [said])).toEqual([]);
});

test.each([
  ['我叫李明。', '我叫李明'],
  ['我吃素', '我吃素'],
  ['私はケンです', '私はケン'],
  ['저는 민수', '저는 민수'],
  ['ชื่อนิด', 'ชื่อนิด'],
  ['Я веган.', 'Я веган'],
  ['Мне 40', 'мне 40'],
  ["I'm Bo", 'I’m Bo'],
  ['I am Bo, hello', 'I am Bo'],
])('%s says enough to prove a fact', (text, quote) => {
  expect(groundedFacts(answer(fact(quote)), [{ id: 1, text }])).toHaveLength(1);
});

test.each([
  ['ok', 'ok'],
  ['好的', '好的'],
  ['是', '是'],
  ['да', 'да'],
  ['Yes', 'yes'],
  ['The port and the harbour', 'and the'],
  ['港には船が泊まる', '港に'],
])('%s: %s proves nothing', (text, quote) => {
  expect(groundedFacts(answer(fact(quote)), [{ id: 1, text }])).toEqual([]);
});

test('duplicates within one answer are dropped, and the number of facts is limited', () => {
  const twice = answer(fact('runs on "port 5433"'), fact('runs on "port 5433"', 'staging runs on the port 5433'));
  expect(groundedFacts(twice, [said])).toHaveLength(1);
  const many = Array.from({ length: 50 }, (_, i) => fact('Maria owns the deploys', `item${i} thing${i}`, `t${i}`));
  expect(groundedFacts(answer(...many), [said])).toHaveLength(10);
});

test('an answer that is not a list of facts gives none', () => {
  for (const text of ['', 'none', '{"facts": 3}', '{"facts": [1, null]}']) {
    expect(groundedFacts(text, [said])).toEqual([]);
  }
});

test('a changed value with the same title updates the fact; different facts stay separate', () => {
  const old = { title: 'Staging port', content: 'Staging runs on port 5433' };
  expect(isSameFact(old, { title: 'staging port', content: 'Staging runs on port 6000' })).toBe(true);
  expect(isSameFact(old, { title: 'Deploys', content: 'Maria owns the deploys' })).toBe(false);
});

test('the same statement about another subject is a new fact, and a sentence does not replace a page', () => {
  const of = (name: string, port = 5433) => ({
    title: `${name} database`,
    content: `The database server of customer ${name} runs PostgreSQL on port ${port} in Frankfurt`,
  });
  expect(isSameFact(of('Alpha'), of('Beta'))).toBe(false);
  expect(areDistinctFacts(of('Alpha'), of('Beta'))).toBe(true);
  expect(isSameFact(of('Alpha'), of('Alpha', 6000))).toBe(true);
  expect(areDistinctFacts(of('Alpha'), { ...of('Alpha', 6000), title: 'Database of Alpha' })).toBe(false);
  const page = {
    title: 'Deploys',
    content: `Maria owns the deploys. ${'First build, test, tag, wait and watch. '.repeat(9)}`,
  };
  const more = `${page.content} Ask for leave, name a deputy, freeze on Fridays, note each step, tell the team, keep the log.`;
  expect(isSameFact({ ...page, content: more }, { title: 'Deploys', content: 'Maria owns the deploys' })).toBe(false);
});
