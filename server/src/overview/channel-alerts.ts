import { openOrNull, type Sealer } from '../lib/seal.ts';
import type { Db } from '../platform/db/tables.ts';
import type { Candidate } from '../routing/candidate.ts';
import { type ChannelRecord, listChannels } from '../routing/catalog/store/channels.ts';
import { listCredentials } from '../routing/catalog/store/credentials.ts';
import { enabled } from '../routing/catalog/store/tables.ts';
import { circuitKeys } from '../routing/keyed-candidates.ts';
import type { RoutingParts } from '../routing/routing.ts';
import { type Alert, alert } from './alert.ts';
import type { Refusals } from './refusals.ts';

export interface ChannelAlertDeps {
  db: Db;
  sealer: Pick<Sealer, 'open'>;
  routing: Pick<RoutingParts, 'deps' | 'breaker' | 'metrics'>;
  refusals: Refusals;
}

/** As on the health page: with few requests a circuit stays closed even if all of them fail. */
const poorRate = 0.9;
/** Fewer requests may fail by chance. */
const fewestRequests = 5;

/** Problems of enabled channels, the worst of each first. */
export async function channelAlerts(deps: ChannelAlertDeps): Promise<Alert[]> {
  const channels = (await listChannels(deps.db)).filter(({ status }) => status === enabled);
  const unreadable = await unreadableKeys(deps, channels);
  const candidates = Map.groupBy(await deps.routing.deps.catalog.allCandidates(), ({ channel }) => channel.id);
  return channels.flatMap((channel) => {
    const named = { id: channel.id, name: channel.name, provider: channel.provider };
    if (unreadable.has(channel.id)) return [alert('credential_unreadable', 'error', named)];
    const served = candidates.get(channel.id) ?? [];
    const found = [
      refused(deps.refusals, channel, named),
      openCircuits(deps.routing, served, named),
      failing(deps.routing, served, named),
    ];
    return found.filter((one) => one !== null).slice(0, 1);
  });
}

type Named = Pick<Alert, 'id' | 'name' | 'provider'>;

function refused(refusals: Refusals, { id, updatedAt }: ChannelRecord, named: Named): Alert | null {
  const refusal = refusals.of(id, updatedAt);
  if (!refusal) return null;
  return alert('credential_refused', 'error', { ...named, since: refusal.at, count: refusal.status });
}

function openCircuits({ breaker }: ChannelAlertDeps['routing'], served: Candidate[], named: Named): Alert | null {
  const open = served.flatMap((candidate) => {
    const keys = circuitKeys(candidate).filter((key) => breaker.state(key) !== 'closed');
    return keys.length === 0
      ? []
      : [{ model: candidate.modelId, since: Math.min(...keys.map(breaker.changedAtMs, breaker)) }];
  });
  if (open.length === 0) return null;
  const since = Math.floor(Math.min(...open.map((one) => one.since)) / 1000);
  return alert('circuit_open', 'error', { ...named, count: open.length, detail: open[0]!.model, since });
}

function failing({ metrics }: ChannelAlertDeps['routing'], served: Candidate[], named: Named): Alert | null {
  let requests = 0;
  let succeeded = 0;
  for (const { key } of served) {
    const known = metrics.snapshot(key);
    requests += known?.samples ?? 0;
    succeeded += known ? known.samples * known.successRate : 0;
  }
  if (requests < fewestRequests || succeeded / requests >= poorRate) return null;
  return alert('channel_failing', 'warning', { ...named, count: requests, share: succeeded / requests });
}

/** Channels excluded because their credential was sealed with a lost key. */
async function unreadableKeys({ db, sealer }: ChannelAlertDeps, channels: ChannelRecord[]): Promise<Set<number>> {
  const opens = (sealed: string): boolean => openOrNull(sealer, sealed) !== null;
  const found = new Set<number>();
  for (const { id, sealedCredential } of channels)
    if (sealedCredential !== '' && !opens(sealedCredential)) found.add(id);
  for (const { channelId, sealed, status } of await listCredentials(db))
    if (sealed !== '' && status === enabled && !opens(sealed)) found.add(channelId);
  return found;
}
