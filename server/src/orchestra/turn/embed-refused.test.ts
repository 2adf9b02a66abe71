import { afterEach, expect, test } from 'bun:test';
import { AppError } from '../../lib/errors.ts';
import type { Deps } from '../ports.ts';
import { chatModel, type Stage, stage, wordVector } from '../scripted.fixture.ts';
import { addEntry } from '../store/knowledge.ts';
import { writeEntry } from './after-answer.ts';
import { embedMany, embedNew } from './embed.ts';
import { contextOutsideTurn } from './outside-turn.ts';
import { embedQuery } from './recall.ts';

let open: Stage[] = [];
afterEach(async () => {
  for (const made of open) await made.close();
  open = [];
});

/** An embedding model that refuses what `refuses` says; every call is noted. */
async function on(refuses: (texts: string[]) => boolean, contextLength = 0) {
  const calls: string[][] = [];
  const embed: Deps['embed'] = async ({ texts }) => {
    calls.push(texts);
    if (refuses(texts)) throw new AppError('context_length_exceeded', 'maximum context length is 8192 tokens');
    return { vectors: texts.map(wordVector), usage: { promptTokens: 1, completionTokens: 0 } };
  };
  const models = () => [chatModel('v/small', 1), chatModel('v/embed', 0.1, { type: 'embedding', contextLength })];
  const s = await stage(() => 'fine', { embed, models });
  open.push(s);
  const caller = { userId: 1, keyId: null };
  const add = (content: string) =>
    writeEntry(s.deps.db, 1, (tx) =>
      addEntry(tx, { userId: 1, projectId: null, category: 'c', title: 't', content, keywords: [] } as never, 1),
    );
  const context = () => contextOutsideTurn(s.deps, caller, new AbortController().signal);
  const left = async () => (await s.deps.db.selectFrom('ms_unembedded').selectAll().execute()).length;
  return { ...s, s, calls, add, context, left, caller };
}

const chinese = '港口有十二个泊位'.repeat(1000);
/** About as many tokens as vendors' models count in it. */
const tokensOf = (text: string) => Array.from(text).reduce((sum, one) => sum + (one < '\u0080' ? 0.25 : 1.25), 0);

test('texts are cut to what the model reads, whatever their script', async () => {
  const { add, context, left, calls } = await on((texts) => texts.some((text) => tokensOf(text) > 8191));
  await add(chinese);
  await add('The harbour master is Ingrid.');
  await embedNew(await context());
  expect([await left(), calls.length]).toEqual([0, 1]);
  expect(Math.max(...calls[0]!.map((text) => text.length))).toBeGreaterThan(4000);
});

test('the window of a small model is respected, also by questions', async () => {
  const { add, context, left, calls } = await on((texts) => texts.some((text) => tokensOf(text) > 512), 512);
  for (const text of [chinese, 'harbour '.repeat(900), 'The harbour master is Ingrid.']) await add(text);
  await embedNew(await context());
  expect(await embedQuery(await context(), chinese)).not.toBeNull();
  expect([await left(), calls.length]).toEqual([0, 2]);
});

test('a text that the model refuses does not keep others from being embedded', async () => {
  const { add, context, left, calls, caller, s } = await on((texts) =>
    texts.some((text) => text.includes('forbidden')),
  );
  for (let i = 0; i < 40; i += 1) await add(`Berth ${i} is free.`);
  await add('This is forbidden.');
  await embedMany(s.deps, caller, 41, new AbortController().signal);
  expect(await left()).toBe(0);
  expect(await s.deps.db.selectFrom('ms_vectors').selectAll().execute()).toHaveLength(40);
  const before = calls.length;
  expect(before).toBeLessThan(20);
  await embedNew(await context());
  expect(calls.length).toBe(before);
});

test('a text that the model counts as too long is cut until it fits', async () => {
  const { add, context, left } = await on((texts) => texts.some((text) => text.length > 2500));
  for (const text of [`${'harbour '.repeat(900)}`, 'The harbour master is Ingrid.']) await add(text);
  await embedNew(await context());
  expect(await left()).toBe(0);
});

test('a model that refuses everything leaves all texts to the next turn, after few calls', async () => {
  const { add, context, left, calls } = await on(() => true);
  for (let i = 0; i < 32; i += 1) await add(`Berth ${i} is free.`);
  await expect(embedNew(await context())).rejects.toMatchObject({ code: 'context_length_exceeded' });
  expect([await left(), calls.length < 12]).toEqual([32, true]);
  const one = await on(() => true);
  await one.add('Berth 1 is free.');
  await expect(embedNew(await one.context())).rejects.toMatchObject({ code: 'context_length_exceeded' });
  expect(await one.left()).toBe(1);
});
