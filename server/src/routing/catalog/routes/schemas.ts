import { z } from 'zod';
import { googleAccountOf, keptKeyFile } from '../../../lib/google-account.ts';
import { type PartName, partNames } from '../../../lib/money.ts';
import { trimEndOf } from '../../../lib/trim-end.ts';
import { channelKinds } from '../../../lib/vendors/vendor.ts';
import { answered, listed } from '../../../platform/http/answers.ts';
import { idText, pageQuery } from '../../../platform/http/paging.ts';
import { holdsHidden, shownName } from '../../../platform/http/shown-text.ts';
import { modelTypes } from '../../candidate.ts';
import { disabled, enabled } from '../store/tables.ts';

export const status = z.union([z.literal(enabled), z.literal(disabled)], 'must be 1 (enabled) or 2 (disabled)');
export const modelName = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[^\s\p{Cc}]+$/u, 'must not contain spaces')
  .refine((name) => !holdsHidden(name), 'must not contain invisible characters');
export const words = shownName(64);
/** A higher price is certainly a typo: a million dollars per million tokens. */
const price = z.number().min(0).max(1_000_000);
const count = z.number().int().min(0).max(100_000_000);

const rates = {
  prompt: price,
  completion: price,
  request: price.optional(),
  ...(Object.fromEntries(Object.values(partNames).map((name) => [name, price.optional()])) as Record<
    PartName,
    z.ZodOptional<typeof price>
  >),
};
const inOrder = (tiers: { above_context: number }[]): boolean =>
  tiers.every((tier, i) => i === 0 || tier.above_context > tiers[i - 1]!.above_context);
/** Unknown names are rejected: with a misspelled name, its tokens would be charged at the default price. */
export const prices = z.strictObject({
  ...rates,
  search: price.optional().describe('USD per web search run by the vendor; without it, web search is off'),
  tiers: z
    .array(z.strictObject({ above_context: count.min(1), ...rates }))
    .max(8)
    .refine(inOrder, 'must be in ascending order of above_context')
    .optional(),
});

/** A valid request URL; a user name or fragment in it would be ignored or leaked. */
const baseUrl = z
  .string()
  .max(2_000)
  .transform((text, context) => {
    const url = URL.parse(text.trim());
    if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
      context.addIssue({ code: 'custom', message: 'must be an http or https URL' });
    } else if (url.username || url.password) {
      context.addIssue({ code: 'custom', message: 'must not contain a user name or password' });
    } else if (url.hash || text.includes('#')) {
      context.addIssue({ code: 'custom', message: 'must not contain a fragment' });
    } else return trimEndOf(url.href, '/');
    return z.NEVER;
  })
  .meta({ type: 'string', format: 'uri' });

/** Sent in a header, except for the key file of a service account, which only signs the token that is sent. */
export const secret = z
  .string()
  .trim()
  .max(20_000)
  .overwrite((text) => keptKeyFile(text) ?? text)
  .max(8_000)
  .regex(/^(?:\{.*|[!-~]*)$/, 'must be printable ASCII without spaces')
  .refine(
    (text) => !text.startsWith('{') || googleAccountOf(text) !== null,
    'must be the whole key file of a service account, as it was downloaded',
  );

const channelFields = {
  name: words,
  provider: z
    .string()
    .min(1)
    .max(64)
    .regex(/^[a-z0-9][a-z0-9._-]*$/, 'must contain only lowercase letters, digits and . _ -'),
  kind: z.enum(channelKinds),
  base_url: baseUrl,
  credential: secret,
  priority: z.number().int().min(0).max(1_000),
  weight: z.number().min(0).max(1_000_000),
  status,
  models: z.array(modelName).max(1_000),
  group: words,
  timeout_ms: z.number().int().min(1_000).max(600_000),
};

export const channelChange = z.object(channelFields).partial();

/** Either `{preset, credential}`, or a custom channel with name, kind and base_url. */
export const channelCreate = channelChange.extend({
  preset: z.string().max(64).optional().describe('Id of a preset, which fills in the models and all fields not given'),
});

const providerModelFields = {
  model_id: modelName,
  channel_id: z.number().int().min(1),
  model_name: modelName,
  type: z.enum(modelTypes),
  prompt_price: price,
  completion_price: price,
  request_price: price,
  prices: prices.describe('All prices, including prompt_price, completion_price and request_price'),
  context_length: count,
  max_output_tokens: count,
  status,
  quality_score: z.number().min(0).max(1),
  capabilities: z
    .record(z.string(), z.unknown())
    .refine((value) => JSON.stringify(value).length <= 16_384, 'must be at most 16 KiB'),
};

export const providerModelChange = z.object(providerModelFields).partial();
export const providerModelCreate = providerModelChange.required({ model_id: true, channel_id: true });

const { status: state, prompt_price, completion_price, request_price } = providerModelFields;
export const modelsChange = z.strictObject({
  models: z
    .array(
      z
        .strictObject({ status: state, prompt_price, completion_price, request_price })
        .partial()
        .extend({ id: z.int().min(1).max(Number.MAX_SAFE_INTEGER) }),
    )
    .min(1)
    .max(500),
});

export const providerModelQuery = pageQuery.extend({
  channel_id: idText.optional(),
  model_id: modelName.optional(),
  type: z.enum(modelTypes).optional(),
});

export const channelView = z.object({
  id: z.number(),
  name: z.string(),
  provider: z.string(),
  kind: z.enum(channelKinds),
  base_url: z.string(),
  has_credential: z.boolean(),
  credential_hint: z
    .string()
    .nullable()
    .describe('Last four characters; null if it is too short, absent or unreadable'),
  priority: z.number(),
  weight: z.number(),
  status,
  models: z.array(z.string()),
  group: z.string(),
  timeout_ms: z.number(),
  created_at: z.number(),
  updated_at: z.number(),
});
export const providerModelView = z.object({
  ...providerModelFields,
  id: z.number(),
  created_at: z.number(),
  updated_at: z.number(),
});

const presetView = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.enum(channelKinds),
  base_url: z.string(),
  env: z.string(),
  needs_key: z.boolean(),
  key_url: z.string(),
  key_prefixes: z.array(z.string()).describe('Prefixes of its keys, if no other vendor uses them'),
  models: z.array(z.object({ model_id: z.string(), name: z.string(), type: z.enum(modelTypes) })),
});

export const answers = {
  channel: answered(channelView),
  channels: listed({
    channels: z.array(channelView),
    built_in: z.object({ mode: z.enum(['auto', 'on', 'off']), active: z.boolean() }),
  }),
  providerModel: answered(providerModelView),
  providerModels: listed({ provider_models: z.array(providerModelView) }),
  presets: answered(z.object({ presets: z.array(presetView) })),
  done: answered(z.object({ id: z.number() })),
};
