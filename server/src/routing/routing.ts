import type { Clock } from '../lib/clock.ts';
import { after } from '../lib/maybe-promise.ts';
import type { Sealer } from '../lib/seal.ts';
import type { Db } from '../platform/db/tables.ts';
import type { Hearing } from '../platform/shared/hearing.ts';
import type { Shared } from '../platform/shared/port.ts';
import type { Affinity, ConversationName } from './affinity.ts';
import type { Breaker } from './breaker.ts';
import type { Candidate, ModelType } from './candidate.ts';
import type { RoutingCatalog } from './catalog-view.ts';
import { type Choice, choose, ledBy, ledByAffinity } from './choose.ts';
import type { CircuitState } from './circuit.ts';
import type { ConfigCache } from './configs.ts';
import type { CredentialMeter } from './credential-meter.ts';
import { credentialOrder } from './credential-order.ts';
import type { Expectation } from './credential-use.ts';
import type { DecisionLog } from './decisions.ts';
import { type Health, healthOf } from './health.ts';
import type { Metrics } from './metrics.ts';
import { leadsTo, requireOffered } from './offered.ts';
import type { Override } from './override.ts';
import type { OwnKey, OwnKeys } from './own-keys.ts';
import { ownLine } from './own-line.ts';
import { openPlan, type Plan, type PlanDeps, type Report } from './plan.ts';
import type { PreferencesCache } from './preferences.ts';
import { type Preferences, type Scored, scoreAll } from './rank.ts';

export interface PlanRequest {
  requestId: string;
  userId: number;
  /** Of the API key that it came with; null or absent where it came with none. */
  keyId?: number | null;
  group: string;
  modelId: string;
  type: ModelType;
  /** From `parseOverride`. */
  override?: Override | null;
  /** What else the request needs of a candidate: context length, a tool, a video size. */
  fits?: (candidate: Candidate) => boolean;
  /** What it would like of a candidate, and can do without. */
  suits?: ((candidate: Candidate) => boolean) | undefined;
  /** Stays with whoever answered it before, for the sake of the cache there. */
  conversation?: ConversationName | undefined;
  /** What it may use, for the limits of credentials. */
  expectation?: Expectation | undefined;
  /** The model in whose place this one is asked. */
  insteadOf?: string | undefined;
  /** Of the turn or run that makes the request. */
  parentRequestId?: string | undefined;
}

export interface RoutingDeps {
  db: Db;
  clock: Clock;
  shared: Shared;
  hearing: Hearing;
  catalog: RoutingCatalog;
  /** Option `DecisionLogDays`. */
  decisionLogDays: () => number;
  random?: () => number;
  /** The team for which requests with an API key are; null where it is nobody's but its user's. */
  teamOf?: (keyId: number) => number | null | Promise<number | null>;
  /** Opens keys of users' own; without it they have none. */
  sealer?: Sealer;
  /** Share of a model's price that requests with a key of the user's own cost; null where there are no such keys. */
  ownKeyFee?: () => number | null;
  onTransition?: (key: string, state: CircuitState) => void;
  /** Told how each call to a candidate ended. */
  onReport?: (requestId: string, candidate: Candidate, report: Report) => void;
  onError?: (error: unknown, what: string) => void;
}

export interface Routing {
  /** Chooses; at once when the user's preferences are in memory. Throws model_not_found or no_eligible_provider. */
  plan(request: PlanRequest): Plan | Promise<Plan>;
  /** How candidates stand for a user whose request has this override, without choosing among them. */
  standing(userId: number, override: Override | null): Promise<Standing>;
  /** Whether a request could be led to a provider; at once when the user's preferences are in memory. */
  mayReach(request: Reaching, provider: string): boolean | Promise<boolean>;
  /** How a candidate has been doing, as last aggregated. */
  health(candidate: Candidate): Health;
  /** The 60-second cycle: recovery check, aggregation, sweeping. Run by `start`; public for tests. */
  cycle(): Promise<void>;
  start(): void;
  /** Flushes what is buffered. */
  stop(): Promise<void>;
  readonly parts: RoutingParts;
}

type Reaching = Pick<PlanRequest, 'userId' | 'modelId' | 'type' | 'group' | 'override'>;

/** Which limits leave candidates out, and how their circuits are. */
type Standing = (candidates: readonly Candidate[]) => Scored[];

/** For this room's own routes. */
export interface RoutingParts {
  deps: RoutingDeps;
  breaker: Breaker;
  metrics: Metrics;
  meter: CredentialMeter;
  affinity: Affinity;
  decisions: DecisionLog;
  preferences: PreferencesCache;
  /** Absent where there are none. */
  ownKeys?: OwnKeys;
  configs: ConfigCache;
}

const cycleMs = 60_000;
const noKeys: readonly OwnKey[] = Object.freeze([]);

export class RoutingRoom implements Routing {
  /** Requests per model that were routed in turns; bounded by the catalog, since only models with candidates count. */
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

  async standing(userId: number, override: Override | null): Promise<Standing> {
    const preferences = await this.parts.preferences.get(userId);
    const given = { measured: this.#measured, circuit: this.#circuit, userId, preferences, override, config: null };
    // By whichever strategy: who is left does not depend on scores.
    return (candidates) => scoreAll({ ...given, candidates }, 'balanced');
  }

  mayReach(request: Reaching, provider: string): boolean | Promise<boolean> {
    const { preferences, deps } = this.parts;
    return after(preferences.get(request.userId), (loaded) => leadsTo(deps.catalog, request, provider, loaded));
  }

  health(candidate: Candidate): Health {
    return healthOf(this.parts, candidate);
  }

  cycle(): Promise<void> {
    // A slow database must not pile up cycles.
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
    // Ends a sweep that may be running, which the cycle waits for.
    await decisions.close();
    await this.#cycling;
    await metrics.aggregate();
    const kept = [breaker, preferences, ownKeys, configs, meter, affinity];
    await Promise.all(kept.map((part) => part?.close()));
  }

  /** Where it is known who answered a conversation; undefined where there is nothing to choose among. */
  #placeOf({ conversation, userId, modelId, type, group }: PlanRequest): string | undefined {
    if (!conversation) return undefined;
    const { catalog } = this.parts.deps;
    const offered = catalog.candidatesFor(modelId, type, group);
    const candidates = offered.length > 0 ? offered : catalog.legacyCandidatesFor(modelId, type, group);
    const choices = candidates.length > 1 ? candidates.length : (candidates[0]?.channel.credentials?.length ?? 0);
    return choices > 1 ? `${userId}|${modelId}|${conversation.key()}` : undefined;
  }

  /** `place`: of the conversation; `bound`: key of the circuit that it went through before. */
  #planWith(
    request: PlanRequest,
    preferences: Preferences | null,
    ownKeys: readonly OwnKey[],
    place: string | undefined,
    bound: string | null,
  ): Plan {
    const { modelId, requestId, userId, override, insteadOf, parentRequestId } = request;
    // Until its circuit opens: then the conversation is drawn anew, and stays there.
    const boundTo = bound !== null && this.#circuit(bound, userId) === 'closed' ? bound : null;
    const drawn = this.#choose(request, preferences);
    const choice = boundTo === null ? drawn : ledByAffinity(drawn, boundTo);
    const sort = override?.sort ?? null;
    const about = { requestId, userId, modelId, sort, insteadOf, parentRequestId, place, boundTo };
    const orderGiven = Boolean(override?.order?.length || override?.sort);
    const own = ownLine(choice.ordered, ownKeys, this.parts.deps.ownKeyFee?.() ?? 0, orderGiven);
    if (own === null) return openPlan(this.#planDeps, about, choice, choice.ordered, request.expectation);
    const told = own.line[0]?.via ? ledBy(choice, own.first, 'own_key') : choice;
    return openPlan(this.#planDeps, about, told, own.line, request.expectation);
  }

  #choose(request: PlanRequest, preferences: Preferences | null): Choice {
    const { deps, configs } = this.parts;
    const { modelId, userId } = request;
    const { candidates, legacy } = requireOffered(deps.catalog, request);
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
