import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { ApiError, errorOf, forShownUser, provenSince, type Result } from '../../api.ts';
import { t } from '../../language/words.ts';
import { queryClient } from '../../session.ts';

export type VideoModel = Result<'/v1/videos/models', 'get'>[number];
/** Page numbers imply our own format. */
export type VideoJob = Extract<Result<'/v1/videos', 'get'>[number], { duration: number }>;
export type CallbackSecret = Result<'/v1/videos/callback-secret', 'get'>;
export type VideoStatus = VideoJob['status'];

interface JobPage {
  data: VideoJob[];
  total: number;
}

/**
 * The header tells the service that the request comes from a page, so that it authenticates by session instead of by
 * API key.
 */
async function send<T>(
  method: string,
  path: string,
  body?: object,
  signal?: AbortSignal,
  idempotencyKey?: string,
): Promise<T> {
  const headers: Record<string, string> = { 'x-svc-web': '1', ...forShownUser() };
  if (idempotencyKey) headers['Idempotency-Key'] = idempotencyKey;
  if (method !== 'GET') headers['Content-Type'] = 'application/json';
  const response = await fetch(path, { method, headers, body: body && JSON.stringify(body), signal }).catch((cause) => {
    if (signal?.aborted) throw cause;
    throw new ApiError(0, t('The server could not be reached. Check the connection and try again.'), null);
  });
  if (response.ok) return (await response.json()) as T;
  const refusal = await response.json().catch(() => null);
  if (await provenSince(response.status, refusal)) return send(method, path, body, signal, idempotencyKey);
  throw await errorOf(response, refusal);
}

export const pageSize = 12;

export const isRunning = (status: VideoStatus): boolean => status === 'pending' || status === 'in_progress';

export const jobsQuery = (page: number) =>
  queryOptions({
    queryKey: ['videos', 'jobs', page],
    queryFn: ({ signal }) => send<JobPage>('GET', `/v1/videos?page=${page}&page_size=${pageSize}`, undefined, signal),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.data.some(({ status }) => isRunning(status)) ? 1_500 : false),
  });

export const videoModelsQuery = queryOptions({
  queryKey: ['videos', 'models'],
  queryFn: async ({ signal }) =>
    (await send<{ data: VideoModel[] }>('GET', '/v1/videos/models', undefined, signal)).data,
  staleTime: 60_000,
});

export const getCallbackSecret = () => send<CallbackSecret>('GET', '/v1/videos/callback-secret');

export const rotateCallbackSecret = (overlap_seconds: number, idempotencyKey: string) =>
  send<CallbackSecret>('POST', '/v1/videos/callback-secret/rotate', { overlap_seconds }, undefined, idempotencyKey);

export const createVideo = (body: object, idempotencyKey: string) =>
  send<{ id: string }>('POST', '/v1/videos', body, undefined, idempotencyKey);
export const cancelVideo = (id: string) => send<{ id: string }>('DELETE', `/v1/videos/${id}`);

export const reloadVideos = () => queryClient.invalidateQueries({ queryKey: ['videos', 'jobs'] });

/** Same origin, so that the browser's player sends the session cookie. */
export const contentAddress = (id: string, index: number): string => `/v1/videos/${id}/content?index=${index}`;
