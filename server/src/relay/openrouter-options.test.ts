import { describe, expect, test } from 'bun:test';
import { askedKinds, outcomeOf, type Place } from './every-field.fixture.ts';
import { openaiKind } from './providers/openai.ts';
import { parseChatRequest } from './wire/chat/request.ts';

/** Clients written for OpenRouter send its options to every model. */
const samples = {
  route: 'fallback',
  transforms: ['middle-out'],
  include_reasoning: true,
  structured_outputs: true,
  session_id: 's1',
  trace: { trace_id: 't1' },
  debug: { echo_upstream_body: true },
  cache_control: { type: 'ephemeral' },
  usage: { include: true },
  models: ['a/b'],
  provider: { only: ['a'] },
  reasoning: { effort: 'low' },
  preset: 'mine',
  plugins: [{ id: 'file-parser' }],
};
type Option = keyof typeof samples;

const place: Place = {
  type: ['', ''],
  put: (members) => ({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], ...members }),
  samples,
  given: [],
};
const at = (baseUrl: string, modelName: string, provider: string) => ({
  kind: openaiKind,
  target: { baseUrl, modelName, provider, credential: 'k' },
});
const asked: typeof askedKinds = {
  ...askedKinds,
  groq: at('https://api.groq.com/openai/v1', 'openai/gpt-oss-120b', 'groq'),
  openrouter: at('https://openrouter.ai/api/v1', 'x/y', 'openrouter'),
};

/** What each option is beside OpenRouter itself. `wish`: an answer without it breaks no promise, or it is kept here. */
const decided: Record<Option, 'wish' | 'translated' | 'refused'> = {
  route: 'wish',
  transforms: 'wish',
  include_reasoning: 'wish',
  structured_outputs: 'wish',
  session_id: 'wish',
  trace: 'wish',
  debug: 'wish',
  cache_control: 'wish',
  usage: 'wish',
  models: 'wish',
  provider: 'wish',
  reasoning: 'translated',
  preset: 'refused',
  plugins: 'refused',
};

const ownHere: readonly string[] = ['models', 'provider'];
/** Servers of this format that were given what they do not know say so themselves. */
const refusesItself = /openai|mistral|groq/;

describe.each(Object.entries(decided))('%s is a matter of OpenRouter: %s', (name, decision) => {
  test.each(Object.entries(asked).filter(([vendor]) => vendor !== 'openrouter'))('%s', (vendor, one) => {
    const outcome = outcomeOf(place, parseChatRequest, name, one);
    if (decision === 'wish') expect(outcome).toBe('dropped');
    else if (decision === 'translated') expect(outcome).toBe(vendor === 'mistral' ? 'dropped' : 'carried');
    else expect(outcome).toBe(refusesItself.test(vendor) ? 'carried' : 'refused');
  });

  test('openrouter', () => {
    const outcome = outcomeOf(place, parseChatRequest, name, asked.openrouter!);
    expect(outcome).toBe(ownHere.includes(name) ? 'dropped' : 'carried');
  });
});

test('reasoning is sent in the words of its vendor alone', () => {
  const sent = (vendor: string, reasoning: object, beside = {}) => {
    const { kind, target } = asked[vendor]!;
    const { body } = kind.toUpstream(parseChatRequest(place.put({ reasoning, ...beside })), target);
    const { reasoning: object, reasoning_effort } = JSON.parse(String(body)) as Record<string, unknown>;
    return { object, reasoning_effort };
  };
  expect(sent('openai', { effort: 'high' })).toEqual({ object: undefined, reasoning_effort: 'high' });
  expect(sent('openai', { effort: 'high' }, { reasoning_effort: 'low' }).reasoning_effort).toBe('low');
  expect(sent('openai', { exclude: true })).toEqual({ object: undefined, reasoning_effort: undefined });
  expect(sent('groq', { max_tokens: 2000 }).object).toBeUndefined();
  expect(sent('openrouter', { max_tokens: 2000 }).object).toEqual({ max_tokens: 2000 });
});
