import { AppError } from '../lib/errors.ts';
import type { Candidate, ModelType } from './candidate.ts';
import type { Catalog } from './catalog/catalog.ts';
import type { Override } from './override.ts';
import { mayBeChosen, type Preferences } from './rank.ts';

type Source = Pick<Catalog, 'candidatesFor' | 'legacyCandidatesFor'>;

/** The requested model and the caller's group. */
interface Wanted {
  modelId: string;
  type: ModelType;
  group: string;
}

interface Offered {
  candidates: readonly Candidate[];
  /** From channels that only list the name. */
  legacy: boolean;
}

function offeredBy(catalog: Source, { modelId, type, group }: Wanted): Offered {
  const candidates = catalog.candidatesFor(modelId, type, group);
  if (candidates.length > 0) return { candidates, legacy: false };
  return { candidates: catalog.legacyCandidatesFor(modelId, type, group), legacy: true };
}

export function requireAvailableModel(catalog: Source, wanted: Wanted): Offered {
  const offered = offeredBy(catalog, wanted);
  if (offered.candidates.length > 0) return offered;
  throw new AppError('model_not_found', `The model '${wanted.modelId}' does not exist or cannot be used here.`, {
    param: 'model',
  });
}

/** Whether a request could be routed to a provider, given the user's preferences and the request's own limits. */
export function canRoute(
  catalog: Source,
  wanted: Wanted & { override?: Override | null },
  provider: string,
  preferences: Preferences | null,
): boolean {
  for (const candidate of offeredBy(catalog, wanted).candidates) {
    if (candidate.channel.provider !== provider) continue;
    if (mayBeChosen(candidate, preferences, wanted.override ?? null)) return true;
  }
  return false;
}
