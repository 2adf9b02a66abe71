import { z } from 'zod';

/*
 * The part of LiteLLM's `config.yaml` that is read. Other members are kept for reporting: a deployment's `params` are
 * whatever its vendor's client accepts.
 */

const text = z.union([z.string(), z.number()]).transform(String).nullish();
/** Python reads `20_000` as a number. */
const number = z.preprocess(
  (value) => (typeof value === 'string' ? Number(value.replaceAll('_', '')) : value),
  z.number().nullish(),
);
const price = z.preprocess((value) => (typeof value === 'string' ? Number(value) : value), z.number().min(0).nullish());

/** USD per token, or per unit where the name does not say. */
const costs = {
  input_cost_per_token: price,
  output_cost_per_token: price,
  cache_read_input_token_cost: price,
  cache_creation_input_token_cost: price,
  cache_creation_input_token_cost_above_1hr: price,
  output_cost_per_reasoning_token: price,
  input_cost_per_audio_token: price,
  output_cost_per_audio_token: price,
  input_cost_per_query: price,
  input_cost_per_second: price,
  output_cost_per_second: price,
  output_cost_per_image: price,
};
export const costNames = Object.keys(costs) as (keyof typeof costs)[];
export type Costs = { [name in keyof typeof costs]?: number };

export const paramsRule = z.looseObject({
  model: z.string().min(1),
  custom_llm_provider: text,
  api_key: text,
  api_base: text,
  base_url: text,
  rpm: number,
  tpm: number,
  weight: number,
  order: number,
  timeout: number,
  aws_access_key_id: text,
  aws_secret_access_key: text,
  aws_region_name: text,
  vertex_location: text,
  vertex_credentials: z.unknown().optional(),
  ...costs,
});
export type Params = z.infer<typeof paramsRule>;

export const deploymentRule = z.looseObject({
  model_name: z.union([z.string(), z.number()]).transform(String),
  litellm_params: paramsRule,
  model_info: z
    .looseObject({
      mode: text,
      base_model: text,
      max_input_tokens: number,
      max_output_tokens: number,
      ...costs,
    })
    .nullish(),
  rpm: number,
  tpm: number,
});
export type Deployment = z.infer<typeof deploymentRule>;

/** `[{gpt-4o: [claude, …]}, …]` */
const fallbacks = z.array(z.record(z.string(), z.array(z.string()))).nullish();
const alias = z.union([z.string(), z.looseObject({ model: z.string() }).transform(({ model }) => model)]);

export const configRule = z.looseObject({
  /** Parsed one by one, so that an invalid entry does not block the others. */
  model_list: z.array(z.unknown()).nullish(),
  /** Keys and addresses that deployments refer to by `litellm_credential_name`. */
  credential_list: z
    .array(z.looseObject({ credential_name: z.string(), credential_values: z.record(z.string(), z.unknown()) }))
    .nullish(),
  router_settings: z.looseObject({ fallbacks, model_group_alias: z.record(z.string(), alias).nullish() }).nullish(),
  litellm_settings: z.looseObject({ fallbacks }).nullish(),
  general_settings: z.looseObject({ master_key: text }).nullish(),
  environment_variables: z.record(z.string(), text).nullish(),
});
export type LitellmConfig = z.infer<typeof configRule>;
