import { sha256Hex } from '../../lib/hashing.ts';
import { isObject } from '../../lib/is-object.ts';
import { needsKey } from '../../routing/catalog/presets.ts';
import { pricesOf } from '../../routing/catalog/price-list.ts';
import type { DiscoveredModel } from '../../routing/catalog/provider-models.ts';
import { sharedGroup } from '../../routing/catalog/snapshot.ts';
import { enabled } from '../../routing/catalog/store/tables.ts';
import { firstFault } from '../first-fault.ts';
import type { ChannelIntake, ModelIntake } from '../imported-data.ts';
import { modelOf } from '../model.ts';
import { type Place, vendorNamed } from '../place.ts';
import { type Deployment, deploymentRule, type LitellmConfig, type Params, paramsRule } from './config.ts';
import { otherCosts, priceIn, typeOf } from './prices.ts';
import { placeIn, vendorAndModel } from './vendors.ts';

/** Resolves a text, or `os.environ/NAME`; undefined if the variable is not set. */
export type Resolve = (text: string) => string | undefined;

/** Why a deployment cannot be imported. */
class Unfit extends Error {}

const resolved = (text: string | null | undefined, what: string, resolve: Resolve): string | null => {
  if (text === null || text === undefined || text === '') return null;
  const value = resolve(text);
  if (value === undefined) throw new Unfit(`the variable of its ${what} (${text}) is not set`);
  return value;
};

/**
 * Deployments with the same address, key and rank become one channel with several models. One with its own limits
 * becomes a separate channel, as limits belong to keys here.
 */
export function channelsOf(config: LitellmConfig, resolve: Resolve, notes: string[]): ChannelIntake[] {
  const channels = new Map<string, ChannelIntake>();
  const shared = new Map(config.credential_list?.map((one) => [one.credential_name, one.credential_values]));
  for (const [i, said] of (config.model_list ?? []).entries()) {
    const { data: deployment, error } = deploymentRule.safeParse(withShared(said, shared));
    const what = `model_list[${i}]${deployment ? ` (${deployment.model_name})` : ''}`;
    try {
      if (error) throw new Unfit(firstFault(error));
      const channel = channelOf(deployment, resolve);
      if (!add(channels, channel)) throw new Unfit('it is listed twice');
      noteRest(deployment, channel, (text) => void notes.push(`${what}: ${text}`));
    } catch (error) {
      if (!(error instanceof Unfit)) throw error;
      notes.push(`${what} is skipped: ${error.message}`);
    }
  }
  return numbered([...channels.values()]);
}

/** Channels of one vendor are numbered. */
function numbered(channels: ChannelIntake[]): ChannelIntake[] {
  const seen = new Map<string, number>();
  return channels.map((channel) => {
    const place = (seen.get(channel.name) ?? 0) + 1;
    seen.set(channel.name, place);
    return place === 1 ? channel : { ...channel, name: `${channel.name.slice(0, 58)} ${place}` };
  });
}

function withShared(deployment: unknown, shared: ReadonlyMap<unknown, Record<string, unknown>>): unknown {
  if (!isObject(deployment) || !isObject(deployment.litellm_params)) return deployment;
  const { litellm_credential_name: name, ...params } = deployment.litellm_params;
  const values = shared.get(name);
  return values ? { ...deployment, litellm_params: { ...values, ...params } } : deployment;
}

/**
 * A name that the channel already serves is another deployment, which needs its own channel. False for an exact
 * duplicate.
 */
function add(channels: Map<string, ChannelIntake>, channel: ChannelIntake): boolean {
  for (let again = 1; ; again += 1) {
    const foreignId = again === 1 ? channel.foreignId : `${channel.foreignId} ${again}`;
    const there = channels.get(foreignId);
    const twin = there?.models.find(({ modelId }) => channel.models.some((model) => model.modelId === modelId));
    if (twin && channel.models.every(({ modelName }) => modelName === twin.modelName)) return false;
    if (twin) continue;
    if (there) there.models.push(...channel.models);
    else channels.set(foreignId, { ...channel, foreignId });
    return true;
  }
}

function channelOf(deployment: Deployment, resolve: Resolve): ChannelIntake {
  const { litellm_params: params, model_name } = deployment;
  const found = vendorAndModel(params);
  if (!found) throw new Unfit(`the vendor of model ${params.model} is unknown; write <vendor>/${params.model}`);
  const address = resolved(params.api_base ?? params.base_url, 'api_base', resolve);
  const place = placeIn(found.vendor, params, address);
  if (!place) throw new Unfit(`${found.vendor} requires an api_base of an OpenAI-compatible API`);
  const secret = secretOf(params, place, resolve);
  const [rpm, tpm] = [params.rpm ?? deployment.rpm ?? null, params.tpm ?? deployment.tpm ?? null];
  const { weight, order, timeout } = params;
  const limits = rpm === null && tpm === null ? [] : [rpm, tpm, model_name];
  const identity = [place.provider, place.baseUrl, secret, weight ?? '', order ?? '', timeout ?? '', ...limits];
  const name = vendorNamed(place.provider)?.name ?? place.provider;
  return {
    foreignId: sha256Hex(JSON.stringify(identity)),
    name: limits.length > 0 ? `${name}: ${model_name}`.slice(0, 64) : name,
    ...place,
    credentials:
      secret === '' ? [] : [{ secret, status: enabled, requestsPerMinute: whole(rpm), tokensPerMinute: whole(tpm) }],
    priority: order == null ? 0 : Math.min(Math.max(30 - 10 * Math.round(order), 0), 20),
    weight: weight ?? 1,
    status: enabled,
    group: sharedGroup,
    timeoutMs: timeout == null ? undefined : Math.min(Math.max(Math.round(timeout * 1000), 1_000), 600_000),
    models: modelsOf(deployment, place.provider, found.model),
  };
}

const whole = (limit: number | null): number | null => (limit === null ? null : Math.max(Math.round(limit), 1));

function modelsOf(deployment: Deployment, provider: string, name: string): ModelIntake[] {
  const { model_name: modelId, model_info } = deployment;
  if (modelId.includes('*') || name.includes('*')) return wholeVendor(provider, modelId);
  const listed = model_info?.base_model?.split('/').at(-1) ?? name;
  const price = priceIn(deployment, provider, listed);
  const type = typeOf(deployment);
  const model: DiscoveredModel = {
    name: listed,
    ...(price && { price }),
    ...(type && { type }),
    ...(model_info?.max_input_tokens && { contextLength: model_info.max_input_tokens }),
    ...(model_info?.max_output_tokens && { maxOutputTokens: model_info.max_output_tokens }),
  };
  return [{ ...modelOf(provider, modelId, model), modelName: name }];
}

/** `openai/*` means all models of a vendor: those in our price list, under the names clients use. */
function wholeVendor(provider: string, pattern: string): ModelIntake[] {
  const models = pattern.includes('*') ? pricesOf(provider) : [];
  if (models.length === 0) throw new Unfit(`${pattern} stands for names that cannot be listed here`);
  return models.map(({ capabilities = {}, provider: _, ...model }) => ({
    ...{ ...model, modelId: pattern.replace('*', model.modelName), status: enabled, capabilities },
  }));
}

/** A key may be omitted if LiteLLM knows its variable; most have the same name here. */
function secretOf(params: Params, place: Place, resolve: Resolve): string {
  const vendor = vendorNamed(place.provider);
  if (place.kind === 'vertex' && params.vertex_credentials) {
    const { vertex_credentials: said } = params;
    const file = typeof said === 'string' ? resolved(said, 'vertex_credentials', resolve) : JSON.stringify(said);
    // A path would be sent as if it were a key.
    if (!file?.startsWith('{')) throw new Unfit('its vertex_credentials are not the content of a key file');
    return file;
  }
  const [id, key] = [params.aws_access_key_id, params.aws_secret_access_key];
  if (place.kind === 'bedrock' && id && key)
    return `${resolved(id, 'aws_access_key_id', resolve)}:${resolved(key, 'aws_secret_access_key', resolve)}`;
  const given = resolved(params.api_key, 'api_key', resolve);
  if (given !== null) return given;
  const usual = vendor && needsKey(vendor) ? resolve(`os.environ/${vendor.env}`) : '';
  if (usual === undefined) throw new Unfit(`it has no api_key, and ${vendor!.env} is not set`);
  return usual;
}

/** Azure's API version is no longer needed. */
const taken = new Set([...Object.keys(paramsRule.shape), 'api_version']);

function noteRest(deployment: Deployment, channel: ChannelIntake, note: (text: string) => void): void {
  const costs = otherCosts(deployment);
  const rest = Object.keys(deployment.litellm_params).filter((name) => !taken.has(name) && !costs.includes(name));
  const isLimited = [deployment, deployment.litellm_params].some(({ rpm, tpm }) => rpm != null || tpm != null);
  if (rest.length > 0) note(`not imported: ${rest.join(', ')}`);
  if (isLimited && channel.credentials.length === 0) note('rpm and tpm are not imported: limits are set per key here');
  if (costs.length > 0) note(`prices without a counterpart here: ${costs.join(', ')}`);
}
