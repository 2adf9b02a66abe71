import type { z } from 'zod';
import { AppError } from '../../../lib/errors.ts';
import { googleAccountOf } from '../../../lib/google-account.ts';
import type { Sealer } from '../../../lib/seal.ts';
import type { ChannelInput } from '../channels.ts';
import { readPrices, viewPrices } from '../prices-field.ts';
import type { ChannelRecord } from '../store/channels.ts';
import type { ProviderModelFields, ProviderModelRecord } from '../store/provider-models.ts';
import type { channelChange, channelView, providerModelChange, providerModelView } from './schemas.ts';

/** Drops undefined fields, so that spreading the result does not override anything by accident. */
export function given<T extends object>(fields: { [K in keyof T]: T[K] | undefined }): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;
}

export const channelGiven = (body: z.infer<typeof channelChange>): Partial<ChannelInput> =>
  given<ChannelInput>({
    name: body.name,
    provider: body.provider,
    kind: body.kind,
    baseUrl: body.base_url,
    credential: body.credential,
    priority: body.priority,
    weight: body.weight,
    status: body.status,
    models: body.models && [...new Set(body.models)],
    group: body.group,
    timeoutMs: body.timeout_ms,
  });

type ModelChange = z.infer<typeof providerModelChange>;

export function providerModelGiven(body: ModelChange): Partial<ProviderModelFields> {
  refuseTwoPrices(body);
  return { ...plainGiven(body), ...(body.prices && readPrices(body.prices)) };
}

/** A price may be given in two fields if both agree. */
function refuseTwoPrices({ prices, prompt_price, completion_price, request_price }: ModelChange): void {
  if (!prices) return;
  const said = { prompt: prompt_price, completion: completion_price, request: request_price };
  for (const [name, plain] of Object.entries(said) as [keyof typeof said, number | undefined][])
    if (plain !== undefined && plain !== (prices[name] ?? 0))
      throw new AppError('invalid_value', `${name}_price: does not match prices.${name}`, { param: `${name}_price` });
}

const plainGiven = (body: ModelChange): Partial<ProviderModelFields> =>
  given<Omit<ProviderModelFields, 'searchPrice' | 'parts' | 'tiers'>>({
    modelId: body.model_id,
    channelId: body.channel_id,
    modelName: body.model_name,
    type: body.type,
    promptPrice: body.prompt_price,
    completionPrice: body.completion_price,
    requestPrice: body.request_price,
    contextLength: body.context_length,
    maxOutputTokens: body.max_output_tokens,
    status: body.status,
    qualityScore: body.quality_score,
    capabilities: body.capabilities,
  });

export const viewChannel = (channel: ChannelRecord, sealer: Sealer): z.infer<typeof channelView> => ({
  id: channel.id,
  name: channel.name,
  provider: channel.provider,
  kind: channel.kind,
  base_url: channel.baseUrl,
  has_credential: channel.sealedCredential !== '',
  credential_hint: hint(channel.sealedCredential, sealer),
  priority: channel.priority,
  weight: channel.weight,
  status: channel.status as 1 | 2,
  models: channel.models,
  group: channel.group,
  timeout_ms: channel.timeoutMs,
  created_at: channel.createdAt,
  updated_at: channel.updatedAt,
});

/** For shorter secrets, showing four characters would reveal too much. */
const shortestHinted = 16;

export function hint(sealed: string, sealer: Sealer): string | null {
  if (sealed === '') return null;
  try {
    const opened = sealer.open(sealed);
    // The end of a key file says nothing about it; Google shows the id of its key too.
    const credential = opened.startsWith('{') ? (googleAccountOf(opened)?.keyId ?? '') : opened;
    return credential.length >= shortestHinted ? `••••${credential.slice(-4)}` : null;
  } catch {
    // Encrypted with a lost key: the catalog reports it, and the list must still be shown.
    return null;
  }
}

export const viewProviderModel = (model: ProviderModelRecord): z.infer<typeof providerModelView> => ({
  id: model.id,
  model_id: model.modelId,
  channel_id: model.channelId,
  model_name: model.modelName,
  type: model.type,
  prompt_price: model.promptPrice,
  completion_price: model.completionPrice,
  request_price: model.requestPrice,
  prices: viewPrices(model),
  context_length: model.contextLength,
  max_output_tokens: model.maxOutputTokens,
  status: model.status as 1 | 2,
  quality_score: model.qualityScore,
  capabilities: model.capabilities,
  created_at: model.createdAt,
  updated_at: model.updatedAt,
});
