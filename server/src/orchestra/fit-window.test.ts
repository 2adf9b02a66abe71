import { describe, expect, test } from 'bun:test';
import { AppError } from '../lib/errors.ts';
import { fitMessages, inputBudget } from './fit-window.ts';
import { type ChatMessage, textOf } from './messages.ts';
import { bigRequest, chatModel, planOf, type Script, stage } from './scripted.fixture.ts';
import { appendMessages } from './store/messages.ts';
import { savePreferences } from './store/preferences.ts';
import { openSession } from './store/sessions.ts';
import { weigh } from './tokens.ts';

const user = (content: string): ChatMessage => ({ role: 'user', content });
const system: ChatMessage = { role: 'system', content: 'Be brief.' };
const said = (words: number, word = 'harbour'): string => `${word} `.repeat(words);
const sizeOf = async (messages: ChatMessage[]) => (await weigh(messages)).reduce((sum, one) => sum + one, 0);

describe('messages that fit', () => {
  test('instructions and the newest message stay, and the oldest is dropped first', async () => {
    const messages = [system, user(said(300, 'old')), user(said(300, 'later')), user('now')];
    const fitted = await fitMessages(messages, 400);
    expect(fitted).toEqual([system, messages[2]!, messages[3]!]);
    expect(await fitMessages(messages, 4000)).toBe(messages);
  });
  test('a tool call and its results are dropped together', async () => {
    const call: ChatMessage = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'look', arguments: '{}' } }],
    };
    const result: ChatMessage = { role: 'tool', tool_call_id: 'c', content: said(300) };
    expect(await fitMessages([call, result, user('now')], 100)).toEqual([user('now')]);
  });
  test('a message that is still too long loses the middle of its longest text', async () => {
    const fitted = await fitMessages([user(`begin ${said(3000)} end`), user(`${said(3000)} end`)], 1000);
    expect(fitted).toHaveLength(1);
    expect(await sizeOf(fitted)).toBeLessThanOrEqual(1050);
    const [only] = await fitMessages([user(`begin ${said(3000)} end`)], 500);
    expect(textOf(only!)).toMatch(/^begin [\s\S]*\[…\][\s\S]*end$/);
  });
  test('room for the answer is reserved', () => {
    const model = chatModel('m', 1, { contextLength: 8192 });
    expect(inputBudget(model, { params: {} })).toBeLessThan(8192 * 0.75);
    expect(inputBudget(model, { params: { max_tokens: 100 } })).toBeGreaterThan(7000);
    expect(inputBudget({ ...model, contextLength: 0 }, { params: {} })).toBe(Number.POSITIVE_INFINITY);
  });
});

const window = 8192;
const small = [chatModel('v/tiny', 1, { contextLength: window })];
const refused = new AppError('context_length_exceeded', 'maximum context length is 8192 tokens');

/** A model that counts, by a tokenizer that finds a tenth more. */
const strict =
  (answer: Script, limit = window): Script =>
  async (call, purpose) => {
    const size = (await sizeOf(call.messages)) * 1.1 + (call.params.max_tokens ?? 0);
    return size > limit ? refused : answer(call, purpose);
  };

async function longSession(script: Script, turns = 200, words = 40) {
  const s = await stage(script, { models: () => small });
  const { session } = await openSession(s.deps.db, { userId: 1, sessionId: 's' }, 1);
  const messages = Array.from({ length: turns }, (_, i) => [
    user(`Question ${i}: ${said(words)}`),
    { role: 'assistant' as const, content: `Answer ${i}: ${said(words, 'berth')}` },
  ]).flat();
  const weights = await weigh(messages);
  const rows = messages.map((message, i) => ({ message, tokens: weights[i]! }));
  await appendMessages(s.deps.db, session.ref, rows, 1);
  return s;
}

test.each(['full', 'summarized', 'selective'])(
  'a session of hundreds of turns with a small model keeps answering (%s)',
  async (memory_mode) => {
    const s = await longSession(strict((_, purpose) => (purpose === 'summary' ? 'They spoke of berths.' : 'fine')));
    await savePreferences(s.deps.db, 1, { max_context_tokens: 100_000 }, 0);
    for (let i = 0; i < 3; i++) {
      const { message, meta } = await s.ask(`And what of berth ${i}?`, { session_id: 's', memory_mode });
      expect([message.content, meta.tasks_failed]).toEqual(['fine', 0]);
    }
    expect(s.calls.filter(({ purpose }) => purpose === 'summary').length).toBeGreaterThan(0);
    expect(s.warnings).toEqual([]);
    await s.close();
  },
);

test('a summary covers only what its model could read, and continues from there', async () => {
  const read: string[] = [];
  const s = await longSession(
    strict(({ messages }, purpose) => {
      if (purpose === 'summary') read.push(messages.map(textOf).join('\n'));
      return purpose === 'summary' ? 'They spoke of berths.' : 'fine';
    }),
  );
  for (let i = 0; i < 3; i++) await s.ask(`And what of berth ${i}?`, { session_id: 's' });
  expect(read.length).toBe(3);
  const first = read.map((text) => Number(/Question (\d+):/.exec(text)?.[1]));
  const last = read.map((text) => Number([...text.matchAll(/(?:Question|Answer) (\d+):/g)].at(-1)?.[1]));
  expect(first[1]! - last[0]!).toBeLessThanOrEqual(1);
  expect(first[2]! - last[1]!).toBeLessThanOrEqual(1);
  expect(last[0]!).toBeGreaterThan(first[0]!);
  await s.close();
});

test('with an unexpectedly small window less is sent until it fits, a limited number of times', async () => {
  const s = await longSession(
    strict(() => 'fine', 2500),
    60,
  );
  expect((await s.ask('And what of berth 7?', { session_id: 's', memory_mode: 'full' })).message.content).toBe('fine');
  await s.close();
  const never = await longSession(() => refused, 20);
  const ended = await never.ask('And now?', { session_id: 's' }).catch((error: AppError) => error.code);
  expect(ended).toBe('context_length_exceeded');
  expect(never.calls.length).toBeLessThanOrEqual(16);
  await never.close();
});

test('plans, results and syntheses are bounded too', async () => {
  const long = said(9_000);
  const s = await stage(
    strict((_, purpose) =>
      purpose === 'plan' ? planOf({ id: 'a' }, { id: 'b' }) : purpose === 'task' ? long : 'done',
    ),
    { models: () => small },
  );
  const { message, meta } = await s.ask(bigRequest, {}, { max_tokens: 8000 });
  expect([message.content, meta.tasks_failed]).toEqual(['done', 0]);
  await s.close();
});

test('a request goes to models that can read it; if none can, the user is asked to shorten it', async () => {
  const s = await stage(
    strict(() => 'fine', 100_000),
    {
      models: () => [...small, chatModel('v/wide', 9, { contextLength: 20_000 })],
    },
  );
  expect((await s.ask(`What is this? ${said(10_000)}`)).message.content).toBe('fine');
  expect(s.calls.map(({ model }) => model)).toEqual(['v/wide']);
  await expect(s.ask(`What is this? ${said(30_000)}`, { session_id: 's' })).rejects.toMatchObject({
    code: 'context_length_exceeded',
  });
  expect((await s.ask('And this?', { session_id: 's' })).message.content).toBe('fine');
  await s.close();
});
