import { nowSeconds } from '../../lib/clock.ts';
import type { OpenStream } from '../answer-stream.ts';
import { requireAllowedModel } from '../charge.ts';
import type { Completed } from '../deliver-whole.ts';
import type { RelayDeps, RequestContext } from '../deps.ts';
import { providerKindFor } from '../provider-kind-for.ts';
import type { Pump } from '../pump.ts';
import type { KeyCall } from '../request-context.ts';
import type { Sourced, WireFormat } from '../wire/conversation.ts';
import { GatheredAnswer } from './answer-deltas.ts';
import { cacheKeyOf } from './cache-key.ts';
import { isCacheable } from './is-cacheable.ts';
import { type KeptAnswer, keepable } from './kept-answer.ts';
import type { AnswerCache } from './open.ts';

/** Cache directives of a request (RFC 9111 §5.2.1). */
export interface CacheWishes {
  /** Skip the cache, but store the new answer. */
  fresh: boolean;
  /** Neither read nor write the cache. */
  noStore: boolean;
  /** Maximum age of a cached answer. */
  mostSeconds: number;
}

export function wishesOf(header: string | null): CacheWishes {
  const said = (header ?? '')
    .toLowerCase()
    .split(',', 20)
    .map((directive) => directive.trim());
  const age = said.find((directive) => /^max-age=\d{1,9}$/.test(directive));
  return {
    fresh: said.includes('no-cache'),
    noStore: said.includes('no-store'),
    mostSeconds: age === undefined ? Number.POSITIVE_INFINITY : Number(age.slice('max-age='.length)),
  };
}

/** A request whose answer may be cached, and is stored if it is not. */
export class CachedRequest {
  #gathered: GatheredAnswer | undefined;

  constructor(
    readonly deps: RelayDeps,
    readonly cache: AnswerCache,
    readonly call: KeyCall,
    readonly context: RequestContext,
    readonly conversation: Sourced,
    readonly modelId: string,
    readonly name: string,
    readonly ttlSeconds: number,
    readonly wishes: CacheWishes,
  ) {}

  async find(): Promise<KeptAnswer | null> {
    const { wishes, ttlSeconds, call } = this;
    const most = Math.min(ttlSeconds, wishes.mostSeconds);
    const found = wishes.fresh ? null : await this.cache.find(this.name, most);
    const kept = found && (await this.#admits(found)) ? found : null;
    call.headers['x-svc-cache'] = kept ? 'hit' : 'miss';
    if (kept) this.#tell(kept);
    return kept;
  }

  /**
   * The organisation's limits and the request's own provider settings apply to cached answers too: an answer of a
   * provider that the request would not be routed to is made anew.
   */
  async #admits({ provider }: KeptAnswer): Promise<boolean> {
    const { deps, context, conversation, modelId } = this;
    const { keyId, userId, group } = context.caller;
    const { override } = context;
    if (!(await deps.routing.mayReach({ userId, group, modelId, type: 'chat', override }, provider))) return false;
    if (keyId === null) return true;
    const reach = await deps.reachOf?.(keyId);
    if (reach && !reach.mayUse(provider)) return false;
    await deps.admit?.(keyId, [modelId, conversation.model]);
    return true;
  }

  /** A cached answer is free; the log records what it would have cost. */
  #tell({ at, provider, usage, cost }: KeptAnswer): void {
    const { deps, call, context, conversation, modelId } = this;
    call.headers.age = `${Math.max(0, nowSeconds(deps.clock) - at)}`;
    call.headers['x-svc-provider'] = provider;
    call.headers['x-svc-cost'] = '0';
    const { requestId, caller, endpoint } = context;
    deps.billing.record(
      { requestId, modelId, userId: caller.userId, keyId: caller.keyId },
      { usage, endpoint, provider, stream: conversation.stream, savedQuota: cost },
    );
  }

  keepWhole({ answer, usage, cost, candidate }: Completed): void {
    const upstream = providerKindFor(candidate, this.conversation).wire;
    this.#keep(keepable(answer), { upstream, provider: candidate.channel.provider, usage, cost });
  }

  /** Observes the events of a stream; starts over with each candidate. */
  readonly watch = (upstream: WireFormat): GatheredAnswer['see'] => {
    this.#gathered = new GatheredAnswer(upstream);
    return this.#gathered.see;
  };

  /** The same stream, cached once it is complete. */
  following(pump: Pump): OpenStream & { model: string } {
    const { candidate, model } = pump;
    return {
      candidate,
      model,
      pump: async (write) => {
        const end = await pump.pump(write);
        const gathered = this.#gathered;
        const answer = gathered?.answer();
        if (gathered && answer && end.summary.complete && !end.error) {
          const { usage, cost } = end;
          const { provider } = candidate.channel;
          this.#keep(keepable(answer), { upstream: gathered.upstream, provider, usage, cost });
        }
        return end;
      },
    };
  }

  #keep(answer: KeptAnswer['answer'] | null, about: Omit<KeptAnswer, 'answer' | 'at'>): void {
    if (!answer) return;
    const at = nowSeconds(this.deps.clock);
    this.cache.keep(this.name, this.context.caller.userId, { answer, ...about, at }, this.ttlSeconds);
  }
}

/** Null if the request is not cacheable. Throws if the key may not use the model, cached or not. */
export function cachedRequest(
  deps: RelayDeps,
  call: KeyCall,
  context: RequestContext,
  conversation: Sourced,
): CachedRequest | null {
  const { cache: rule } = call.principal;
  const { answers } = deps;
  if (!rule || !answers || call.behind || !isCacheable(conversation, rule)) return null;
  const wishes = wishesOf(call.request.headers.get('cache-control'));
  if (wishes.noStore) return null;
  const { group } = context.caller;
  const modelId = deps.catalog.resolve(conversation.model, group);
  // With an alias of several models, any of them may answer.
  if (modelId === null || deps.catalog.membersOf(conversation.model, group)) return null;
  requireAllowedModel(deps, context, conversation.model, modelId);
  const name = cacheKeyOf(context, conversation, modelId, answers.acrossUsers());
  return new CachedRequest(deps, answers, call, context, conversation, modelId, name, rule.ttlSeconds, wishes);
}
