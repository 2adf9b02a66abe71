import { expect, test } from 'bun:test';
import { candidateOf } from '../candidate.fixture.ts';
import type { CircuitState } from '../circuit.ts';
import { previewAlias } from './alias-preview.ts';

/** Two models, one of them with a short name too, and an alias. */
function room(states: Record<number, CircuitState>) {
  const [large, small] = [candidateOf(1), candidateOf(2)];
  const served: Record<string, typeof large> = { 'acme/large': large, 'acme/small': small };
  const resolved: Record<string, string> = { large: 'acme/large', other: 'acme/small' };
  return {
    catalog: {
      resolve: (name: string) => (name in served ? name : (resolved[name] ?? null)),
      membersOf: (name: string) => (name === 'other' ? ['acme/small'] : undefined),
      model: (id: string) =>
        id in served ? ({ types: id === 'acme/large' ? ['chat', 'image'] : ['chat'] } as never) : undefined,
      candidatesFor: (id: string) => [served[id]!],
      legacyCandidatesFor: () => [],
    },
    circuit: ({ channel }: typeof large) => states[channel.id] ?? 'closed',
  };
}
const ask = (models: string[], states: Record<number, CircuitState> = {}, name = 'best') =>
  previewAlias(room(states), { name, models, group: 'default' });

test('the first available model answers', () => {
  expect(ask(['large', 'acme/small'])).toMatchObject({ shadowedBy: null, answers: 'acme/large' });
  expect(ask(['large', 'acme/small'], { 1: 'open' }).answers).toBe('acme/small');
  expect(ask(['large', 'acme/small'], { 1: 'half_open' }).answers).toBe('acme/large');
  expect(ask(['large'], { 1: 'open' }).answers).toBeNull();
});

test('a channel that serves a model as several types is listed once', () => {
  expect(ask(['large'], { 1: 'half_open' }).models).toEqual([
    { name: 'large', modelId: 'acme/large', serving: [{ provider: 'p1', channelId: 1, circuit: 'half_open' }] },
  ]);
});

test('unknown names and other aliases resolve to nothing, and a model of the same name takes precedence', () => {
  const { models, answers } = ask(['nothing', 'other', 'acme/small']);
  expect(models.map(({ modelId }) => modelId)).toEqual([null, null, 'acme/small']);
  expect(answers).toBe('acme/small');
  expect(ask(['acme/small'], {}, 'large').shadowedBy).toBe('acme/large');
  expect(ask(['acme/small'], {}, '').shadowedBy).toBeNull();
});
