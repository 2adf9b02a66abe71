import { queryOptions } from '@tanstack/react-query';
import { get, type Result } from './api.ts';
import { t } from './language/words.ts';

export type OfferedModel = Result<'/api/models', 'get'>['models'][number];
export type ModelDetail = Result<'/api/models/{model_id}', 'get'>;
export type Offer = ModelDetail['offers'][number];

/** The fields needed to find a model in a list. */
export interface ListedModel {
  id: string;
  owned_by: string;
  health?: OfferedModel['health'];
}

/** Models that this user may call. */
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

/** Plans a task and calls other models to carry it out. */
export const orchestrationModel = 'svc/svc-ms';

export const builtIn = 'demo';

interface Provider {
  name: string;
  models: number;
  /** For how many of these models its circuit is open, so that it gets no requests. */
  down: number;
}

type Served = ListedModel & { providers?: string[]; unavailable?: string[] };

/** Providers sorted by number of models. Skips the orchestration model, which answers through the others. */
export function providersOf(models: Served[]): Provider[] {
  const found = new Map<string, Provider>();
  for (const { id, owned_by, providers = [owned_by], unavailable = [] } of models) {
    if (id === orchestrationModel) continue;
    for (const name of providers) {
      const { models: count, down } = found.get(name) ?? { models: 0, down: 0 };
      found.set(name, { name, models: count + 1, down: down + Number(unavailable.includes(name)) });
    }
  }
  return [...found.values()].sort((a, b) => b.models - a.models);
}

/** Whether a provider would currently be called for this model. */
export const canAnswer = ({ health }: ListedModel): boolean => health?.circuit_state !== 'open';

export const onlySimulation = (providers: Provider[]): boolean =>
  providers.length > 0 && providers.every(({ name }) => name === builtIn);

/** Fallback by name: the list has types only for models that the service knows. */
const notForChat = /embed|rerank|moderation|whisper|transcri|speech|\btts\b|-tts|dall-e|image|imagen|video|sora|veo/i;

type Described = ListedModel & { types?: string[] };

export const isChat = ({ id, types = [] }: Described): boolean =>
  types.length > 0 ? types.includes('chat') : !notForChat.test(id);

export interface ModelGroup {
  group: string;
  items: { value: string; label: string }[];
}

/** Groups by owner; the orchestration model comes first. */
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

/** Chat models only. */
export const modelGroups = (models: ListedModel[]): ModelGroup[] => groupsOf(models.filter(isChat));

/**
 * The default choice, also for the next model to compare: a plain chat model that can answer now. Real models come
 * before the simulation, and models whose circuit is half open come after healthy ones.
 */
export function firstModel(models: ListedModel[]): string {
  const answering = models.filter(canAnswer);
  const steady = answering.filter(({ id, health }) => !isSimulated(id) && health?.circuit_state !== 'half_open');
  return plainModel(steady) ?? plainModel(answering) ?? plainModel(models) ?? models.find(isChat)?.id ?? '';
}

const isSimulated = (id: string): boolean => id.startsWith('demo/');

function plainModel(models: ListedModel[]): string | undefined {
  const ids = modelGroups(models).flatMap(({ items }) => items.map(({ value }) => value));
  const plain = ids.filter((id) => id !== orchestrationModel);
  return plain.find((id) => !isSimulated(id)) ?? plain[0];
}
