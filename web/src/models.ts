import { queryOptions } from '@tanstack/react-query';
import { get, type Result } from './api.ts';
import { t } from './language/words.ts';

export type OfferedModel = Result<'/api/models', 'get'>['models'][number];
export type ModelDetail = Result<'/api/models/{model_id}', 'get'>;
export type Offer = ModelDetail['offers'][number];

/** As much of a model as finding it takes. */
export interface ListedModel {
  id: string;
  owned_by: string;
}

/** The models this user may call. */
export const modelsQuery = queryOptions({
  queryKey: ['models'],
  queryFn: async ({ signal }) => (await get('/api/models', { signal })).models,
  staleTime: 60_000,
});

export const modelQuery = (id: string) =>
  queryOptions({
    queryKey: ['models', id],
    queryFn: ({ signal }) => get('/api/models/{model_id}', { path: { model_id: id }, signal }),
  });

/** The orchestration model plans a task and calls the others for it. */
export const orchestrationModel = 'svc/svc-ms';

export const builtIn = 'demo';

interface Provider {
  name: string;
  models: number;
}

/** Who answers, by how many models they serve; the orchestration model answers through the others. */
export function providersOf(models: (ListedModel & { providers?: string[] })[]): Provider[] {
  const counts = new Map<string, number>();
  for (const { id, owned_by, providers = [owned_by] } of models) {
    if (id === orchestrationModel) continue;
    for (const name of providers) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => ({ name, models: count })).sort((a, b) => b.models - a.models);
}

export const onlySimulation = (providers: Provider[]): boolean =>
  providers.length > 0 && providers.every(({ name }) => name === builtIn);

/** The list says what a model is for only where the service knows; names tell the rest. */
const notForChat = /embed|rerank|moderation|whisper|transcri|speech|\btts\b|-tts|dall-e|image|imagen|video|sora|veo/i;

type Described = ListedModel & { types?: string[] };

export const isChat = ({ id, types = [] }: Described): boolean =>
  types.length > 0 ? types.includes('chat') : !notForChat.test(id);

export interface ModelGroup {
  group: string;
  items: { value: string; label: string }[];
}

/** By who owns them; the orchestration model stands first. */
export function groupsOf(models: ListedModel[]): ModelGroup[] {
  const groups = new Map<string, ModelGroup>();
  for (const { id, owned_by } of [...models].sort((a, b) => (a.id < b.id ? -1 : 1))) {
    const name = id === orchestrationModel ? t('Orchestration') : owned_by || t('Other');
    const group = groups.get(name) ?? { group: name, items: [] };
    group.items.push({ value: id, label: id });
    groups.set(name, group);
  }
  const orchestrates = ({ items }: ModelGroup) => items.some(({ value }) => value === orchestrationModel);
  return [...groups.values()].sort((a, b) => Number(orchestrates(b)) - Number(orchestrates(a)));
}

/** Of those that chat. */
export const modelGroups = (models: ListedModel[]): ModelGroup[] => groupsOf(models.filter(isChat));

/** Where a newcomer starts: a plain chat model, a real one before the simulation. */
export function firstModel(models: ListedModel[]): string {
  const ids = modelGroups(models).flatMap(({ items }) => items.map(({ value }) => value));
  const plain = ids.filter((id) => id !== orchestrationModel);
  return plain.find((id) => !id.startsWith('demo/')) ?? plain[0] ?? ids[0] ?? '';
}
