import { table } from '../../lib/table.ts';
import { vendors } from '../../lib/vendors/table.ts';
import { priceOf } from '../../routing/catalog/price-list.ts';
import { compatibleAt, type Place, vendorNamed, withPath } from '../place.ts';
import type { Params } from './config.ts';

/** LiteLLM's names of vendors that are named differently here. */
const renamed = table<string>({
  ...{ azure_ai: 'azure', vertex_ai: 'vertex', ollama_chat: 'ollama', together_ai: 'together' },
  ...{ fireworks_ai: 'fireworks', cohere_chat: 'cohere', jina_ai: 'jina', nvidia_nim: 'nvidia' },
  ...{ 'text-completion-openai': 'openai', custom_openai: 'openai', bedrock_converse: 'bedrock' },
});

/** API paths of vendors whose address is given without one. */
const paths = table<string>({ azure: '/openai/v1', anthropic: '/v1', gemini: '/v1beta', ollama: '/v1' });

/** A deployment's vendor and model; null if only LiteLLM's own model list could tell. */
export function vendorAndModel({ model, custom_llm_provider }: Params): { vendor: string; model: string } | null {
  const slash = model.indexOf('/');
  const prefix = custom_llm_provider ?? (slash > 0 ? model.slice(0, slash) : '');
  const name = model.startsWith(`${prefix}/`) ? model.slice(prefix.length + 1) : model;
  if (prefix === '') {
    const known = vendors.find(({ id }) => priceOf(id, name)) ?? vendors.find(({ id }) => id === byBeginning(name));
    return known ? { vendor: known.id, model: name } : null;
  }
  const vendor = renamed[prefix] ?? prefix;
  if (vendor === 'cohere' && /rerank/.test(name)) return { vendor: 'cohere-rerank', model: name };
  // `bedrock/converse/…` and `bedrock/eu-central-1/…` name API and region before the model.
  return { vendor, model: vendor === 'bedrock' ? name.replace(/^(converse|invoke|[a-z]{2}-[a-z]+-\d)\//, '') : name };
}

/** Models newer than this version's list, by their vendors' naming. */
const beginnings: [RegExp, string][] = [
  [/^(gpt-|o\d|chatgpt-|text-embedding-|dall-e|whisper|tts-)/, 'openai'],
  [/^claude-/, 'anthropic'],
  [/^((us|eu|apac|global)\.)?(amazon|anthropic|meta|mistral|cohere|ai21)\./, 'bedrock'],
];
const byBeginning = (name: string): string | undefined => beginnings.find(([form]) => form.test(name))?.[1];

/** Null for an unknown vendor without an address. */
export function placeIn(vendor: string, params: Params, address: string | null): Place | null {
  const row = vendorNamed(vendor);
  if (row?.kind === 'bedrock') {
    const region = params.aws_region_name ?? /([a-z]{2}-[a-z]+-\d)\//.exec(params.model)?.[1];
    const baseUrl = address ?? (region ? `https://bedrock-runtime.${region}.amazonaws.com` : row.baseUrl);
    return { provider: row.id, kind: row.kind, baseUrl };
  }
  if (row?.kind === 'vertex') {
    const region = params.vertex_location;
    const own = region && region !== 'global' ? `https://${region}-aiplatform.googleapis.com/v1` : row.baseUrl;
    return { provider: row.id, kind: row.kind, baseUrl: address ?? own };
  }
  if (address === null)
    return row && row.baseUrl !== '' ? { provider: row.id, kind: row.kind, baseUrl: row.baseUrl } : null;
  const baseUrl = withPath(address, paths[vendor] ?? '');
  if (row && (row.kind !== 'openai' || row.hosts.length === 0 || row.id === 'azure'))
    return { provider: row.id, kind: row.kind, baseUrl };
  return compatibleAt(baseUrl);
}
