import { AppError } from '../lib/errors.ts';
import type { Breaker } from './breaker.ts';
import type { Candidate } from './candidate.ts';
import type { CredentialMeter } from './credential-meter.ts';
import { limitsEndInMs } from './credential-order.ts';
import type { Cause } from './decision.ts';

interface Deps {
  breaker: Breaker;
  meter: CredentialMeter;
}

interface Tried {
  modelId: string;
  /** Why those that were asked gave no answer, in the order of asking. */
  causes: readonly (Cause | undefined)[];
  /** Those whose circuits let nothing through. */
  skipped: readonly Candidate[];
  /** Those all of whose keys are at their limits. */
  atLimits: readonly Candidate[];
}

/** What is answered when nobody is left to ask. */
export function failureOf(deps: Deps, tried: Tried): AppError {
  const { modelId, causes, skipped, atLimits } = tried;
  const atLimit = `Every provider of '${modelId}' is at its limit. Try again later.`;
  if (causes.length === 0) {
    const headers = whenToRetry(deps, tried);
    if (atLimits.length > 0 && skipped.length === 0) return new AppError('capacity_exhausted', atLimit, { headers });
    const away = `No provider of '${modelId}' is available at the moment. Try again in a minute.`;
    return new AppError('no_available_provider', away, { headers });
  }
  if (causes.every((cause) => cause === 'rate_limited')) return new AppError('capacity_exhausted', atLimit);
  if (causes.at(-1) === 'timeout') return new AppError('timeout', `No provider of '${modelId}' answered in time.`);
  return new AppError('provider_error', `No provider of '${modelId}' gave an answer.`);
}

/**
 * When the first of the blocked circuits lets test requests through, or the first key is below its limits; where places of
 * tests are taken, in a second.
 */
function whenToRetry({ breaker, meter }: Deps, { skipped, atLimits }: Tried): Record<string, string> {
  const soonestMs = Math.min(
    ...skipped.map(({ key }) => breaker.opensAgainInMs(key)),
    ...atLimits.map((candidate) => limitsEndInMs(meter, candidate)),
  );
  const ms = Number.isFinite(soonestMs) ? Math.max(1_000, soonestMs) : 1_000;
  return { 'retry-after': `${Math.ceil(ms / 1000)}`, 'retry-after-ms': `${ms}` };
}
