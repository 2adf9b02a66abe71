import type { ModelType, ProviderModel } from '../../catalog.ts';
import { t } from '../../language/words.ts';
import {
  hasParts,
  type PartFields,
  partFields,
  partPrices,
  type TierFields,
  tierFault,
  tierFields,
  tierPrices,
} from './part-prices.ts';

type Numbers =
  | 'prompt_price'
  | 'completion_price'
  | 'request_price'
  | 'context_length'
  | 'max_output_tokens'
  | 'quality_score';

export type ModelFields = Record<Numbers, number | string> & {
  model_id: string;
  model_name: string;
  /** The channel's id; empty until one is chosen. */
  channel: string;
  type: ModelType;
  parts: PartFields;
  tiers: TierFields[];
  /** Whether the saved model has part prices: removing them is a change that must be sent. */
  hadParts: boolean;
};

export const emptyModel: ModelFields = {
  model_id: '',
  model_name: '',
  channel: '',
  type: 'chat',
  prompt_price: 0,
  completion_price: 0,
  request_price: 0,
  context_length: 0,
  max_output_tokens: 0,
  quality_score: 1,
  parts: partFields(),
  tiers: [],
  hadParts: false,
};

export function fieldsOf(model: ProviderModel): ModelFields {
  const parts = partFields(model.prices);
  const tiers = (model.prices.tiers ?? []).map(tierFields);
  return { ...plainFields(model), parts, tiers, hadParts: hasParts(parts, tiers) };
}

const plainFields = (model: ProviderModel) => ({
  model_id: model.model_id,
  model_name: model.model_name,
  channel: String(model.channel_id),
  type: model.type,
  prompt_price: model.prompt_price,
  completion_price: model.completion_price,
  request_price: model.request_price,
  context_length: model.context_length,
  max_output_tokens: model.max_output_tokens,
  quality_score: model.quality_score,
});

const numbers: Numbers[] = [
  'prompt_price',
  'completion_price',
  'request_price',
  'context_length',
  'max_output_tokens',
  'quality_score',
];

export type ModelFaults = Partial<Record<keyof ModelFields, string>>;

export function faultsOf(fields: ModelFields): ModelFaults {
  const faults: ModelFaults = {};
  if (!/^\S+$/.test(fields.model_id)) faults.model_id = t('Enter a name without spaces, for example vendor/model.');
  if (/\s/.test(fields.model_name)) faults.model_name = t('Spaces are not allowed.');
  if (fields.channel === '') faults.channel = t('Choose a channel.');
  const tiers = tierFault(fields.tiers);
  if (tiers) faults.tiers = tiers;
  for (const name of numbers) {
    if (fields[name] === '') faults[name] = t('Enter a number.');
    else if (!(Number(fields[name]) >= 0)) faults[name] = t('Enter a number of 0 or more.');
  }
  return faults;
}

/** Whether the model is free for every caller. */
export function isFree({ prompt_price, completion_price, request_price, parts, tiers }: ModelFields): boolean {
  const ofTiers = tiers.flatMap(({ prompt, completion, request }) => [prompt, completion, request]);
  const prices = [prompt_price, completion_price, request_price, ...Object.values(parts), ...ofTiers];
  return prices.every((price) => Number(price) === 0);
}

/** An empty upstream name defaults to the public one. Part prices are sent only if there are or were any. */
export function bodyOf({ channel, parts, tiers, hadParts, ...fields }: ModelFields) {
  const values = Object.fromEntries(numbers.map((name) => [name, Number(fields[name])])) as Record<Numbers, number>;
  const prices = {
    prompt: values.prompt_price,
    completion: values.completion_price,
    request: values.request_price,
    ...partPrices(parts),
    tiers: tiers.map(tierPrices),
  };
  return {
    ...fields,
    ...values,
    ...((hadParts || hasParts(parts, tiers)) && { prices }),
    model_name: fields.model_name || fields.model_id,
    channel_id: Number(channel),
  };
}
