import type { Clock } from '../lib/clock.ts';
import { thenMaybe } from '../lib/maybe-promise.ts';
import type { Sealer } from '../lib/seal.ts';
import type { Db } from '../platform/db/tables.ts';
import type { CacheSync } from '../platform/shared/cache-sync.ts';
import type { Shared } from '../platform/shared/port.ts';
import type { Affinity, ConversationName } from './affinity.ts';
import { canRoute, requireAvailableModel } from './available-models.ts';
import type { Breaker } from './breaker.ts';
import type { Candidate, ModelType } from './candidate.ts';
import type { RoutingCatalog } from './catalog-view.ts';
import { type Choice, choose, withAffinity, withFirst } from './choose.ts';
import type { CircuitState } from './circuit.ts';
import type { ConfigCache } from './configs.ts';
import type { CredentialMeter } from './credential-meter.ts';
import { credentialOrder } from './credential-order.ts';
import type { Expectation } from './credential-use.ts';
import type { DecisionLog } from './decisions.ts';
import { type Health, healthOf } from './health.ts';
import type { Metrics } from './metrics.ts';
import type { Override } from './override.ts';
import { withOwnKeyCandidates } from './own-key-candidates.ts';
import type { IsAllowance, OwnKey, OwnKeys } from './own-keys.ts';
import { openPlan, type Plan, type PlanDeps, type Report } from './plan.ts';
import type { PreferencesCache } from './preferences.ts';
import { type Preferences, type RankRequest, type Scored, scoreAll } from './rank.ts';

export interface PlanRequest {
  requestId: string;
  userId: number;
  /** The API key of the request; null or absent if there was none. */
  keyId?: number | null;
  group: string;
  modelId: string;
  type: ModelType;
  /** From `parseOverride`. */
  override?: Override | null;
  /** Hard requirements on a candidate: context length, a tool, a video size. */
  fits?: (candidate: Candidate) => boolean;
  /** Optional requirements on a candidate. */
  suits?: ((candidate: Candidate) => boolean) | undefined;
  /** Prefers the candidate that answered the conversation before, which has its prompt cached. */
  conversation?: ConversationName | undefined;
  /** What the request may use, for the limits of credentials. */
  expectation?: Expectation | undefined;
  /** The model that this one is a fallback for. */
  insteadOf?: string | undefined;
  /** Id of the turn or run that made the request. */
  parentRequestId?: string | undefined;
  /** Only finds out what would happen: neither counted nor logged. */
  trial?: boolean | undefined;
}

export interface RoutingDeps {
  db: Db;
  clock: Clock;
  shared: Shared;
  cacheSync: CacheSync;
  catalog: RoutingCatalog;
  /** Option `DecisionLogDays`. */
  decisionLogDays: () => number;
  random?: () => number;
  /** The team that requests with an API key belong to; null if they only belong to the user. */
  teamOf?: (keyId: number) => number | null | Promise<number | null>;
  /** Whether an API key of a team is a member's own. */
  isMembers?: (keyId: number) => boolean | Promise<boolean>;
  isAllowance?: IsAllowance;
  /** Decrypts users' own keys; without it there are none. */
  sealer?: Sealer;
  /** Share of a model's price that requests with the user's own key cost; null if such keys are disabled. */
  ownKeyFee?: () => number | null;
  onTransition?: (key: string, state: CircuitState) => void;
  /** Called when a call to a candidate has ended. */
  onReport?: (requestId: string, candidate: Candidate, report: Report) => void;
  onError?: (error: unknown, what: string) => void;
}

export interface Routing {
  /** Synchronous if the user's preferences are cached. Throws model_not_found or no_eligible_provider. */
  plan(request: PlanRequest): Plan | Promise<Plan>;
  /** Evaluates candidates for a user's request with this override, without choosing one. */
  standing(userId: number, override: Override | null, fits?: RankRequest['fits']): Promise<Standing>;
  /** Whether a request could be routed to a provider; synchronous if the user's preferences are cached. */
  mayReach(request: Reaching, provider: string): boolean | Promise<boolean>;
  /** How a candidate performed, as of the last aggregation. */
  health(candidate: Candidate): Health;
  /** The 60-second cycle: recovery check, aggregation, sweep. Run by `start`; public for tests. */
  cycle(): Promise<void>;
  start(): void;
  /** Flushes all buffers. */
  stop(): Promise<void>;
  readonly parts: RoutingParts;
}

type Reaching = Pick<PlanRequest, 'userId' | 'modelId' | 'type' | 'group' | 'override'>;

/** Which limits exclude candidates, and the state of their circuits. */
type Standing = (candidates: readonly Candidate[]) => Scored[];

/** For the routes of routing itself. */
export interface RoutingParts {
  deps: RoutingDeps;
  breaker: Breaker;
  metrics: Metrics;
  meter: CredentialMeter;
  affinity: Affinity;
  decisions: DecisionLog;
  preferences: PreferencesCache;
  /** Absent if users' own keys are disabled. */
  ownKeys?: OwnKeys;
  configs: ConfigCache;
}

const cycleMs = 60_000;
const noKeys: readonly OwnKey[] = Object.freeze([]);

export class RoutingService implements Routing {
  /** Round-robin requests per model; bounded by the catalog, since only models with candidates count. */
  readonly #turns = new Map<string, number>();
  /** Requests per model that could have tested a half-open candidate; bounded likewise. */
  readonly #probes = new Map<string, number>();
  #timer: ReturnType<typeof setInterval> | null = null;
  #cycling: Promise<void> | null = null;

  readonly #planDeps: PlanDeps;
  readonly #measured = (candidate: Candidate) => this.parts.metrics.measured(candidate);
  readonly #circuit = (key: string, userId: number) => this.parts.breaker.state(key, userId);

  constructor(readonly parts: RoutingParts) {
    const { deps, breaker, metrics, meter, affinity, decisions } = parts;
    const { clock, onReport, random = Math.random } = deps;
    const order = { meter, circuit: this.#circuit, random };
    this.#planDeps = {
      ...{ clock, breaker, metrics, meter, onReport },
      keysOf: (candidate, { userId, boundTo = null }) => credentialOrder(order, candidate, { userId, boundTo }),
      onAnswer: ({ place }, { key, via }) => {
        if (place !== undefined && !via?.own) affinity.keep(place, key);
      },
      log: (decision) => decisions.add(decision),
    };
  }

  plan(request: PlanRequest): Plan | Promise<Plan> {
    const preferences = this.parts.preferences.get(request.userId);
    const ownKeys = this.parts.ownKeys?.for(request) ?? noKeys;
    const place = this.#placeOf(request);
    const bound = place !== undefined && request.conversation!.begun ? this.parts.affinity.find(place) : null;
    if (!(preferences instanceof Promise || ownKeys instanceof Promise || bound instanceof Promise))
      return this.#planWith(request, preferences, ownKeys, place, bound);
    return this.#planLater(request, place, Promise.all([preferences, ownKeys, bound]));
  }

  async #planLater(
    request: PlanRequest,
    place: string | undefined,
    loading: Promise<[Preferences | null, readonly OwnKey[], string | null]>,
  ): Promise<Plan> {
    const [preferences, ownKeys, bound] = await loading;
    return this.#planWith(request, preferences, ownKeys, place, bound);
  }

  async standing(userId: number, override: Override | null, fits?: RankRequest['fits']): Promise<Standing> {
    const preferences = await this.parts.preferences.get(userId);
    const given = { measured: this.#measured, circuit: this.#circuit, userId, preferences, override, config: null };
    // Any strategy will do: which candidates are excluded does not depend on scores.
    return (candidates) => scoreAll({ ...given, candidates, ...(fits && { fits }) }, 'balanced');
  }

  mayReach(request: Reaching, provider: string): boolean | Promise<boolean> {
    const { preferences, deps } = this.parts;
    return thenMaybe(preferences.get(request.userId), (loaded) => canRoute(deps.catalog, request, provider, loaded));
  }

  health(candidate: Candidate): Health {
    return healthOf(this.parts, candidate);
  }

  cycle(): Promise<void> {
    // Never run two cycles at once, even if the database is slow.
    this.#cycling ??= this.#runCycle().finally(() => {
      this.#cycling = null;
    });
    return this.#cycling;
  }

  start(): void {
    this.#timer ??= setInterval(() => void this.cycle(), cycleMs);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    const { decisions, breaker, preferences, ownKeys, configs, metrics, meter, affinity } = this.parts;
    // Also ends a running sweep, which the cycle waits for.
    await decisions.close();
    await this.#cycling;
    await metrics.aggregate();
    const kept = [breaker, preferences, ownKeys, configs, meter, affinity];
    await Promise.all(kept.map((part) => part?.close()));
  }

  /** The affinity key of a conversation; undefined if there are no alternatives to choose from. */
  #placeOf({ conversation, userId, modelId, type, group }: PlanRequest): string | undefined {
    if (!conversation) return undefined;
    const { catalog } = this.parts.deps;
    const offered = catalog.candidatesFor(modelId, type, group);
    const candidates = offered.length > 0 ? offered : catalog.legacyCandidatesFor(modelId, type, group);
    const choices = candidates.length > 1 ? candidates.length : (candidates[0]?.channel.credentials?.length ?? 0);
    return choices > 1 ? `${userId}|${modelId}|${conversation.key()}` : undefined;
  }

  /** `place` is the affinity key of the conversation, `bound` the key of the circuit that answered it before. */
  #planWith(
    request: PlanRequest,
    preferences: Preferences | null,
    ownKeys: readonly OwnKey[],
    place: string | undefined,
    bound: string | null,
  ): Plan {
    const { modelId, requestId, userId, override, insteadOf, parentRequestId, trial } = request;
    // Once its circuit opens, the conversation is routed anew and stays with the new candidate.
    const boundTo = bound !== null && this.#circuit(bound, userId) === 'closed' ? bound : null;
    const drawn = this.#choose(request, preferences);
    const choice = boundTo === null ? drawn : withAffinity(drawn, boundTo);
    const sort = override?.sort ?? null;
    const about = { requestId, userId, modelId, sort, insteadOf, parentRequestId, place, boundTo, trial };
    const orderGiven = Boolean(override?.order?.length || override?.sort);
    const own = withOwnKeyCandidates(choice.ordered, ownKeys, this.parts.deps.ownKeyFee?.() ?? 0, orderGiven);
    if (own === null) return openPlan(this.#planDeps, about, choice, choice.ordered, request.expectation);
    const told = own.candidates[0]?.via ? withFirst(choice, own.first, 'own_key') : choice;
    return openPlan(this.#planDeps, about, told, own.candidates, request.expectation);
  }

  #choose(request: PlanRequest, preferences: Preferences | null): Choice {
    const { deps, configs } = this.parts;
    const { modelId, userId } = request;
    const { candidates, legacy } = requireAvailableModel(deps.catalog, request);
    const override = request.override ?? null;
    const turn = this.#turns.get(modelId) ?? 0;
    const probe = this.#probes.get(modelId) ?? 0;
    const choice = choose({
      modelId,
      candidates,
      legacy,
      measured: this.#measured,
      userId,
      circuit: this.#circuit,
      preferences,
      config: configs.get(modelId),
      override,
      random: deps.random ?? Math.random,
      roundRobinCounter: turn,
      probeCounter: probe,
      fits: request.fits,
      suits: request.suits,
    });
    if (request.trial) return choice;
    if (choice.reason.how === 'round_robin') this.#turns.set(modelId, turn + 1);
    if (choice.awaitedProbe) this.#probes.set(modelId, probe + 1);
    return choice;
  }

  async #runCycle(): Promise<void> {
    const { breaker, metrics, meter, configs, decisions, deps } = this.parts;
    breaker.recoverAll();
    const attempt = (what: string, work: Promise<void>) => work.catch((error) => deps.onError?.(error, what));
    await attempt('aggregate metrics', metrics.aggregate());
    await attempt('count the use of credentials', meter.refresh());
    await attempt('reload routing configs', configs.reload());
    await attempt('sweep decisions', decisions.sweep());
  }
}
