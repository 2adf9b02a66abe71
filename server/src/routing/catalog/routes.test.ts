import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { manualClock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { openSealer } from '../../lib/seal.ts';
import { engines } from '../../platform/db/engines.fixture.ts';
import type { OpenDb } from '../../platform/db/open.ts';
import type { Call, Route } from '../../platform/http/route.ts';
import { memoryShared } from '../../platform/shared/memory.ts';
import { type Catalog, openCatalog } from './catalog.ts';
import { catalogRoutes } from './routes.ts';

const sealer = openSealer({ keys: [{ id: 'test', key: new Uint8Array(32).fill(7) }] });
const secret = 'sk-0123456789-topsecret';

interface Answer {
  status: number;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into
  data: any;
  /** The field that the error names. */
  param?: string | undefined;
}

/** Runs a route as the server would: schemas first, then the handler; errors become status and field. */
async function run(routes: Route[], method: string, target: string, body?: unknown): Promise<Answer> {
  const url = new URL(target, 'http://localhost');
  for (const route of routes) {
    const pattern = new RegExp(`^${route.path.replace('{id}', '(?<id>[^/]+)')}$`);
    const match = pattern.exec(url.pathname);
    if (route.method !== method || !match) continue;
    const parts = { body, query: Object.fromEntries(url.searchParams), params: match.groups ?? {} };
    const parsed: Record<string, unknown> = {};
    for (const name of ['params', 'query', 'body'] as const) {
      const result = route[name]?.safeParse(parts[name]);
      if (result?.error) return { status: 400, text: '', data: null, param: String(result.error.issues[0]!.path[0]) };
      parsed[name] = result?.data;
    }
    try {
      const response = await route.handle({ ...parsed, headers: {} } as unknown as Call);
      const text = await response.text();
      return { status: response.status, text, data: (JSON.parse(text) as { data: unknown }).data };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { status: error.status, text: error.message, data: null, param: error.extras.param };
    }
  }
  throw new Error(`no route for ${method} ${target}`);
}

describe.each(engines)('admin routes on $name', (engine) => {
  let opened: OpenDb & { drop(): Promise<void> };
  let catalog: Catalog;
  let call: (method: string, target: string, body?: unknown) => Promise<Answer>;
  beforeAll(async () => {
    opened = await engine.open();
    catalog = await openCatalog({ db: opened.db, shared: memoryShared(), sealer, demo: 'auto', builtIn: [] });
    const routes = catalogRoutes({ db: opened.db, sealer, clock: manualClock(), catalog });
    call = (method, target, body) => run(routes, method, target, body);
  });
  beforeEach(async () => {
    await opened.db.deleteFrom('provider_models').execute();
    await opened.db.deleteFrom('channels').execute();
  });
  afterAll(async () => {
    await catalog.close();
    await opened.drop();
  });

  const counts = async () => [
    (await call('get', '/api/admin/channels')).data.total,
    (await call('get', '/api/admin/provider-models')).data.total,
  ];
  const own = { name: 'Own', kind: 'openai', base_url: 'http://127.0.0.1:8080/v1/' };

  test('a provider is added with one field, and its key appears in no response', async () => {
    const added = await call('post', '/api/admin/channels', { preset: 'openai', credential: secret });
    expect(added.status).toBe(201);
    expect(added.data).toMatchObject({
      ...{
        name: 'OpenAI',
        provider: 'openai',
        kind: 'openai',
        base_url: 'https://api.openai.com/v1',
        group: 'default',
      },
      ...{ has_credential: true, credential_hint: '••••cret', status: 1, timeout_ms: 120_000, models: [] },
    });
    const models = await call('get', `/api/admin/provider-models?channel_id=${added.data.id}&page_size=100`);
    expect(models.data.total).toBeGreaterThan(20);
    const answers = [
      added,
      await call('get', '/api/admin/channels'),
      await call('get', `/api/admin/channels/${added.data.id}`),
    ];
    for (const answer of answers) {
      expect(answer.text).not.toContain('topsecret');
      expect(answer.text).not.toContain('s1.');
    }
    expect(catalog.model('openai/gpt-6-luna', 'default')?.price?.promptPrice).toBe(0.1);
  });

  test('presets list their required fields and their models', async () => {
    const { presets } = (await call('get', '/api/admin/presets')).data;
    const openai = presets.find((preset: { id: string }) => preset.id === 'openai');
    expect(openai).toMatchObject({ needs_key: true, env: 'OPENAI_API_KEY' });
    expect(openai.models[0]).toHaveProperty('model_id');
    expect(await call('post', '/api/admin/channels', { preset: 'nobody', credential: 'x' })).toMatchObject({
      status: 400,
      param: 'preset',
    });
    expect(await call('post', '/api/admin/channels', { preset: 'openai' })).toMatchObject({
      status: 400,
      param: 'credential',
    });
    expect((await call('post', '/api/admin/channels', { preset: 'ollama' })).status).toBe(201);
  });

  test('a channel is created, shown, partly changed, and deleted with its models', async () => {
    const { data, status } = await call('post', '/api/admin/channels', {
      ...own,
      credential: secret,
      models: ['a', 'a', 'b'],
    });
    expect([status, data.base_url, data.models, data.provider]).toEqual([
      201,
      'http://127.0.0.1:8080/v1',
      ['a', 'b'],
      'openai',
    ]);
    const path = `/api/admin/channels/${data.id}`;
    const changed = await call('put', path, { weight: 2.5, priority: 7, group: 'vip' });
    expect(changed.data).toMatchObject({ name: 'Own', weight: 2.5, priority: 7, group: 'vip', has_credential: true });
    expect((await call('put', path, { credential: '' })).data).toMatchObject({
      has_credential: false,
      credential_hint: null,
    });
    await call('post', '/api/admin/provider-models', { model_id: 'acme/a', channel_id: data.id });
    expect(await counts()).toEqual([1, 1]);
    expect((await call('delete', path)).status).toBe(200);
    expect(await counts()).toEqual([0, 0]);
    for (const method of ['get', 'put', 'delete']) expect((await call(method, path, {})).status).toBe(404);
  });

  test('invalid fields are rejected by name, and nothing changes', async () => {
    const { data } = await call('post', '/api/admin/channels', own);
    const wrong: [string, unknown][] = [
      ['name', ''],
      ['name', 'x'.repeat(65)],
      ['name', 'a\u0000b'],
      ['kind', 'azure'],
      ['base_url', 'ftp://host'],
      ['base_url', 'not a url'],
      ['base_url', 'http://user:pass@host/v1'],
      ['base_url', 'http://host/v1#part'],
      ['credential', 'two words'],
      ['priority', -1],
      ['priority', 1.5],
      ['weight', -0.1],
      ['weight', '1'],
      ['status', 3],
      ['models', ['']],
      ['timeout_ms', 999],
      ['timeout_ms', 600_001],
      ['provider', 'Bad Name'],
    ];
    for (const [field, value] of wrong) {
      expect(await call('post', '/api/admin/channels', { ...own, [field]: value })).toMatchObject({
        status: 400,
        param: field,
      });
      expect(await call('put', `/api/admin/channels/${data.id}`, { [field]: value })).toMatchObject({
        status: 400,
        param: field,
      });
    }
    for (const field of ['name', 'kind', 'base_url'] as const) {
      const { [field]: _, ...rest } = own;
      expect(await call('post', '/api/admin/channels', rest)).toMatchObject({ status: 400, param: field });
    }
    expect((await call('get', `/api/admin/channels/${data.id}`)).data).toEqual(data);
    expect(await counts()).toEqual([1, 0]);
  });

  test('a provider model is created, changed and deleted, and unique per channel and model', async () => {
    const channel = (await call('post', '/api/admin/channels', own)).data.id;
    const other = (await call('post', '/api/admin/channels', own)).data.id;
    const path = '/api/admin/provider-models';
    const body = {
      model_id: 'acme/embed-1',
      channel_id: channel,
      prompt_price: 0.02,
      capabilities: { dimensions: 64 },
    };
    const { data, status } = await call('post', path, body);
    expect(status).toBe(201);
    expect(data).toMatchObject({ ...body, type: 'embedding', model_name: 'acme/embed-1', status: 1, quality_score: 1 });
    expect(await call('post', path, body)).toMatchObject({ status: 409, param: 'model_id' });
    const second = (await call('post', path, { ...body, channel_id: other })).data;
    expect(await call('put', `${path}/${second.id}`, { channel_id: channel })).toMatchObject({ status: 409 });
    expect(await call('put', `${path}/${second.id}`, { channel_id: 999_999 })).toMatchObject({
      status: 400,
      param: 'channel_id',
    });
    expect(await call('post', path, { ...body, channel_id: 999_999 })).toMatchObject({
      status: 400,
      param: 'channel_id',
    });
    expect((await call('put', `${path}/${data.id}`, { completion_price: 1, status: 2 })).data).toMatchObject({
      ...{ prompt_price: 0.02, completion_price: 1, status: 2, capabilities: { dimensions: 64 } },
    });
    const wrong: [string, unknown][] = [
      ['prompt_price', -1],
      ['request_price', '1'],
      ['type', 'music'],
      ['quality_score', 1.1],
      ['context_length', 1.5],
      ['model_id', 'a b'],
      ['capabilities', []],
      ['status', 0],
    ];
    for (const [field, value] of wrong) {
      expect(await call('put', `${path}/${data.id}`, { [field]: value })).toMatchObject({ status: 400, param: field });
    }
    expect(await call('post', path, { model_id: 'x' })).toMatchObject({ status: 400, param: 'channel_id' });
    expect((await call('delete', `${path}/${data.id}`)).status).toBe(200);
    for (const method of ['put', 'delete']) expect((await call(method, `${path}/${data.id}`, {})).status).toBe(404);
  });

  test('several models of a channel are priced and enabled together, all or none', async () => {
    const channel = (await call('post', '/api/admin/channels', own)).data.id;
    const other = (await call('post', '/api/admin/channels', own)).data.id;
    const make = async (model_id: string, channel_id: number): Promise<number> =>
      (await call('post', '/api/admin/provider-models', { model_id, channel_id, status: 2 })).data.id;
    const [a, b, c] = [await make('acme/a', channel), await make('acme/b', channel), await make('acme/c', other)];
    const path = `/api/admin/channels/${channel}/models`;
    const listed = async () =>
      (await call('get', `/api/admin/provider-models?channel_id=${channel}`)).data.provider_models.map(
        (model: { prompt_price: number; status: number }) => [model.prompt_price, model.status],
      );
    const priced = { status: 1, prompt_price: 2, completion_price: 8 };
    for (const id of [c, 999_999])
      expect(await call('put', path, { models: [{ id: a, ...priced }, { id }] })).toMatchObject({
        ...{ status: 400, param: 'models' },
      });
    expect(await listed()).toEqual([
      [0, 2],
      [0, 2],
    ]);
    const { status, data } = await call('put', path, {
      models: [
        { id: a, ...priced },
        { id: b, prompt_price: 1 },
      ],
    });
    expect([status, data.provider_models.length]).toEqual([200, 2]);
    expect(await listed()).toEqual([
      [2, 1],
      [1, 2],
    ]);
    expect(catalog.model('acme/a', 'default')).toBeDefined();
    for (const models of [[], [{ id: a, prompt_price: -1 }], [{ id: a, name: 'x' }], [{}]])
      expect((await call('put', path, { models })).status).toBe(400);
    expect((await call('put', '/api/admin/channels/999999/models', { models: [{ id: a }] })).status).toBe(404);
  });

  test('twenty concurrent creations make one row and nineteen conflicts', async () => {
    const channel = (await call('post', '/api/admin/channels', own)).data.id;
    const body = { model_id: 'acme/a', channel_id: channel };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => call('post', '/api/admin/provider-models', body)),
    );
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
    expect(answers.filter((answer) => answer.status === 409)).toHaveLength(19);
  });

  test('lists are paged, clamped and filtered', async () => {
    const channel = (await call('post', '/api/admin/channels', own)).data.id;
    for (let i = 0; i < 5; i++) {
      const type = i % 2 ? 'image' : 'chat';
      await call('post', '/api/admin/provider-models', { model_id: `acme/m${i}`, channel_id: channel, type });
    }
    const list = async (query: string) => (await call('get', `/api/admin/provider-models?${query}`)).data;
    const second = await list('page=2&page_size=2');
    expect(second).toMatchObject({ total: 5, page: 2, page_size: 2 });
    expect(second.provider_models.map((one: { model_id: string }) => one.model_id)).toEqual(['acme/m2', 'acme/m3']);
    expect(await list('page=-5&page_size=100000')).toMatchObject({ page: 1, page_size: 100 });
    expect(await list('page=abc&page_size=')).toMatchObject({ page: 1 });
    expect((await list('type=image')).total).toBe(2);
    expect((await list('model_id=acme/m1')).total).toBe(1);
    expect((await list(`channel_id=${channel + 1}`)).total).toBe(0);
    expect(await call('get', '/api/admin/provider-models?type=music')).toMatchObject({ status: 400, param: 'type' });
    expect((await call('get', '/api/admin/channels')).data.built_in).toEqual({ mode: 'auto', active: false });
  });
});
