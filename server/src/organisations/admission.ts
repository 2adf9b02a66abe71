import type { LevelName } from '../billing/levels.ts';
import { AppError } from '../lib/errors.ts';
import { type MaybePromise, thenMaybe } from '../lib/maybe-promise.ts';
import type { RateState, Shared } from '../platform/shared/port.ts';
import type { Admission, KeyLimits, Reach } from '../routing/key-limits.ts';
import type { Limits, PlaceStanding, Places } from './places.ts';

const minuteMs = 60_000;

const words: Record<LevelName, string> = {
  key: 'this API key',
  member: 'this member',
  team: 'this team',
  organisation: 'this organisation',
};

const counterOf = (organisationId: number, { level, levelId }: Limits, what: string): string =>
  `organisation:${organisationId}:${level}:${levelId}:${what}`;

/** Admits requests by what every level allows besides money: models, providers and rate limits. */
export class Gate implements KeyLimits {
  constructor(readonly deps: { places: Places; shared: Shared }) {}

  /** Null if nothing is limited. Throws `model_not_allowed` and `rate_limit_exceeded`. A request is counted once. */
  admit(keyId: number, models: readonly string[], counted = false): MaybePromise<Admission | null> {
    const known = this.deps.places.of(keyId);
    return known instanceof Promise
      ? this.#decideLater(known, models, counted)
      : known && this.#decide(known, models, counted);
  }

  async #decideLater(standing: Promise<PlaceStanding | null>, models: readonly string[], counted: boolean) {
    const known = await standing;
    return known && this.#decide(known, models, counted);
  }

  /** Does not count. Null if every model of every provider is allowed. */
  reachOf(keyId: number): MaybePromise<Reach | null> {
    return thenMaybe(this.deps.places.of(keyId), reachIn);
  }

  #decide(standing: PlaceStanding, models: readonly string[], counted: boolean): MaybePromise<Admission | null> {
    if (standing.limits.length === 0) return null;
    for (const limits of standing.limits) {
      if (limits.models.size === 0 || models.some((model) => limits.models.has(model))) continue;
      throw new AppError('model_not_allowed', `${capital(words[limits.level])} cannot use the model ${models[0]}.`);
    }
    const admission = admissionOf(standing.limits);
    if (counted) return admission;
    const counting = standing.limits.filter((one) => one.requestsPerMinute > 0 || one.tokensPerMinute > 0);
    return counting.length === 0 ? admission : this.#count(standing, counting).then(() => admission);
  }

  /** Tokens first: a request refused for them does not count as a request. */
  async #count({ organisationId }: PlaceStanding, counted: Limits[]): Promise<void> {
    const { shared } = this.deps;
    for (const limits of counted) {
      if (limits.tokensPerMinute === 0) continue;
      const name = counterOf(organisationId, limits, 'tokens');
      const state = await shared.hit(name, limits.tokensPerMinute, minuteMs, 0);
      if (state.remaining === 0) throw tooMany(limits, `${limits.tokensPerMinute} tokens per minute`, state);
    }
    for (const limits of counted) {
      if (limits.requestsPerMinute === 0) continue;
      const name = counterOf(organisationId, limits, 'requests');
      const state = await shared.hit(name, limits.requestsPerMinute, minuteMs);
      if (!state.allowed) throw tooMany(limits, `${limits.requestsPerMinute} requests per minute`, state);
    }
  }

  /**
   * Tokens are known only afterwards: the request that exceeds the limit is answered, and the next one refused. Never
   * throws.
   */
  used({ organisationId, limits }: PlaceStanding, tokens: number): void {
    if (tokens === 0) return;
    for (const one of limits)
      if (one.tokensPerMinute > 0) this.#countTokens(organisationId, one, tokens).catch(() => {});
  }

  async #countTokens(organisationId: number, limits: Limits, tokens: number): Promise<void> {
    const name = counterOf(organisationId, limits, 'tokens');
    await this.deps.shared.hit(name, limits.tokensPerMinute, minuteMs, tokens);
  }
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function tooMany({ level }: Limits, limit: string, { resetMs }: Pick<RateState, 'resetMs'>): AppError {
  const seconds = Math.max(1, Math.ceil(resetMs / 1000));
  return new AppError(
    'rate_limit_exceeded',
    `${capital(words[level])} is limited to ${limit}. Try again in ${seconds} s.`,
    {
      headers: { 'retry-after': `${seconds}`, 'retry-after-ms': `${Math.max(1, Math.ceil(resetMs))}` },
    },
  );
}

function admissionOf(limits: readonly Limits[]): Admission | null {
  const lists = limits.map(({ providers }) => providers).filter(({ size }) => size > 0);
  return lists.length === 0 ? null : { mayUse: (provider) => lists.every((list) => list.has(provider)) };
}

function reachIn(standing: PlaceStanding | null): Reach | null {
  if (!standing) return null;
  const models = standing.limits.map((limits) => limits.models).filter(({ size }) => size > 0);
  const admission = admissionOf(standing.limits);
  if (models.length === 0 && !admission) return null;
  return {
    mayAsk: (model) => models.every((list) => list.has(model)),
    mayUse: (provider) => admission?.mayUse(provider) ?? true,
  };
}
