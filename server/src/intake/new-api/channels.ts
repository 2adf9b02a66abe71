import { maybeJson } from '../../lib/maybe-json.ts';
import { scaledPrice } from '../../lib/money.ts';
import { pricesOf } from '../../routing/catalog/price-list.ts';
import { sharedGroup } from '../../routing/catalog/snapshot.ts';
import { mostCredentials } from '../../routing/catalog/store/credentials.ts';
import { disabled, enabled } from '../../routing/catalog/store/tables.ts';
import type { ChannelIntake, CredentialIntake, ModelIntake } from '../imported-data.ts';
import { modelOf } from '../model.ts';
import type { Place } from '../place.ts';
import { validName } from '../valid-name.ts';
import { placeOfType } from './channel-types.ts';
import type { NewApiPrices } from './prices.ts';
import type { ChannelRow } from './rows.ts';

/** Address and key belong together if the key implies a region. */
interface Way {
  place: Place;
  credentials: CredentialIntake[];
}

export function channelsOf(row: ChannelRow, prices: NewApiPrices, notes: string[]): ChannelIntake[] {
  const name = validName(row.name, 50, `Channel ${row.id}`);
  const note = (text: string): void => void notes.push(`channel "${name}" (${row.id}): ${text}`);
  const ways = waysOf(row);
  if (typeof ways === 'string') {
    note(`it is skipped: ${ways}`);
    return [];
  }
  noteRest(row, note);
  const groups = groupsOf(row, prices);
  const apart = groups.filter((group) => group !== sharedGroup);
  if (apart.length > 0)
    note(
      `users of ${apart.join(', ')} are also served by channels of "${sharedGroup}", at the prices of those channels`,
    );
  return groups.flatMap((group) =>
    ways.map(({ place, credentials }, part): ChannelIntake => {
      const label = [group === sharedGroup ? '' : group, part === 0 ? '' : `${part + 1}`].filter(Boolean).join(' ');
      return {
        foreignId: [`${row.id}@${row.created_time}`, group, part].join(' '),
        name: label ? `${name} (${label})`.slice(0, 64) : name,
        ...place,
        credentials,
        priority: Math.min(Math.max(row.priority, 0), 1_000),
        weight: row.weight || 1,
        status: row.status === 1 ? enabled : disabled,
        group,
        models: modelsOf(row, place.provider, group, prices),
      };
    }),
  );
}

const list = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((one) => one.trim())
      .filter(Boolean),
  ),
];

/** One channel for all groups if all of them pay the same; else one per group. */
function groupsOf({ group }: ChannelRow, { ratioOf }: NewApiPrices): string[] {
  const groups = list(group);
  if (groups.length === 0) return [sharedGroup];
  const alike = groups.filter((one) => one === sharedGroup || ratioOf(one) !== ratioOf(sharedGroup));
  return groups.includes(sharedGroup) ? alike : groups;
}

function modelsOf(row: ChannelRow, provider: string, group: string, prices: NewApiPrices): ModelIntake[] {
  return list(row.models).map((modelId) => {
    const mapped = row.model_mapping[modelId];
    const name = upstreamName(provider, typeof mapped === 'string' && mapped !== '' ? mapped : modelId);
    const price = prices.priceOf(modelId, group);
    const model = modelOf(provider, modelId, { name, ...(price && { price }) });
    return price ? model : { ...model, ...scaledPrice(model, prices.ratioOf(group)) };
  });
}

/** Bedrock's ids are in the other program's code; here those of our list are used. */
function upstreamName(provider: string, name: string): string {
  if (provider !== 'bedrock' || name.includes('.')) return name;
  return pricesOf('bedrock').find(({ modelId }) => modelId.endsWith(`/${name}`))?.modelName ?? name;
}

/** Or the reason why there is none. */
function waysOf(row: ChannelRow): Way[] | string {
  const place = placeOfType(row.type, row.base_url, row.config !== undefined);
  if (!place) return `its type, number ${row.type}, uses a format that is not supported here`;
  if (row.base_url.includes('{model}')) return 'its address depends on the model';
  const credentials = credentialsOf(row);
  if (place.kind === 'bedrock') return bedrockWays(row, credentials);
  if (place.kind === 'vertex') place.baseUrl = vertexAddress(row, place.baseUrl);
  const parts = Math.max(Math.ceil(credentials.length / mostCredentials), 1);
  return Array.from({ length: parts }, (_, i) => ({
    place,
    credentials: credentials.slice(i * mostCredentials, (i + 1) * mostCredentials),
  }));
}

/** Keys are lines, or a JSON list of key files; disabled ones are listed by position. */
function credentialsOf({ key, channel_info, config }: ChannelRow): CredentialIntake[] {
  const listed = key.startsWith('[') ? maybeJson(key) : undefined;
  const adc = typeof config?.vertex_ai_adc === 'string' ? config.vertex_ai_adc : '';
  const lines = key.startsWith('{') ? [key] : key.split('\n');
  const secrets = Array.isArray(listed)
    ? listed.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))
    : [adc || lines].flat();
  const states = (channel_info.multi_key_status_list ?? {}) as Record<string, unknown>;
  return secrets
    .map((secret, i) => ({
      ...{ secret: secret.trim(), status: (states[i] ?? 1) === 1 ? enabled : disabled },
      ...{ requestsPerMinute: null, tokensPerMinute: null },
    }))
    .filter(({ secret }) => secret !== '');
}

/** `id|secret|region`, or `key|region`; one-api stores them beside the key. */
function bedrockWays({ config, base_url }: ChannelRow, credentials: CredentialIntake[]): Way[] | string {
  const { ak, sk, region: beside } = (config ?? {}) as Record<string, string | undefined>;
  const keys = ak && sk && beside ? [{ ...credentials[0], secret: `${ak}|${sk}|${beside}` }] : credentials;
  const byRegion = Map.groupBy(keys, ({ secret = '' }) => secret.split('|').at(-1)!);
  const ways = [...byRegion].map(([region, ones]): Way => {
    const baseUrl = base_url || `https://bedrock-runtime.${region}.amazonaws.com`;
    const off = { status: enabled, requestsPerMinute: null, tokensPerMinute: null };
    const secrets = ones.map(({ secret = '', ...rest }) => ({
      ...off,
      ...rest,
      secret: secret.split('|').slice(0, -1).join(':'),
    }));
    return { place: { provider: 'bedrock', kind: 'bedrock', baseUrl }, credentials: secrets };
  });
  return ways.length > 0 && ways.every(({ credentials: own }) => own.every(({ secret }) => secret !== ''))
    ? ways
    : 'a Bedrock key must be an id, a secret and a region separated by |';
}

/** The region is stored beside the key, possibly per model. */
function vertexAddress({ other, config }: ChannelRow, usual: string): string {
  const region = typeof config?.region === 'string' ? config.region : other;
  return /^[a-z]+-[a-z]+\d+$/.test(region) ? `https://${region}-aiplatform.googleapis.com/v1` : usual;
}

function noteRest(row: ChannelRow, note: (text: string) => void): void {
  if (row.status === 3) note('it was disabled automatically there, and is disabled here');
  if (row.priority < 0 || row.priority > 1_000) note(`its priority ${row.priority} is limited to the range 0 to 1000`);
  const changes = [
    ...(['setting', 'settings', 'param_override', 'header_override', 'status_code_mapping'] as const),
    ...(['system_prompt', 'open_ai_organization'] as const),
  ].filter((column) => !['', '{}', '[]', 'null'].includes(row[column]));
  if (changes.length > 0) note(`its settings in ${changes.join(', ')} have no counterpart here`);
}
