/** What became of requests: those that were charged, those that failed, those that others made in their course. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { accessibilityFaults, browserMissing, openSite, overflow, type Site } from './browser.ts';
import { says } from './relay-replies.ts';
import { until } from './service.ts';
import { refuse, startUpstream, type Upstream } from './upstream.ts';

let site: Site;
let upstream: Upstream;

const ask = (model: string, key: string) =>
  site.service.post('/v1/chat/completions', { model, messages: [{ role: 'user', content: 'hi' }] }, { key });

/** `$1,234.50` as a number of millionths, so that sums are exact. */
const millionths = (text: string): number => Math.round(Number(text.replace(/[$,+]/g, '')) * 1e6);

describe.skipIf(browserMissing)('requests', () => {
  beforeAll(async () => {
    site = await openSite();
    upstream = startUpstream(says('openai', { text: 'fine' }));
  }, 300_000);
  afterEach(() => site.closeVisitors());
  afterAll(async () => {
    upstream?.stop();
    await site?.stop();
  });

  test('a provider that fails is not called healthy, though its circuit is closed', async () => {
    const { modelId } = await site.service.serve({ kind: 'openai', url: `${upstream.url}/v1` });
    upstream.script = () => refuse(500, { error: { message: 'down' } });
    await ask(modelId, site.service.key);
    upstream.script = says('openai', { text: 'fine' });
    const { page, complaints } = await site.root();
    await page.goto(`/routing/health?model=${modelId}`);
    const row = page.getByRole('row').filter({ hasText: modelId });
    await row.getByText('0.0 %').waitFor();
    expect(await row.getByText('Healthy').count()).toBe(0);
    await row.getByText('Failing').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
  }, 300_000);

  test('the lines of the ledger add up as they are shown', async () => {
    const { modelId } = await site.service.serve({
      kind: 'openai',
      url: `${upstream.url}/v1`,
      promptPrice: 0.37,
      completionPrice: 1.13,
    });
    const { page, context } = await site.register('lea');
    const made = await context.request.post('/api/tokens', { data: { name: 'ledger' } });
    const key = ((await made.json()) as { data: { key: string } }).data.key;
    const { users } = await site.service.root.api<{ users: { id: number }[] }>('/api/admin/users?q=lea');
    const credits = { method: 'POST', body: { quota: 1_234_567 } };
    await site.service.root.api(`/api/admin/users/${users[0]!.id}/credits`, credits);
    for (let index = 0; index < 3; index += 1) expect((await ask(modelId, key)).status).toBe(200);
    await until('all are charged', async () => {
      const answer = await context.request.get('/api/ledger');
      return ((await answer.json()) as { data: { total: number } }).data.total >= 4;
    });
    await page.goto('/credits');
    const rows = page.getByRole('region', { name: 'Ledger' }).getByRole('row');
    await rows.nth(4).waitFor();
    const lines = await rows.evaluateAll((found) =>
      found.slice(1).map((row) => [...row.querySelectorAll('td')].map((cell) => cell.innerText)),
    );
    const sums = lines.map((cells) => ({ amount: millionths(cells[3]!), after: millionths(cells[4]!) }));
    for (const [index, { after }] of sums.slice(1).entries())
      expect(sums[index]!.after - sums[index]!.amount).toBe(after);
    expect(await overflow(page)).toBe(0);
  }, 300_000);
});
