import type { ListedModel } from '../../models.ts';
import { orchestrationModel } from '../playground/settings.ts';

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
