import type { Candidate } from '../candidate.ts';
import type { CircuitState } from '../circuit.ts';
import type { Catalog } from './catalog.ts';

export type PreviewSource = Pick<Catalog, 'resolve' | 'membersOf' | 'model' | 'candidatesFor' | 'legacyCandidatesFor'>;

type Serving = Pick<Catalog, 'model' | 'candidatesFor' | 'legacyCandidatesFor'>;

interface PreviewDeps {
  catalog: PreviewSource;
  /** How the circuit of a candidate stands. */
  circuit(candidate: Candidate): CircuitState;
}

interface PreviewedModel {
  name: string;
  /** Public id that is meant; null where there is none. */
  modelId: string | null;
  serving: { provider: string; channelId: number; circuit: CircuitState }[];
}

export interface AliasPreview {
  /** The model of the same name, which comes first, so that the alias would be none. */
  shadowedBy: string | null;
  models: PreviewedModel[];
  /** Whoever would be asked first now; null when nobody could be. */
  answers: string | null;
}

/** What an alias of this name for these models would lead to, for callers of a group. */
export function previewAlias(
  { catalog, circuit }: PreviewDeps,
  { name, models, group }: { name: string; models: readonly string[]; group: string },
): AliasPreview {
  // An alias does not lead to another one.
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

/** All that serve a model, whatever as. */
export function candidatesOf(catalog: Serving, modelId: string, group: string): Candidate[] {
  const types = catalog.model(modelId, group)?.types ?? [];
  // Channels that only list a name do not say what it is for.
  return types.length === 0
    ? [...catalog.legacyCandidatesFor(modelId, 'chat', group)]
    : types.flatMap((type) => catalog.candidatesFor(modelId, type, group));
}
