import { describe, expect, test } from 'bun:test';
import { type Stage, scriptedModels, stage } from '../scripted.fixture.ts';

/*
 * The threshold as it comes by default: whatever scored, what answers is recalled and what has nothing to do with the
 * request is not. The embedders differ in how near unrelated and related texts lie to each other.
 */
const embedders: [string, number, number][] = [
  ['most texts at right angles, related ones at 0.45', 0, 0.45],
  ['all texts near each other, related ones a little nearer', 0.74, 0.88],
  ['all texts somewhat near each other', 0.3, 0.6],
];
const subjects = ['harbour', 'violin', 'lichen', 'glacier', 'tariff', 'beehive', 'quarry', 'ferry', 'loom', 'orchid'];
const about = (subject: string, i: number) => `Yesterday somebody described ${subject} number${i} unusually thoroughly`;
const answering = 'Berth seven belongs to Solveig since spring';
const question = 'Who moors here?';

/** Vectors with these cosines to the question: unrelated ones spread a little around their level. */
function vectorFor(text: string, level: number, related: number): number[] {
  if (text.includes(question)) return [1, 0, 0];
  const spread = ((Number(Bun.hash(text) % 1000n) / 1000 - 0.5) * (1 - level)) / 8;
  const cosine = text.includes('Solveig') ? related : level + spread;
  return [cosine, Math.sqrt(1 - cosine ** 2), 0];
}

const said = async (s: Stage) => {
  let i = 0;
  for (const subject of [...subjects, ...subjects, ...subjects, ...subjects]) {
    await s.ask(about(subject, i), { session_id: `s${i}` });
    i += 1;
  }
  await s.ask(answering, { session_id: 'answering' });
  await s.settled();
};

const recalled = async (s: Stage, text: string): Promise<string> => {
  await s.ask(text, { session_id: 'asking', use_vector_search: true });
  return JSON.stringify(s.calls.at(-1)!.messages);
};

describe('the default threshold', () => {
  test.each(embedders)('%s', async (_name, level, related) => {
    const embed: Stage['deps']['embed'] = async ({ texts }) => ({
      vectors: texts.map((text) => vectorFor(text, level, related)),
      usage: { promptTokens: 1, completionTokens: 0 },
    });
    const s = await stage(() => 'noted', { embed });
    await said(s);
    const told = await recalled(s, question);
    expect(told).toContain('Solveig');
    expect(told).not.toContain('thoroughly');
    await s.close();
  });

  test('accepts a single related text at 0.45', async () => {
    const embed: Stage['deps']['embed'] = async ({ texts }) => ({
      vectors: texts.map((text) => vectorFor(text, 0, 0.45)),
      usage: { promptTokens: 1, completionTokens: 0 },
    });
    const s = await stage(() => 'noted', { embed });
    await s.ask(answering, { session_id: 'answering' });
    await s.settled();
    expect(await recalled(s, question)).toContain('Solveig');
    await s.close();
  });

  test('with words alone, a long request need not be half covered', async () => {
    const s = await stage(() => 'noted', { models: () => scriptedModels.filter(({ type }) => type === 'chat') });
    await said(s);
    const long =
      'I am drafting the letter for the autumn regatta and wonder, before printing invitations, whose name goes beside berth seven since spring';
    expect(await recalled(s, long)).toContain('Solveig');
    expect(await recalled(s, 'Which instrument was described at the concert by somebody famous?')).not.toContain(
      'thoroughly',
    );
    await s.close();
  });

  test("a reranker's scores are normalised to the same scale", async () => {
    const rerank: Stage['deps']['rerank'] = async ({ documents }) => ({
      results: documents.map((text, index) => ({ index, relevance_score: text.includes('Solveig') ? 0.3 : -6 })),
      usage: { promptTokens: 1, completionTokens: 0 },
    });
    const s = await stage(() => 'noted', { rerank });
    const preferences = { user_id: 1, value: JSON.stringify({ enable_rerank: true }), updated_at: 1 };
    await s.deps.db.insertInto('ms_preferences').values(preferences).execute();
    await said(s);
    // Negative numbers are no relevance between 0 and 1: such a reranker answers with logarithms of odds.
    const told = await recalled(s, 'Who described something thoroughly, and where is berth seven?');
    expect(told).toContain('Solveig');
    expect(told).not.toContain('number3 ');
    await s.close();
  });
});

test('messages of the requested time come first, with their day', async () => {
  const s = await stage(() => 'noted');
  const boats = (from: string) => `The harbour was full of sailing boats from ${from}`;
  await s.ask(boats('Bergen'), { session_id: 'then' });
  await s.settled();
  s.clock.jump(60 * 86_400_000);
  await s.ask(boats('Oslo'), { session_id: 'later' });
  await s.settled();
  const days = { Bergen: '2023-11-14', Oslo: '2024-01-13' };
  for (const [month, first] of [['November 2023', 'Bergen'] as const, ['January 2024', 'Oslo'] as const]) {
    await s.ask(`Which sailing boats was the harbour full of in ${month}?`, {
      ...{ session_id: `asking-${first}`, use_vector_search: true, rerank_threshold: 0 },
    });
    const told = `${s.calls.at(-1)!.messages[0]!.content}`;
    const [source, text] = /source="([^"]*)" mark="\w+">\n(.*)\n/.exec(told)!.slice(1);
    expect([source, text]).toEqual([expect.stringContaining(days[first]), boats(first)]);
  }
  await s.close();
});
