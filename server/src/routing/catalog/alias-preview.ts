import type { Candidate } from '../candidate.ts';
import type { CircuitState } from '../circuit.ts';
import type { Catalog } from './catalog.ts';

export type PreviewSource = Pick<Catalog, 'resolve' | 'membersOf' | 'model' | 'candidatesFor' | 'legacyCandidatesFor'>;

type Serving = Pick<Catalog, 'model' | 'candidatesFor' | 'legacyCandidatesFor'>;

interface PreviewDeps {
  catalog: PreviewSource;
  /** The circuit state of a candidate. */
  circuit(candidate: Candidate): CircuitState;
}

interface PreviewedModel {
  name: string;
  /** The public id the name resolves to; null if there is none. */
  modelId: string | null;
  serving: { provider: string; channelId: number; circuit: CircuitState }[];
}

export interface AliasPreview {
  /** A model with the same name, which takes precedence and disables the alias. */
  shadowedBy: string | null;
  models: PreviewedModel[];
  /** The candidate that would be called first now; null if there is none. */
  answers: string | null;
}

/** What an alias with this name and these models would resolve to, for callers of a group. */
export function previewAlias(
  { catalog, circuit }: PreviewDeps,
  { name, models, group }: { name: string; models: readonly string[]; group: string },
): AliasPreview {
  // Aliases cannot refer to other aliases.
  const modelIdOf = (text: string) => (catalog.membersOf(text, group) ? null : catalog.resolve(text, group));
  const previewed = models.map((text): PreviewedModel => {
    const modelId = modelIdOf(text);
    const candidates = modelId === null ? [] : candidatesOf(catalog, modelId, group);
    // A channel may serve one model as several types.
    const channels = Map.groupBy(candidates, ({ channel }) => channel.id);
    const serving = [...channels].map(([channelId, ways]) => {
      const usable = ways.map(circuit).find((state) => state !== 'open');
      return { provider: ways[0]!.channel.provider, channelId, circuit: usable ?? ('open' as const) };
    });
    return { name: text, modelId, serving };
  });
  const first = previewed.find(({ serving }) => serving.some((one) => one.circuit !== 'open'));
  return { shadowedBy: name === '' ? null : modelIdOf(name), models: previewed, answers: first?.modelId ?? null };
}

/** All candidates of a model, of any type. */
export function candidatesOf(catalog: Serving, modelId: string, group: string): Candidate[] {
  const types = catalog.model(modelId, group)?.types ?? [];
  // Channels that only list a name do not declare its type.
  return types.length === 0
    ? [...catalog.legacyCandidatesFor(modelId, 'chat', group)]
    : types.flatMap((type) => catalog.candidatesFor(modelId, type, group));
}
