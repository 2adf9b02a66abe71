import { expect, test } from 'bun:test';
import { textOf } from './messages.ts';
import { type Stage, stage } from './scripted.fixture.ts';

const told = (s: Stage): string =>
  s.calls
    .at(-1)!
    .messages.filter(({ role }) => role === 'system')
    .map(textOf)
    .join();

/** A fact of few words, told in one session, and a question about it in another. */
test.each([
  ['My name is Zebulon.', 'What is my name?', 'Zebulon'],
  ['I am vegan.', 'Am I vegan or not?', 'vegan'],
  ['I live in Berlin.', 'Do I live in Berlin, or where?', 'Berlin'],
  ['我吃素', '我吃素吗？', '吃素'],
  ['저는 채식주의자입니다.', '제가 채식주의자인가요?', '채식주의자'],
])('%s is recalled', async (fact, question, word) => {
  const s = await stage(() => 'Noted, thanks for telling me.');
  try {
    await s.ask(fact, { session_id: 'before' });
    await s.settled();
    const { meta } = await s.ask(question, { session_id: 'now', use_vector_search: true });
    expect(meta.vector_search_results).toBeGreaterThan(0);
    expect(told(s)).toContain(word);
  } finally {
    await s.close();
  }
});

test.each(['ok', 'Thanks!', 'yes please', 'What is it?', '好的', '감사합니다'])('%s is not embedded', async (text) => {
  const s = await stage(() => 'Done.');
  try {
    await s.ask(text, { session_id: 'one' });
    await s.settled();
    expect(s.embedded).toEqual([]);
  } finally {
    await s.close();
  }
});
