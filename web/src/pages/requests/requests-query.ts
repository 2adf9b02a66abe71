import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { ApiError, get, type Result } from '../../api.ts';
import { endOf, isDay, startOf } from '../../dates.ts';
import { isWhole, upTo } from '../../filter-values.ts';
import { isAdmin, type User } from '../../session.ts';
import type { RequestLine } from './request-lines.ts';

/** The search parameters of the URL. */
export const requestsDefaults = {
  status: '',
  model: '',
  key: '',
  /** For administrators: a user id, `me`, or empty for all users. */
  user: '',
  parent: '',
  from: '',
  to: '',
  cursor: '',
};
/** Made by the service; of another list it would be refused. */
const isCursor = (text: string) => /^[\w-]{1,64}$/.test(text);
const isStatus = (text: string) => /^(answered|incomplete|failed|[45]\d\d)$/.test(text);
export const requestsFits = {
  status: isStatus,
  model: upTo(256),
  key: isWhole,
  user: (text: string) => text === 'me' || isWhole(text),
  parent: upTo(256),
  from: isDay,
  to: isDay,
  cursor: isCursor,
};
export type RequestsState = typeof requestsDefaults;

type Viewer = Pick<User, 'id' | 'role'>;
const pageSize = 25;

/** Ignores invalid values, so that a manually edited URL shows everything instead of an error. */
const whole = (text: string): number | undefined => (isWhole(text) ? Number(text) : undefined);

/** The filter as query parameters of the API. */
export function queryOf(state: RequestsState) {
  const [from, to] = [startOf(state.from), endOf(state.to)];
  return {
    page_size: pageSize,
    ...(isStatus(state.status) && { status: state.status }),
    ...(state.model && { model: state.model.slice(0, 256) }),
    token_id: whole(state.key),
    ...(state.parent && { parent_request_id: state.parent.slice(0, 256) }),
    ...(from !== undefined && to !== undefined && from > to ? { from: startOf(state.to), to } : { from, to }),
    ...(state.cursor && { cursor: state.cursor }),
  };
}

/** The user whose requests an administrator looks at; undefined for all users. */
export const userIdOf = (viewer: Viewer, user: string): number | undefined => (user === 'me' ? viewer.id : whole(user));

export const requestsQuery = (viewer: Viewer, state: RequestsState) =>
  queryOptions({
    queryKey: ['requests', isAdmin(viewer), state],
    queryFn: async ({ signal }): Promise<{ requests: RequestLine[]; next_cursor: string | null }> => {
      const query = queryOf(state);
      if (!isAdmin(viewer)) return get('/api/requests', { query, signal });
      return get('/api/admin/requests', { query: { ...query, user_id: userIdOf(viewer, state.user) }, signal });
    },
    placeholderData: keepPreviousData,
  });

type Own = Result<'/api/requests/{id}', 'get'>;
type Anybody = Result<'/api/admin/requests/{id}', 'get'>;
type Failure = NonNullable<Own['failure']> & Partial<NonNullable<Anybody['failure']>>;

/** The upstream's answer and the user's name are only present for administrators. */
export type RequestDetail = Omit<Own, 'failure'> & Partial<Pick<Anybody, 'account_name'>> & { failure: Failure | null };

/** Null if the request is unknown. */
export const requestQuery = (viewer: Viewer, id: string, at: string) =>
  queryOptions({
    queryKey: ['requests', 'one', isAdmin(viewer), id, at],
    queryFn: async ({ signal }): Promise<RequestDetail | null> => {
      const options = { path: { id }, query: { at: whole(at) }, signal };
      try {
        return await (isAdmin(viewer) ? get('/api/admin/requests/{id}', options) : get('/api/requests/{id}', options));
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      }
    },
  });
