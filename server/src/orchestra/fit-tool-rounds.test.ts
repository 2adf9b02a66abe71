import { expect, test } from 'bun:test';
import { buildContext, withItsRequest } from './context.ts';
import { fitMessages } from './fit-window.ts';
import { type ChatMessage, textOf } from './messages.ts';
import { chatModel, stage } from './scripted.fixture.ts';
import { weigh } from './tokens.ts';

const system: ChatMessage = { role: 'system', content: 'Be brief.' };
const user = (content: string): ChatMessage => ({ role: 'user', content });
const bot = (content: string): ChatMessage => ({ role: 'assistant', content });
const calls = (...ids: string[]): ChatMessage => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'look', arguments: '{}' } })),
});
const result = (id: string, content: string): ChatMessage => ({ role: 'tool', tool_call_id: id, content });
const said = (words: number, word = 'harbour'): string => `${word} `.repeat(words);
const sizeOf = async (messages: ChatMessage[]) => (await weigh(messages)).reduce((sum, one) => sum + one, 0);

const question = user('Which berth is free?');
const older = [user(said(300, 'old')), bot(said(300, 'older'))];

test.each([
  ['alone', []],
  ['with a remark of the client beside it', [user('Remember the to-do list.')]],
])('a huge result of a tool loses its middle, not the request that it serves (%s)', async (_, beside) => {
  const messages = [system, ...older, question, calls('a'), result('a', `begin ${said(9000)} end`), ...beside];
  const fitted = await fitMessages(messages, 800);
  expect(fitted.map(({ role }) => role)).toEqual(
    messages.filter((one) => !older.includes(one)).map(({ role }) => role),
  );
  expect(fitted).toContainEqual(question);
  expect(textOf(fitted[3]!)).toMatch(/^begin [\s\S]*\[…\][\s\S]*end$/);
  expect(await sizeOf(fitted)).toBeLessThanOrEqual(840);
});

test('of many rounds the earlier results are shortened first, and every call stays known', async () => {
  const rounds = ['a', 'b', 'c', 'd'].flatMap((id) => [calls(id), result(id, `${id} ${said(400)}`)]);
  const fitted = await fitMessages([system, question, ...rounds], 1100);
  expect(fitted).toContainEqual(question);
  expect(fitted.filter(({ tool_calls }) => tool_calls)).toHaveLength(4);
  expect(fitted.at(-1)).toEqual(rounds.at(-1)!);
  expect(textOf(fitted[3]!).length).toBeLessThan(said(60).length);
  expect(await sizeOf(fitted)).toBeLessThanOrEqual(1140);
});

test('results that arrive together are shortened alike', async () => {
  const messages = [question, calls('a', 'b', 'c'), ...['a', 'b', 'c'].map((id) => result(id, said(2000)))];
  const sizes = await weigh((await fitMessages(messages, 1500)).slice(2));
  expect(Math.min(...sizes)).toBeGreaterThan(400);
  expect(Math.max(...sizes)).toBeLessThan(520);
});

test('calls whose arguments fill the window alone give way, but for the newest', async () => {
  const wide = (id: string): ChatMessage => ({
    ...calls(id),
    tool_calls: [{ id, type: 'function', function: { name: 'write', arguments: JSON.stringify({ text: said(400) }) } }],
  });
  const rounds = ['a', 'b', 'c'].flatMap((id) => [wide(id), result(id, 'done')]);
  const fitted = await fitMessages([question, ...rounds], 1000);
  expect(fitted).toEqual([question, ...rounds.slice(2)]);
});

test('the context of a turn keeps the request that results of tools belong to', async () => {
  const talk = [...older, question, calls('a'), result('a', said(900))];
  const weights = await weigh(talk);
  const history = talk.map((message, i) => ({ id: i + 1, message, tokens: weights[i]! }));
  for (const mode of ['full', 'summarized', 'selective'] as const) {
    const context = buildContext({ mode, history, summary: null, budget: 800 });
    expect(withItsRequest(context, history).map(({ message }) => message)).toEqual(talk.slice(2));
  }
});

test('a model with a small window knows the request however many rounds of tools there are', async () => {
  const s = await stage(
    ({ messages }) => {
      if (messages.filter(({ role }) => role === 'tool').length < 5) return { message: calls('x') as never };
      return messages.some((one) => textOf(one) === textOf(question)) ? 'Berth 7.' : 'What would you like to know?';
    },
    { models: () => [chatModel('v/tiny', 1, { contextLength: 8192 })] },
  );
  const tools = [{ type: 'function', function: { name: 'look', parameters: {} } }];
  const talk = [question];
  let answer = await s.ask(talk, undefined, { tools });
  for (let round = 0; round < 5; round += 1) {
    talk.push(answer.message, result(answer.message.tool_calls![0]!.id, said(1500)));
    answer = await s.ask(talk, undefined, { tools });
  }
  expect(answer.message.content).toBe('Berth 7.');
  await s.close();
});

test.each([
  ['alone', []],
  ['with a remark beside it', [user('In short, please.')]],
])('a result that the model which asked for it cannot read goes to one that can (%s)', async (_, beside) => {
  const models = () => [chatModel('v/tiny', 1, { contextLength: 8192 }), chatModel('v/wide', 30)];
  const s = await stage(
    ({ messages }) => (messages.some(({ role }) => role === 'tool') ? 'Berth 7.' : { message: calls('x') as never }),
    { models },
  );
  const tools = [{ type: 'function', function: { name: 'look', parameters: {} } }];
  const asked = await s.ask([question], undefined, { tools });
  const told = result(asked.message.tool_calls![0]!.id, said(20_000));
  const { message, meta } = await s.ask([question, asked.message, told, ...beside], undefined, { tools });
  expect(message.content).toBe('Berth 7.');
  expect(s.calls.map(({ model }) => model)).toEqual(['v/tiny', 'v/wide']);
  expect(s.calls[1]!.messages).toContainEqual(told);
  expect(meta.failovers).toEqual([{ from: 'v/tiny', to: 'v/wide', why: 'context_length_exceeded' }]);
  await s.close();
});
