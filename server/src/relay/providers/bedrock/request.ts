import { trimEndOf } from '../../../lib/trim-end.ts';
import type { Json } from '../../wire/conversation.ts';
import { jsonHeaders, type Target, type UpstreamRequest } from '../kind.ts';

/** Bedrock's own hosts, split around the region. */
const awsHost = /(?:^|\.)bedrock-runtime(-fips)?\.([a-z0-9-]+)\.(?:vpce\.)?(amazonaws\.com(?:\.cn)?|api\.aws)$/;

/** For hosts that do not name a region. */
const usualRegion = 'us-east-1';

function placeOf(baseUrl: string): { region: string; controlUrl: string } {
  const base = trimEndOf(baseUrl, '/');
  const [, fips = '', region, domain] = awsHost.exec(URL.parse(base)?.hostname ?? '') ?? [];
  // Models are listed at another host; a proxy is assumed to serve both.
  return region === undefined
    ? { region: usualRegion, controlUrl: base }
    : { region, controlUrl: `https://bedrock${fips}.${region}.${domain}` };
}

/** A Bedrock API key is sent in a header; with an access key, recognised by its colon, each request is signed. */
function admission({ credential, baseUrl }: Target): Pick<UpstreamRequest, 'headers' | 'proof'> {
  if (!credential.includes(':')) return { headers: { ...jsonHeaders, authorization: `Bearer ${credential}` } };
  const { region } = placeOf(baseUrl);
  return { headers: jsonHeaders, proof: { by: 'aws', credential, service: 'bedrock', region } };
}

/** Colons of ids and slashes of ARNs belong to the name, not to the path. */
const modelPath = ({ modelName }: Target, act: string): string => `/model/${encodeURIComponent(modelName)}/${act}`;

export function askModel(target: Target, act: string, body: Json): UpstreamRequest {
  const { headers, ...proof } = admission(target);
  return {
    url: trimEndOf(target.baseUrl, '/') + modelPath(target, act),
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
