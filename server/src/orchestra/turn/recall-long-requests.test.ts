import { expect, test } from 'bun:test';
import { textOf } from '../messages.ts';
import { scriptedModels, stage } from '../scripted.fixture.ts';

const told = 'The axolotl of my sister lives in Bergen.';
const latin = Array.from({ length: 400 }, (_, i) => `filler${i}`).join(' ');
const pages = Array.from({ length: 2500 }, (_, i) => `filler${i}`).join(' ');
const chinese = Array.from({ length: 300 }, (_, i) => String.fromCodePoint(0x4e00 + 3 * i)).join('');

/** What is asked stands as often after what was pasted as before it. */
test.each([
  ['a page', `Consider this: ${latin}\n\nAnd where does the axolotl of my sister live?`, told],
  ['many pages', `Consider this: ${pages}\n\nAnd where does the axolotl of my sister live?`, told],
  ['a page that follows', `Where does the axolotl of my sister live? ${pages}`, told],
  ['a page in Chinese', `${chinese}。我妹妹的蝾螈住在哪里？`, '我妹妹的蝾螈住在卑尔根。'],
])('a question beside %s recalls what was said before', async (_, asked, fact) => {
  const words = { models: () => scriptedModels.filter(({ type }) => type === 'chat') };
  const s = await stage(() => 'Noted, thank you for telling me.', words);
  for (const text of [fact, 'The harbour has twelve berths.', '港口有十二个泊位。', 'My brother has a boat.']) {
    await s.ask(text);
    await s.settled();
  }
  await s.ask(asked, { use_vector_search: true, rerank_threshold: 0, vector_top_k: 1 });
  const call = s.calls.findLast(({ purpose }) => purpose === 'direct')!;
  const system = call.messages
    .filter(({ role }) => role === 'system')
    .map(textOf)
    .join();
  expect(system).toContain(fact);
  await s.close();
});
