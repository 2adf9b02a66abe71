import { afterEach, describe, expect, test } from 'bun:test';
import { type Stage, stage } from '../scripted.fixture.ts';
import { terms } from '../search/terms.ts';
import { engines } from '../store/db.fixture.ts';
import { indexDocument } from '../store/index-document.ts';
import { appendMessages } from '../store/messages.ts';
import { openSession } from '../store/sessions.ts';
import { embedNew } from './embed.ts';
import { contextOutsideTurn } from './outside-turn.ts';
import { embedQuery, search } from './recall.ts';

const talk = [
  'Hello, how was the journey through the snow?',
  'Long, and every second train was cancelled.',
  'And how is the pottery going these days?',
  'You will laugh: a crooked vase, on Thursday, for eighty euros.',
  'Honestly, I would have paid to watch that happen.',
  'Shall we order something before the kitchen closes tonight?',
];
const afterwards = [
  'Guess what they handed me on Monday: nine jars, all sealed!',
  'From the beehives behind the monastery, surely?',
  'Nothing else to report from this corner today.',
];
const hesitant = [
  'Henk, is the rowing still going on?',
  'Oh, do not ask.',
  'Go on, I am all ears.',
  'Henk speaking, and quite frankly: it was a bronze one, on the last of three days.',
  ...Array.from({ length: 12 }, (_, i) => `Henk: ${i + 1}.`),
];
const other = [
  'The weather report promises rain until Friday evening.',
  'My bicycle needs new brakes before winter comes.',
];

describe.each(await engines())('on %s', (_name, open) => {
  let s: Stage;
  afterEach(() => s.close());

  const store = async (sessionId: string, texts: string[], at = 0) => {
    const { db } = s.deps;
    const { session } = await openSession(db, { userId: 1, sessionId }, 0);
    const said = texts.map((content, i) => {
      const role = i % 2 ? ('assistant' as const) : ('user' as const);
      return { message: { role, content }, tokens: 10 };
    });
    const stored = (await appendMessages(db, session.ref, said, at))!;
    for (const [i, { id }] of stored.entries())
      await indexDocument(db, {
        userId: 1,
        projectId: null,
        sessionRef: session.ref,
        messageId: id,
        beforeId: stored[i - 1]?.id ?? null,
        terms: [...terms(texts[i]!), ...terms(texts[i - 1] ?? '')],
      });
  };
  const found = async (text: string, byMeaning: boolean): Promise<string[]> => {
    const searching = await contextOutsideTurn(s.deps, { userId: 1, keyId: null }, new AbortController().signal);
    const query = byMeaning ? await embedQuery(searching, text) : null;
    return (await search(searching, { userId: 1 }, text, query, 4)).map((document) => document.text);
  };
  const begin = async () => {
    s = await stage(() => 'noted', {}, open);
    await store('talk', talk);
    await store('afterwards', afterwards);
    await store('other', other);
    await embedNew(await contextOutsideTurn(s.deps, { userId: 1, keyId: null }, new AbortController().signal));
  };

  test.each([
    ['by words', false],
    ['by words and meaning', true],
  ])('a message is found by the messages before and after it, %s', async (_way, byMeaning) => {
    await begin();
    // What was asked before it.
    expect(await found('What came of the pottery?', byMeaning)).toContain(talk[3]!);
    // What was answered after it.
    expect(await found('What came out of those beehives?', byMeaning)).toContain(afterwards[0]!);
    // What holds the words itself goes first.
    expect((await found('Which weather is promised until Friday?', byMeaning))[0]).toBe(other[0]!);
    // What follows is no better than what it follows.
    const [best] = await found('When did somebody pay eighty euros for a crooked vase?', byMeaning);
    expect(best).toBe(talk[3]!);
  });

  test('a message is found up to three messages away', async () => {
    await begin();
    await store('hesitant', hesitant);
    expect(await found('What came of the rowing of Henk?', false)).toContain(hesitant[3]!);
  });

  test('messages of the requested day are found among many similar ones', async () => {
    await begin();
    for (let day = 1; day <= 12; day += 1)
      await store(
        `standup ${day}`,
        [`Standup: the parser took me ${day + 2} hours.`],
        Date.UTC(2025, 4, day * 2, 9) / 1000,
      );
    for (const asked of ['on 14 May 2025', 'on May 14th, 2025', 'on 2025-05-14'])
      expect((await found(`How long did the parser take ${asked}?`, false))[0]).toBe(
        'Standup: the parser took me 9 hours.',
      );
  });

  test('only the message itself is embedded', async () => {
    await begin();
    expect(s.embedded.flat().toSorted()).toEqual([...talk, ...afterwards, ...other].toSorted());
  });
});
