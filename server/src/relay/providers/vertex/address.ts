import { googleAccountOf } from '../../../lib/google-account.ts';
import { trimEndOf } from '../../../lib/trim-end.ts';
import type { Json } from '../../wire/conversation.ts';
import { jsonHeaders, type Target, type UpstreamRequest } from '../kind.ts';

/**
 * The base path of a channel's models: the address itself if it names a project. Otherwise the service account's
 * project, in the host's region; an API key implies its project.
 */
export function placeOf({ baseUrl, credential }: Target): string {
  const base = trimEndOf(baseUrl, '/');
  if (base.includes('/projects/')) return base;
  const versioned = /\/v\d\w*$/.test(base) ? base : `${base}/v1`;
  const account = googleAccountOf(credential);
  return account ? `${versioned}/projects/${account.projectId}/locations/${regionOf(baseUrl)}` : versioned;
}

/** `europe-west4-aiplatform.googleapis.com` and `aiplatform.eu.rep.googleapis.com` name a region; others do not. */
export function regionOf(baseUrl: string): string {
  const found = /^(?:(.+)-aiplatform|aiplatform\.(\w+)\.rep)\./.exec(new URL(baseUrl).hostname);
  return found?.[1] ?? found?.[2] ?? 'global';
}

/** Versions follow an at sign (`claude-sonnet-4-5@20250929`), which is not escaped. */
export const modelAt = (target: Target, publisher: string, name = target.modelName): string =>
  `${placeOf(target)}/publishers/${publisher}/models/${encodeURIComponent(name).replaceAll('%40', '@')}`;

/** Authenticated as the credential's service account, or by API key. `body`: text if it is serialized already. */
export function asked(target: Target, url: string, body?: Json | string): UpstreamRequest {
  const { credential } = target;
  const request: Pick<UpstreamRequest, 'url' | 'method' | 'body'> =
    body === undefined
      ? { url, method: 'GET' }
      : { url, method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) };
  return googleAccountOf(credential)
    ? { ...request, headers: jsonHeaders, proof: { by: 'google', credential } }
    : { ...request, headers: { ...jsonHeaders, 'x-goog-api-key': credential } };
}

export const asStream = (request: UpstreamRequest, stream: boolean): UpstreamRequest =>
  stream ? { ...request, headers: { ...request.headers, accept: 'text/event-stream' } } : request;
