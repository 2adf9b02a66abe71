import { AppError } from '../../lib/errors.ts';
import type { Channel } from '../../routing/candidate.ts';
import { type CatalogContext, getChannel } from '../../routing/catalog/channels.ts';
import {
  type DiscoveredModel,
  guessType,
  type SyncResult,
  syncProviderModels,
} from '../../routing/catalog/provider-models.ts';
import type { ChannelRecord } from '../../routing/catalog/store/channels.ts';
import { listProviderModels } from '../../routing/catalog/store/provider-models.ts';
import { legacyCandidate } from '../../routing/legacy.ts';
import type { RelayDeps, RequestContext } from '../deps.ts';
import { DispatchFault, dispatch, kindOf, targetOf } from '../dispatch.ts';
import { demoModels } from '../providers/demo/models.ts';
import { providerKinds } from '../providers/index.ts';
import type { ModelEntry, ProviderKind, Target, UpstreamRequest } from '../providers/kind.ts';
import { redactCredential } from '../redact-credential.ts';
import { type Conversation, UpstreamFault } from '../wire/conversation.ts';
import { readFault, readJson, refuseFailure } from './call-endpoint.ts';

const patienceMs = 15_000;

export type Asker = Pick<RequestContext, 'requestId' | 'signal'>;

export interface ChannelTest {
  ok: boolean;
  latency_ms: number;
  error?: string;
}

/** Few enough tokens to be nearly free, enough for models that reason first. */
const greeting = (model: string): Conversation => ({
  model,
  system: [],
  turns: [{ role: 'user', parts: [{ type: 'text', text: 'Say OK.' }] }],
  params: { maxTokens: 16 },
  stream: false,
  includeUsage: false,
});

/**
 * Tests a channel's credential: by a tiny chat if it serves a chat model, since model lists are often public; else by
 * its model list.
 */
export async function testChannel(
  deps: RelayDeps,
  room: CatalogContext,
  id: number,
  asker: Asker,
): Promise<ChannelTest> {
  const record = await getChannel(room, id);
  return tryChannel(deps, room, record, asker, messageOf);
}

/** With the record's key, whoever owns it. `say` words an error for the caller. */
export async function tryChannel(
  deps: RelayDeps,
  room: CatalogContext,
  record: ChannelRecord,
  asker: Asker,
  say: (error: unknown, credential: string) => string,
): Promise<ChannelTest> {
  const channel = opened(room, record);
  const model = await chatModelOf(room, record);
  const startedMs = deps.clock.steadyMs();
  const latency = () => deps.clock.steadyMs() - startedMs;
  try {
    if (model === null)
      await call(deps, channel, asker, '', listRequest, (kind, json) => kind.models.fromUpstream(json));
    else
      await call(
        deps,
        channel,
        asker,
        model,
        (kind, target) => kind.toUpstream(greeting(model), target),
        (kind, json) => kind.fromUpstream(json),
      );
    return { ok: true, latency_ms: latency() };
  } catch (error) {
    return { ok: false, latency_ms: latency(), error: say(error, channel.credential) };
  }
}

/** Syncs the channel's models with the upstream's list. */
export async function syncModels(deps: RelayDeps, room: CatalogContext, id: number, asker: Asker): Promise<SyncResult> {
  const record = await getChannel(room, id);
  const channel = opened(room, record);
  return syncProviderModels(room, record, await discover(deps, channel, asker));
}

async function discover(deps: RelayDeps, channel: Channel, asker: Asker): Promise<DiscoveredModel[]> {
  if (channel.kind === 'demo')
    return demoModels.map(({ id, type, context_length, max_output_tokens }) => ({
      name: id,
      type,
      price: { promptPrice: 0, completionPrice: 0, requestPrice: 0 },
      contextLength: context_length,
      maxOutputTokens: max_output_tokens,
    }));
  try {
    const entries = await call(deps, channel, asker, '', listRequest, (kind, json) => kind.models.fromUpstream(json));
    return [...entries, ...(await furtherModels(deps, channel, asker))].map(
      ({ id, price, contextLength, maxOutputTokens }) => ({
        name: id,
        ...(price && { price }),
        ...(contextLength !== undefined && { contextLength }),
        ...(maxOutputTokens !== undefined && { maxOutputTokens }),
      }),
    );
  } catch (error) {
    throw new AppError(
      'provider_error',
      `The upstream's model list could not be read: ${messageOf(error, channel.credential)}`,
    );
  }
}

/** Of other publishers at the same upstream. A list that the credential cannot read is empty. */
async function furtherModels(deps: RelayDeps, channel: Channel, asker: Asker): Promise<ModelEntry[]> {
  const found: ModelEntry[] = [];
  for (const list of providerKinds[channel.kind]?.models.further ?? []) {
    try {
      const write = (_: ProviderKind, target: Target) => list(target);
      found.push(...(await call(deps, channel, asker, '', write, (kind, json) => kind.models.fromUpstream(json))));
    } catch (error) {
      if (!(error instanceof UpstreamFault)) throw error;
    }
  }
  return found;
}

const listRequest = (kind: ProviderKind, target: Target): UpstreamRequest => kind.models.toUpstream(target);

/** A call outside routing: no plan, no hold, no breaker. */
async function call<T>(
  deps: RelayDeps,
  channel: Channel,
  { requestId, signal }: Asker,
  modelName: string,
  write: (kind: ProviderKind, target: Target) => UpstreamRequest,
  read: (kind: ProviderKind, json: unknown) => T,
): Promise<T> {
  const candidate = legacyCandidate(channel, modelName, 'chat', {
    promptPrice: 0,
    completionPrice: 0,
    requestPrice: 0,
  });
  const context: RequestContext = {
    requestId,
    caller: { userId: 0, group: channel.group, keyId: null, keyUnlimited: true, models: [] },
    endpoint: '',
    override: null,
    clientHeaders: {},
    // The watchdog detects silence; a test also ends if bytes keep trickling.
    signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]),
  };
  const kind = kindOf(candidate);
  const request = write(kind, targetOf(candidate, context));
  const sent = await dispatch(deps, { candidate, report: () => {} }, request, context, false);
  try {
    await refuseFailure(kind, sent.response);
    return read(kind, await readJson(sent.response));
  } catch (error) {
    sent.abort();
    throw readFault(error, sent);
  } finally {
    sent.done();
  }
}

function opened({ sealer }: CatalogContext, record: ChannelRecord): Channel {
  const { sealedCredential, ...channel } = record;
  try {
    const credential = sealedCredential === '' ? '' : sealer.open(sealedCredential);
    return { ...channel, credential, timeoutMs: patienceMs };
  } catch {
    throw new AppError(
      'conflict',
      'The credential cannot be decrypted with the current ENCRYPTION_KEY. Enter it again.',
    );
  }
}

/** The cheapest, by its upstream name. */
async function chatModelOf({ db }: CatalogContext, record: ChannelRecord): Promise<string | null> {
  const models = await listProviderModels(db, { channelId: record.id });
  const chat = models.filter((model) => model.type === 'chat');
  chat.sort((a, b) => a.status - b.status || a.promptPrice - b.promptPrice);
  const listed = record.models.find((name) => guessType(name) === 'chat');
  return chat[0]?.modelName ?? listed ?? (record.kind === 'demo' ? 'demo/chat' : null);
}

/** For the administrator: the upstream's own message, without the credential, which some upstreams repeat. */
export function messageOf(error: unknown, credential: string): string {
  const cause = error instanceof UpstreamFault ? `${error.error.status}: ${error.message}` : faultOf(error);
  return redactCredential(cause, credential);
}

function faultOf(error: unknown): string {
  if (error instanceof DispatchFault && error.why === 'shortage')
    return 'all outgoing connections of this service are in use';
  if (error instanceof DispatchFault && error.why !== 'connection') return `no response within ${patienceMs / 1000} s`;
  return error instanceof Error ? error.message : 'unknown error';
}
