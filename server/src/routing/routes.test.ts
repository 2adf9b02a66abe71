import { beforeAll, describe, expect, test } from 'bun:test';
import { AppError } from '../lib/errors.ts';
import { type HttpDeps, mountRoutes } from '../platform/http/mount.ts';
import type { Router } from '../platform/http/router.ts';
import { candidateOf } from './candidate.fixture.ts';
import { inMemory } from './db.fixture.ts';
import { routingRoutes } from './routes.ts';
import { catalogOf, failure, requestOf, routingWith, success } from './routing.fixture.ts';

const users: Record<string, { id: number; role: number; group: string }> = {
  ann: { id: 7, role: 1, group: 'default' },
  bob: { id: 8, role: 1, group: 'vip' },
  root: { id: 1, role: 100, group: 'default' },
};

const principalOf = (request: Request, role: number) => {
  const user = users[request.headers.get('x-user') ?? ''];
  if (!user) throw new AppError('not_logged_in', 'Log in first.');
  if (user.role < role) throw new AppError('forbidden', 'Administrators only.');
  return { user, sessionId: 1, administers: user.role >= 10 };
};

const candidates = [
  candidateOf(1, { price: [1, 1] }),
  candidateOf(2, { price: [2, 2] }),
  candidateOf(3, { modelId: 'acme/small', channel: { group: 'vip' } }),
];

let router: Router;
let routing: Awaited<ReturnType<typeof routingWith>>['routing'];

beforeAll(async () => {
  const { db } = await inMemory();
  ({ routing } = await routingWith(db, { catalog: catalogOf(candidates) }));
  // Only what mounting needs: callers are named by a header, without limits or metrics.
  const deps = {
    authenticators: {
      session: ({ request }: { request: Request }) => principalOf(request, 1),
      admin: ({ request }: { request: Request }) => principalOf(request, 10),
    },
    recordAct: async () => {},
    limiter: { enabled: () => false, limitOf: () => 0 },
    log: { error: console.error, warn: () => {}, info: () => {} },
    metrics: { histogram: () => () => {}, counter: () => () => {} },
    trustedProxies: [],
    headers: { api: {} },
    accessLog: () => false,
  } as unknown as HttpDeps;
  const unlimited = routingRoutes(routing).map((route) => ({ ...route, limit: null }));
  router = mountRoutes(unlimited, deps);
});

async function call(user: string, method: string, path: string, body?: unknown) {
  const request = new Request(`http://localhost/api/routing/${path}`, {
    method,
    headers: { 'x-user': user, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const response = await router.fetch(request);
  // The shape of each answer is what the test looks at.
  // biome-ignore lint/suspicious/noExplicitAny: JSON of the answer
  return { status: response.status, body: (await response.json()) as any };
}

describe('preferences', () => {
  const none = {
    default_strategy: null,
    preferred_providers: [],
    blocked_providers: [],
    max_price: null,
    min_success_rate: null,
    max_latency_ms: null,
  };

  test('users read and partly update their own preferences, which are empty at first', async () => {
    expect((await call('ann', 'GET', 'preferences')).body).toEqual({ success: true, data: none });
    const changed = { ...none, default_strategy: 'cost', preferred_providers: ['p1'], max_price: 3 };
    const put = await call('ann', 'PUT', 'preferences', {
      default_strategy: 'cost',
      preferred_providers: ['p1', 'p1'],
      max_price: 3,
    });
    expect(put).toEqual({ status: 200, body: { success: true, data: changed } });
    await call('ann', 'PUT', 'preferences', { max_latency_ms: 800 });
    expect((await call('ann', 'GET', 'preferences')).body.data).toEqual({ ...changed, max_latency_ms: 800 });
    expect((await call('bob', 'GET', 'preferences')).body.data).toEqual(none);
    expect((await call('nobody', 'GET', 'preferences')).status).toBe(401);
  });

  test.each([
    { default_strategy: 'fastest' },
    { max_price: -0.01 },
    { max_price: '3' },
    { min_success_rate: 1.1 },
    { max_latency_ms: 0 },
    { max_latency_ms: 1.5 },
    { preferred_providers: 'p1' },
    { preferred_providers: ['p1', 'nobody'] },
    { blocked_providers: ['nobody'], max_price: 1 },
    { blocked_providers: null },
    [],
  ])('%j returns 400 and changes nothing', async (body) => {
    const before = (await call('ann', 'GET', 'preferences')).body;
    const answer = await call('ann', 'PUT', 'preferences', body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ success: false, message: expect.any(String) });
    expect((await call('ann', 'GET', 'preferences')).body).toEqual(before);
  });
});

describe('configs', () => {
  test('configs are readable by all, writable by administrators, and accept model ids with a slash', async () => {
    const defaults = {
      canonical_model_id: 'acme/large',
      latency_weight: 0.3,
      success_rate_weight: 0.4,
      price_weight: 0.2,
      provider_priority_weight: 0.1,
      default_strategy: null,
      configured: false,
    };
    expect((await call('ann', 'GET', 'configs/acme/large')).body.data).toEqual(defaults);
    expect((await call('ann', 'PUT', 'configs/acme/large', { price_weight: 1 })).status).toBe(403);
    const put = await call('root', 'PUT', 'configs/acme%2Flarge', { price_weight: 1, default_strategy: 'cost' });
    const changed = { ...defaults, price_weight: 1, default_strategy: 'cost', configured: true };
    expect(put.body.data).toEqual(changed);
    expect((await call('ann', 'GET', 'configs?page=0&page_size=500')).body.data).toEqual({
      configs: [changed],
      total: 1,
      page: 1,
      page_size: 100,
    });
    expect((await call('ann', 'DELETE', 'configs/acme/large')).status).toBe(403);
    expect((await call('root', 'DELETE', 'configs/acme/large')).body.data).toEqual(defaults);
    expect((await call('root', 'DELETE', 'configs/acme/large')).status).toBe(404);
  });

  test('invalid input changes nothing', async () => {
    const zero = { latency_weight: 0, success_rate_weight: 0, price_weight: 0, provider_priority_weight: 0 };
    for (const body of [zero, { price_weight: -1 }, { price_weight: 'a' }, { default_strategy: 'best' }]) {
      expect((await call('root', 'PUT', 'configs/acme/large', body)).status).toBe(400);
    }
    expect((await call('root', 'PUT', 'configs/no/such', { price_weight: 1 })).status).toBe(404);
    expect((await call('ann', 'GET', 'configs/no/such')).status).toBe(404);
    expect((await call('ann', 'GET', 'configs')).body.data.total).toBe(0);
  });
});

test('metrics list problems first, only what the caller’s group can use, with defaults for unmeasured providers', async () => {
  for (let i = 0; i < 5; i++) {
    const plan = await routing.plan(requestOf({ userId: 99, override: { only: ['p2'] } }));
    plan.next()!.report(failure());
  }
  const plan = await routing.plan(requestOf({ userId: 99, override: { only: ['p1'] } }));
  plan.next()!.report(success({ latencyMs: 200, ttftMs: 50 }));
  await routing.cycle();
  const { body } = await call('ann', 'GET', 'metrics');
  expect(body.data).toMatchObject({ total: 2, page: 1, page_size: 20 });
  expect(body.data.metrics[0]).toMatchObject({
    provider: 'p2',
    model_id: 'acme/large',
    channel_id: 2,
    circuit_state: 'open',
    success_rate_last_hour: 0,
    avg_latency_ms: 1000,
    requests_last_hour: 5,
  });
  expect(body.data.metrics[1]).toMatchObject({
    provider: 'p1',
    circuit_state: 'closed',
    total_requests: 1,
    prompt_tokens: 5,
    completion_tokens: 7,
    success_rate_last_hour: 1,
    avg_latency_ms: 200,
    tokens_per_second: 35,
  });
  expect(Math.abs(body.data.metrics[1].p95_ttft_ms - 50)).toBeLessThan(3);
  expect((await call('bob', 'GET', 'metrics?model_id=acme/small')).body.data.metrics).toMatchObject([
    { provider: 'p3', success_rate_last_hour: 1, avg_latency_ms: 1000, p50_latency_ms: null, circuit_changed_at: null },
  ]);
  for (const filter of ['', '?model_id=&provider='])
    expect((await call('root', 'GET', `metrics${filter}`)).body.data.total).toBe(3);
  // It has fewer requests than the others and a closed circuit, but all of them failed, so it is listed first.
  const small = await routing.plan(requestOf({ userId: 99, group: 'vip', modelId: 'acme/small' }));
  small.next()!.report(failure());
  for (let i = 0; i < 3; i++)
    (await routing.plan(requestOf({ userId: 99, override: { only: ['p1'] } }))).next()!.report(success());
  await routing.cycle();
  const all = (await call('root', 'GET', 'metrics')).body.data.metrics as Record<string, unknown>[];
  expect(all.map(({ provider, circuit_state }) => [provider, circuit_state])).toEqual([
    ['p2', 'open'],
    ['p3', 'closed'],
    ['p1', 'closed'],
  ]);
});

test('decisions: users see their own immediately, administrators see all, filtered and paged', async () => {
  for (const [requestId, userId] of [
    ['req_a', 7],
    ['req_b', 8],
    ['req_c', 7],
  ] as const) {
    const plan = await routing.plan(requestOf({ requestId, userId, override: { only: ['p1'] } }));
    plan.next()!.report(success());
    plan.close();
  }
  const own = await call('ann', 'GET', 'decisions?user_id=8');
  expect(own.body.data.decisions.map((one: { request_id: string }) => one.request_id)).toEqual(['req_c', 'req_a']);
  expect(own.body.data.decisions[0]).toMatchObject({
    user_id: 7,
    model_id: 'acme/large',
    selected_provider: 'p1',
    selected_channel: 1,
    routing_strategy: 'cost',
    routing_reason: 'p1 is the only provider left',
    outcome: 'success',
    candidates: [
      { provider: 'p1', rank: 1, dropped: null, preferred: true },
      { provider: 'p2', rank: null, dropped: 'not_in_only' },
    ],
    attempts: [{ provider: 'p1', outcome: 'success' }],
  });
  expect((await call('ann', 'GET', 'decisions?request_id=req_b')).body.data.total).toBe(0);
  expect((await call('root', 'GET', 'decisions?request_id=req_b')).body.data.total).toBe(1);
  expect((await call('root', 'GET', 'decisions?user_id=7&page=2&page_size=1')).body.data).toMatchObject({
    total: 2,
    page: 2,
    decisions: [{ request_id: 'req_a' }],
  });
  expect((await call('root', 'GET', 'decisions?model_id=no/such&page=99999999')).body.data.decisions).toEqual([]);
});
