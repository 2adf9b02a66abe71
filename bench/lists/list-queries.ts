import { cursorOf } from '../../server/src/platform/http/cursor.ts';
import { type Amounts, yearSeconds } from './amounts.ts';

/** A list with its filters. */
export interface ListQuery {
  path: string;
  query: string;
  /** Requested with the API key instead of the session. */
  byKey?: boolean;
  /** Only measured until the first bytes, because the full response is unbounded. */
  begins?: boolean;
}

const list = (path: string, queries: string[], byKey?: boolean): ListQuery[] =>
  ['', ...queries].map((query) => ({ path, query, ...(byKey && { byKey }), begins: query.includes('format=csv') }));

const day = 86_400;

/** Every list with every filter: with many matches, with few, and with none. */
export function listQueriesOf({ now, users, usage: entries, credits, audit }: Amounts): ListQuery[] {
  const middle = (...places: number[]) => `cursor=${cursorOf([now - yearSeconds / 2, ...places.map(Math.floor)])}`;
  const week = `from=${now - 20 * day}&to=${now - 13 * day}`;
  const usage = [
    'model=model-4',
    'model=rare',
    'model=none',
    'token_id=1',
    'token_id=1&model=rare',
    week,
    `${week}&model=model-4`,
    `to=${now - 300 * day}`,
    'parent_request_id=none',
    'cursor',
    middle(entries / 2),
    'format=csv',
  ];
  const ofUsers = [`user_id=${users}`, `user_id=${users}&model=model-4`, 'user_id=1&model=rare'];
  const year = `from=${now - 360 * day}`;
  const sums = ['group_by=model', 'group_by=token', 'model=model-4', 'token_id=1', year, `${year}&group_by=model`];
  const requests = [
    ...usage.filter((query) => !/cursor|format/.test(query)),
    ...['status=answered', 'status=incomplete', 'status=failed', 'status=429', 'status=incomplete&model=rare'],
    middle(0, entries / 2),
  ];
  const ledger = ['cursor', middle(entries / 2, credits / 2)];
  return [
    ...list('/api/usage/logs', usage),
    ...list('/api/admin/usage/logs', [...usage, ...ofUsers]),
    ...list('/api/requests', requests),
    ...list('/api/admin/requests', [...requests, ...ofUsers]),
    ...list('/api/usage/summary', sums),
    ...list('/api/admin/usage/summary', [...sums, 'user_id=1']),
    ...list('/api/admin/overview', [
      'by=user',
      'by=channel',
      'model=model-4',
      'by=user&model=rare',
      'user_id=1',
      `${week}&by=user`,
    ]),
    ...list('/api/ledger', ledger),
    ...list('/api/admin/ledger', [...ledger, 'user_id=1', `user_id=${users}`]),
    ...list('/api/admin/users', ['q=user', 'q=user-4', 'q=none', 'q=zz', 'ids=1,2,3']),
    ...list('/api/admin/audit', [
      'action=login',
      'action=app_suspended',
      'action=none',
      'actor=user-4',
      'actor=root',
      'actor=none',
      'target=1',
      'target=App',
      'target=needle',
      'target=nothing',
      week,
      'cursor',
      middle(audit / 2),
      'format=csv',
    ]),
    ...list('/api/oauth2/admin/audit', [
      'event_type=token_issued',
      'event_type=app_suspended',
      'application_id=5',
      `user_id=${users}`,
      'user_id=1',
      week,
      'cursor',
      middle(audit / 2),
      'format=csv',
    ]),
    ...list('/api/oauth2/admin/applications', ['q=App', 'q=needle', 'q=nothing', 'q=user-4', 'status=1', 'status=2']),
    ...list('/api/oauth2/applications', []),
    ...list('/api/oauth2/consents', []),
    ...list('/api/routing/decisions', [
      'user_id=1',
      `user_id=${users}`,
      'model_id=model-4',
      'model_id=rare',
      'model_id=none',
      'user_id=1&model_id=rare',
      'user_id=1&model_id=none',
      'request_id=grown-7',
      'parent_request_id=none',
    ]),
    ...list('/api/routing/metrics', ['model_id=model-4', 'provider=none']),
    ...list('/api/routing/configs', []),
    ...list('/api/admin/channels', []),
    ...list('/api/admin/provider-models', ['type=chat', 'model_id=demo/chat']),
    ...list('/api/tokens', []),
    ...list('/api/user/sessions', []),
    ...list('/api/svc-ms/sessions', ['tag=home', 'tag=work', 'tag=none']),
    ...list('/api/svc-ms/sessions/grown-10/history', []),
    ...list('/api/svc-ms/knowledge', ['category=fact', 'category=preference', 'category=none']),
    ...list('/api/svc-ms/autonomous', ['status=completed', 'status=failed', 'status=running']),
    ...list('/api/svc-ms/autonomous/grown-20/checkpoints', []),
    ...list('/api/svc-ms/autonomous/grown-20/timeline', []),
    ...list('/api/svc-ms/knowledge/sources', []),
    ...list('/api/svc-ms/patterns', []),
    ...list('/api/admin/options', []),
    ...list('/api/mcp/servers', []),
    ...list('/api/mcp/tools', []),
    ...list('/v1/files', ['limit=20', 'limit=20&purpose=vision', 'limit=20&purpose=none', 'limit=20&order=asc'], true),
    ...list('/v1/batches', [], true),
    ...list('/v1/messages/batches', [], true),
    ...list('/v1/responses/{response_id}/input_items', [], true),
    ...list('/v1/conversations/{conversation_id}/items', [], true),
    ...list('/v1/videos', ['limit=20', 'limit=20&order=asc'], true),
    ...list('/v1/videos/models', [], true),
    ...list('/v1/models', [], true),
    ...list('/v1beta/models', [], true),
    { path: '/api/user/self/export', query: '', begins: true },
  ];
}
