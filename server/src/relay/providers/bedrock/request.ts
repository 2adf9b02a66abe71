import { withoutTrailing } from '../../../lib/trailing.ts';
import type { Json } from '../../wire/conversation.ts';
import { jsonHeaders, type Target, type UpstreamRequest } from '../kind.ts';

/** Hosts of Bedrock's own, with what stands before the region and what after it. */
const awsHost = /(?:^|\.)bedrock-runtime(-fips)?\.([a-z0-9-]+)\.(?:vpce\.)?(amazonaws\.com(?:\.cn)?|api\.aws)$/;

/** Taken for hosts that do not name theirs. */
const usualRegion = 'us-east-1';

function placeOf(baseUrl: string): { region: string; controlUrl: string } {
  const base = withoutTrailing(baseUrl, '/');
  const [, fips = '', region, domain] = awsHost.exec(URL.parse(base)?.hostname ?? '') ?? [];
  // Models are listed elsewhere than they are asked; who stands in between is taken to speak for both.
  return region === undefined
    ? { region: usualRegion, controlUrl: base }
    : { region, controlUrl: `https://bedrock${fips}.${region}.${domain}` };
}

/** An API key of Bedrock's goes in a header; with an access key, known by its colon, each request is signed. */
function admission({ credential, baseUrl }: Target): Pick<UpstreamRequest, 'headers' | 'proof'> {
  if (!credential.includes(':')) return { headers: { ...jsonHeaders, authorization: `Bearer ${credential}` } };
  const { region } = placeOf(baseUrl);
  return { headers: jsonHeaders, proof: { by: 'aws', credential, service: 'bedrock', region } };
}

/** Ids have colons and ARNs slashes, which belong to the name and not to the path. */
const modelPath = ({ modelName }: Target, act: string): string => `/model/${encodeURIComponent(modelName)}/${act}`;

export function askModel(target: Target, act: string, body: Json): UpstreamRequest {
  const { headers, ...proof } = admission(target);
  return {
    url: withoutTrailing(target.baseUrl, '/') + modelPath(target, act),
    method: 'POST',
    headers: act.endsWith('-stream') ? { ...headers, accept: 'application/vnd.amazon.eventstream' } : headers,
    ...proof,
    body: JSON.stringify(body),
  };
}

export const askControl = (target: Target, path: string): UpstreamRequest => ({
  url: placeOf(target.baseUrl).controlUrl + path,
  method: 'GET',
  ...admission(target),
});
