import { afterEach, describe, expect, test } from 'bun:test';
import { type Stage, stage } from '../scripted.fixture.ts';
import { engines } from '../store/db.fixture.ts';
import { openRouter } from './router.fixture.ts';

describe.each(await engines())('preferences, on %s', (_, open) => {
  let s: Stage;
  let router: ReturnType<typeof openRouter>;
  afterEach(async () => {
    await router.close();
    await s.close();
  });

  test('changes of different fields at once all stay', async () => {
    s = await stage(() => 'never asked', {}, open);
    router = openRouter(s.deps);
    const changes = [
      { use_custom_models: true },
      { enable_rerank: true },
      { rerank_top_n: 7 },
      { max_context_tokens: 9000 },
      { auto_summarize: false },
      { enable_embedding: false },
      { summarize_threshold: 33 },
      { default_verbosity: 'verbose' },
    ];
    const answers = await Promise.all(changes.map((change) => router.call('PUT', '/user/preferences', change)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await router.call('GET', '/user/preferences')).body.data).toMatchObject(Object.assign({}, ...changes));
  });
});
