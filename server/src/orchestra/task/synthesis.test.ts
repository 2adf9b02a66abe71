import { describe, expect, test } from 'bun:test';
import { respond } from '../respond.ts';
import { bigRequest, planOf, recorder, request, type Scripted, stage } from '../scripted.fixture.ts';
import { type Asked, eitherEngine, type Seen } from './either-engine.fixture.ts';

const refusal = "I'm sorry, but I can't help with that.";
const models = ({ asked }: Seen): string[] =>
  asked.filter(({ purpose }) => purpose === 'synthesis').map(({ model }) => model);

/** Two tasks that were asked for and one that was not, and what is made of their results. */
const parts = (synthesis: (asked: Asked) => Scripted, text = (task: string) => `result of ${task}`) => {
  const plan = planOf({ id: 'a', asked_for: true }, { id: 'x', asked_for: false }, { id: 'b', asked_for: true });
  return (asked: Asked) =>
    asked.purpose === 'plan' ? plan : asked.purpose === 'synthesis' ? synthesis(asked) : text(asked.task);
};
const cutOff: Scripted = { message: { role: 'assistant', content: 'Half of' }, finishReason: 'length' };
const unusable: [string, Scripted][] = [
  ['refused', refusal],
  ['empty', ' '],
  ['cut off', cutOff],
];

describe.each(eitherEngine)('a %s', (_engine, run) => {
  test.each(unusable)('a synthesis that is %s is written by another model', async (_, bad) => {
    const script = parts(({ model }) => (model === 'v/small' ? bad : 'together'));
    const seen = await run({ request: bigRequest, script });
    expect([seen.answer, ...models(seen)]).toEqual(['together', 'v/small', 'v/mid']);
  });

  test.each(unusable)('if it is %s by all models, the requested results are the answer', async (_, bad) => {
    const seen = await run({ request: bigRequest, script: parts(() => bad) });
    expect(seen.answer).toBe('result of a\n\nresult of b');
  });

  test('requested results that are too long to rewrite are returned unchanged', async () => {
    const text = (task: string) => `${task}! `.repeat(2000);
    const script = parts(() => 'together', text);
    const seen = await run({ request: bigRequest, script, preferences: { max_context_tokens: 4000 } });
    expect(seen.answer).toBe(`${text('a')}\n\n${text('b')}`);
    expect(models(seen)).toBeEmpty();
  });
});

const streamed = async (synthesis: (model: string) => Scripted, body = {}) => {
  const s = await stage(({ model }, purpose) => {
    if (purpose === 'plan') return planOf({ id: 'a' }, { id: 'b' });
    return purpose === 'synthesis' ? synthesis(model) : 'part';
  });
  const out = recorder();
  const answer = await respond(s.deps, request(bigRequest, {}, body), out);
  await s.close();
  const said = out.events.flatMap(([kind, text]) => (kind === 'content' ? [`${text}`] : [])).join('');
  return { said, answer };
};

test('a refusal is hidden if another model answers, and requested JSON is returned', async () => {
  const refused = await streamed((model) => (model === 'v/small' ? refusal : 'All of it, in one voice.'));
  expect(refused.said).toBe('All of it, in one voice.');
  expect(refused.answer.message.content).toBe(refused.said);
  expect(refused.answer.meta.failovers).toEqual([{ from: 'v/small', to: 'v/mid', why: 'refused' }]);
  const wishes = { response_format: { type: 'json_object' } };
  const json = await streamed((model) => (model === 'v/small' ? 'Well, it depends.' : '{"all": 1}'), wishes);
  expect(json.said).toBe('{"all": 1}');
  const schema = { type: 'object', required: ['all'], properties: { all: { type: 'integer' } } };
  const shaped = { response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } };
  const fitting = await streamed((model) => (model === 'v/small' ? '{"some": "1"}' : '{"all": 1}'), shaped);
  expect(fitting.said).toBe('{"all": 1}');
  expect(fitting.answer.meta.failovers).toMatchObject([{ why: 'wrong_format' }]);
});

test('the partial result of a task that no model finished is used for the answer', async () => {
  const s = await stage(({ messages }, purpose) => {
    if (purpose === 'plan') return planOf({ id: 'a' }, { id: 'b' });
    if (purpose === 'synthesis') return 'together';
    const half = { message: { role: 'assistant' as const, content: 'the first half' }, finishReason: 'length' };
    return `${messages.at(-1)!.content}`.includes('Title a') ? half : 'part';
  });
  await s.ask(bigRequest);
  const told = s.calls
    .at(-1)!
    .messages.map(({ content }) => content)
    .join('\n');
  expect(told).toMatch(/Task "Title a", cut off at its end:\n<data result mark="\w+">\nthe first half\n/);
  await s.close();
});
