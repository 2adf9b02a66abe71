import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { openTestApp, type TestApp } from '../app.fixture.ts';
import { AppError } from '../lib/errors.ts';
import { isModelAllowed } from './model-access.ts';
import { orchestraModel } from './models.ts';
import { respond } from './respond.ts';
import { bigRequest, planOf, request, type Script, scriptedModels, stage } from './scripted.fixture.ts';
import { savePreferences } from './store/preferences.ts';

const names = scriptedModels.map(({ id }) => id);
const listed = fc.subarray(names).map((models) => [orchestraModel, ...models]);
const named = fc.constantFrom('', ...names);
const preferenceNames = ['plan_model', 'easy_model', 'medium_model', 'hard_model', 'rerank_model'] as const;
const embeddingNames = ['embedding_model_general', 'embedding_model_code'] as const;

const script: Script = (_call, purpose) => {
  if (purpose === 'plan')
    return planOf({ id: 'a', difficulty: 'hard' }, { id: 'b', difficulty: 'medium' }, { id: 'c', needs: ['a', 'b'] });
  if (purpose === 'extraction') return JSON.stringify({ facts: [] });
  return purpose === 'task' ? '' : 'an answer';
};

/** Whatever is set by whom: a model that the key does not list is never asked, for tasks, memory or afterwards. */
test('no inner call uses a model that the key does not list', async () => {
  let asked = 0;
  const run = async (allowed: string[], forced: string, operator: string[], mine: string[], custom: boolean) => {
    const used = new Set<string>();
    const noting =
      <C extends { model: string }, R>(act: (call: C) => R) =>
      (call: C): R => {
        used.add(call.model);
        return act(call);
      };
    const [plan, easy, medium, hard, embedding, rerank] = operator as [string, string, string, string, string, string];
    const self = await stage(script, {
      models: (caller) => scriptedModels.filter(({ id }) => isModelAllowed(caller, id)),
      operator: () => ({ plan, easy, medium, hard, embedding, rerank }),
    });
    const { complete, embed, rerank: rank } = self.deps;
    Object.assign(self.deps, {
      complete: noting(complete),
      embed: noting(embed),
      rerank: noting(rank),
    });
    const preferences = {
      ...Object.fromEntries([...preferenceNames, ...embeddingNames].map((name, i) => [name, mine[i]])),
      use_custom_models: custom,
      enable_rerank: true,
      summarize_threshold: 2,
    };
    await savePreferences(self.deps.db, 1, preferences as never, 1);
    const svcMs = { extract_knowledge: true, ...(forced !== '' && { force_model: forced }) };
    const turn = request(bigRequest, svcMs);
    const caller = { ...turn.caller, allowedModels: allowed };
    const ended = await respond(self.deps, { ...turn, caller }).catch((error: unknown) => error);
    await self.settled();
    await self.close();
    asked += used.size;
    expect([...used].filter((model) => !allowed.includes(model))).toEqual([]);
    const chat = scriptedModels.filter(({ id, type }) => type === 'chat' && allowed.includes(id));
    if (chat.length === 0 || (forced !== '' && !allowed.includes(forced))) {
      expect(ended).toBeInstanceOf(AppError);
      expect((ended as AppError).code).toBe('model_not_allowed');
    }
  };
  await fc.assert(
    fc.asyncProperty(
      listed,
      named,
      fc.array(named, { minLength: 6, maxLength: 6 }),
      fc.array(named, { minLength: 7, maxLength: 7 }),
      fc.boolean(),
      run,
    ),
    { numRuns: 80 },
  );
  expect(asked).toBeGreaterThan(0);
});

describe('a key with a model list', () => {
  let service: TestApp;
  let key: (models: string[]) => Promise<string>;
  beforeAll(async () => {
    service = await openTestApp({ env: { DEMO_PROVIDER: 'on' } });
    await service.setOption('RateLimitEnabled', false);
    const member = await service.user();
    key = (models) => member.key({ models });
  });
  afterAll(() => service.close());

  const chat = async (secret: string, svc_ms = {}) => {
    const response = await service.call('/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}` },
      body: { model: orchestraModel, messages: [{ role: 'user', content: 'Hello' }], svc_ms },
    });
    // biome-ignore lint/suspicious/noExplicitAny: answers and refusals, looked at field by field
    return { status: response.status, body: (await response.json()) as any };
  };

  test('that has only the orchestration model is refused, with the models to add', async () => {
    const secret = await key([orchestraModel]);
    for (const svc_ms of [{}, { force_model: 'demo/chat' }]) {
      const { status, body } = await chat(secret, svc_ms);
      expect([status, body.error.code]).toEqual([403, 'model_not_allowed']);
      expect(body.error.message).toContain('demo/chat');
    }
    const run = await service.call('/api/svc-ms/autonomous/execute', {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}` },
      body: { message: 'Hello' },
    });
    expect(run.status).toBe(403);
  });

  test('applies to forced models, and no other model is used', async () => {
    const secret = await key([orchestraModel, 'demo/chat']);
    const forced = await chat(secret, { force_model: 'demo/chat-large' });
    expect([forced.status, forced.body.error.code]).toEqual([403, 'model_not_allowed']);
    await service.setOption('MsEasyModel', 'demo/chat-large');
    await service.setOption('MsEmbeddingModel', 'demo/embed');
    const { status, body } = await chat(secret);
    expect(status).toBe(200);
    expect(Object.keys(body.svc_ms_meta.models_used)).toEqual(['demo/chat']);
  });
});
