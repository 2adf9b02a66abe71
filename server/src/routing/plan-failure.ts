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
  /** Why the tried candidates gave no answer, in order. */
  causes: readonly (Cause | undefined)[];
  /** Candidates with open circuits. */
  skipped: readonly Candidate[];
  /** Candidates whose keys are all at their limits. */
  atLimits: readonly Candidate[];
}

/** The error when no candidate is left. */
export function failureOf(deps: Deps, tried: Tried): AppError {
  const { modelId, causes, skipped, atLimits } = tried;
  const atLimit = `Every provider of '${modelId}' is at its limit. Try again later.`;
  if (causes.length === 0) {
    const headers = whenToRetry(deps, tried);
    if (atLimits.length > 0 && skipped.length === 0) return new AppError('capacity_exhausted', atLimit, { headers });
    const away = `No provider of '${modelId}' is available at the moment. Try again in a minute.`;
    return new AppError('no_available_provider', away, { headers });
  }
  // Each attempt was logged with its cause.
  const logged = { logged: true } as const;
  if (causes.every((cause) => cause === 'rate_limited')) return new AppError('capacity_exhausted', atLimit, logged);
  if (causes.at(-1) === 'timeout')
    return new AppError('timeout', `No provider of '${modelId}' answered in time.`, logged);
  return new AppError('provider_error', `No provider of '${modelId}' returned an answer.`, logged);
}

/**
 * When the first open circuit allows test requests, or the first key is below its limits; one second if test slots are
 * taken.
 */
function whenToRetry({ breaker, meter }: Deps, { skipped, atLimits }: Tried): Record<string, string> {
  const soonestMs = Math.min(
    ...skipped.map(({ key }) => breaker.opensAgainInMs(key)),
    ...atLimits.map((candidate) => limitsEndInMs(meter, candidate)),
  );
  const ms = Number.isFinite(soonestMs) ? Math.max(1_000, soonestMs) : 1_000;
  return { 'retry-after': `${Math.ceil(ms / 1000)}`, 'retry-after-ms': `${ms}` };
}
