/** Lists of requests: charged ones, failed ones, and calls made by other requests. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { accessibilityFaults, browserMissing, openSite, overflow, type Site } from './browser.ts';
import { says } from './relay-replies.ts';
import { until } from './service.ts';
import { refuse, startUpstream, type Upstream } from './upstream.ts';

let site: Site;
let upstream: Upstream;

const ask = (model: string, key: string) =>
  site.service.post('/v1/chat/completions', { model, messages: [{ role: 'user', content: 'hi' }] }, { key });

interface Logged {
  parent_request_id: string | null;
}

/** `$1,234.50` as a number of millionths, so that sums are exact. */
const millionths = (text: string): number => Math.round(Number(text.replace(/[$,+]/g, '')) * 1e6);

describe.skipIf(browserMissing)('requests', () => {
  beforeAll(async () => {
    // The simulation plans and embeds for the orchestration model, whatever else is served.
    site = await openSite({ DEMO_PROVIDER: 'on' });
    upstream = startUpstream(says('openai', { text: 'fine' }));
  }, 300_000);
  afterEach(() => site.closeVisitors());
  afterAll(async () => {
    upstream?.stop();
    await site?.stop();
  });

  test('calls of one turn are grouped and can be opened one by one', async () => {
    const { page, context, complaints } = await site.register('tilda');
    const data = { model: 'svc/svc-ms', messages: [{ role: 'user', content: 'Compare tea and coffee.' }] };
    const headers = { 'x-svc-web': '1' };
    expect((await context.request.post('/v1/chat/completions', { data, headers })).status()).toBe(200);
    const plain = { ...data, model: 'demo/chat' };
    expect((await context.request.post('/v1/chat/completions', { data: plain, headers })).status()).toBe(200);
    const logged = async () =>
      ((await (await context.request.get('/api/usage/logs?page_size=100')).json()) as { data: { logs: Logged[] } }).data
        .logs;
    await until('both are in the log', async () => {
      const logs = await logged();
      return logs.some(({ parent_request_id }) => parent_request_id) && logs.some((log) => !log.parent_request_id);
    });
    await page.goto('/');
    const rows = page.getByRole('region', { name: 'Latest requests' }).getByRole('row');
    const turn = rows.getByRole('link', { name: /^\d+ calls? of one turn$/ });
    await turn.waitFor();
    // The header, the turn, and the plain request.
    expect(await rows.count()).toBe(3);
    await turn.click();
    await page.waitForURL(/\/usage\?parent=req_/);
    await page
      .getByRole('button', { name: /^Cost of request req_/ })
      .first()
      .waitFor();
    expect(await page.getByRole('link', { name: /of one turn$/ }).count()).toBe(0);
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
  }, 300_000);

  test('failed requests are listed, with the upstream error for administrators only; Back closes the details', async () => {
    const { modelId } = await site.service.serve({ kind: 'openai', url: `${upstream.url}/v1` });
    upstream.script = () => refuse(500, { error: { message: 'The datacenter is on fire' } });
    await ask(modelId, site.service.key);
    await ask('nobody/has-this', site.service.key);
    upstream.script = says('openai', { text: 'fine' });
    const { page, complaints } = await site.root();
    await page.goto('/keys');
    await page.goto('/usage');
    await page.getByRole('radiogroup', { name: 'Requests to show' }).getByText('Failed').click();
    await page.waitForURL(/[?&]show=failed/);
    const list = page.getByRole('region', { name: 'Failed requests' });
    await list.getByText('The datacenter is on fire').waitFor();
    await list.getByText('nobody/has-this', { exact: true }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await list
      .getByRole('button', { name: /^Details of failed request/ })
      .filter({ hasText: 'on fire' })
      .click();
    const details = page.getByRole('dialog', { name: 'Failure reason' });
    await details.getByText('500: The datacenter is on fire').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.goBack();
    await details.waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('show')).toBe('failed');
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await overflow(page)).toBe(0);

    const { page: own, context } = await site.register('fay');
    const data = { model: modelId, messages: [{ role: 'user', content: 'hi' }] };
    upstream.script = () => refuse(500, { error: { message: 'The datacenter is on fire' } });
    await context.request.post('/v1/chat/completions', { data, headers: { 'x-svc-web': '1' } });
    upstream.script = says('openai', { text: 'fine' });
    await own.goto('/usage?show=failed');
    await own.getByRole('region', { name: 'Failed requests' }).getByText('returned an answer').waitFor();
    expect(await own.content()).not.toContain('on fire');
    await own.goto('/usage?show=failed&model=demo/chat');
    await own.getByText('No failed requests in this period').waitFor();
    await own.goto(`/usage?show=failed&model=${modelId}`);
    await own.getByRole('region', { name: 'Failed requests' }).getByText('returned an answer').waitFor();
    expect(complaints).toEqual([]);
  }, 300_000);

  test('all requests are in one list with details, and request ids in errors link to them', async () => {
    const { modelId } = await site.service.serve({ kind: 'openai', url: `${upstream.url}/v1` });
    const { page, context, complaints, open, settled } = await site.register('rita');
    const send = async (model: string) => {
      const data = { model, messages: [{ role: 'user', content: 'Compare tea and coffee.' }] };
      return context.request.post('/v1/chat/completions', { data, headers: { 'x-svc-web': '1' } });
    };
    await send('demo/chat');
    await send('svc/svc-ms');
    await send('nobody/has-this');
    const listed = async () => {
      const answer = await context.request.get('/api/requests?page_size=100');
      return ((await answer.json()) as { data: { requests: Logged[] } }).data.requests;
    };
    await until('all are in the list', async () => {
      const requests = await listed();
      return requests.filter((one) => !one.parent_request_id).length === 2 && requests.length > 2;
    });
    await site.service.root.api('/api/admin/options', {
      method: 'PUT',
      body: { key: 'RequestContentsDays', value: 7 },
    });
    await open('/requests');
    const keep = page.getByRole('switch', { name: /^Keep my prompts and answers for 7 days/ });
    await keep.click();
    await until('it is on', () => keep.isChecked());
    const rows = page.getByRole('region', { name: 'Requests' }).getByRole('row');
    await rows.getByRole('link', { name: /^demo\/chat/ }).waitFor();
    // The header, the plain request, the turn, and the failed request.
    expect(await rows.count()).toBe(4);

    await page.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option', { name: 'Failed', exact: true }).click();
    await page.waitForURL(/[?&]status=failed/);
    await until('one is left', async () => (await rows.count()) === 2);
    await rows.getByRole('link', { name: /^nobody\/has-this/ }).click();
    await page.getByRole('heading', { name: 'Failure reason' }).waitFor();
    await page.getByText(/^404 model_not_found: /).waitFor();
    expect(await page.title()).toMatch(/^req_\S+ · Request · svc$/);
    await settled();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.goBack();
    await until('one is left', async () => (await rows.count()) === 2);
    const navigation = page.getByRole('navigation', { name: 'Main' });
    await navigation.getByRole('link', { name: 'Requests', exact: true }).click();
    await rows.getByRole('link', { name: /^\d+ calls? of one turn$/ }).click();
    await page.getByRole('heading', { name: 'Turn', level: 1 }).waitFor();
    await rows.getByRole('link').first().click();
    await page.getByRole('heading', { name: 'Cost breakdown' }).waitFor();
    await page.getByRole('heading', { name: 'Routing', exact: true }).waitFor();
    await page.getByRole('link', { name: 'A turn' }).waitFor();
    await settled();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await overflow(page)).toBe(0);
    await page.setViewportSize({ width: 1280, height: 800 });

    upstream.script = () => refuse(500, { error: { message: 'The datacenter is on fire' } });
    await open(`/playground?model=${encodeURIComponent(modelId)}`);
    await page.getByRole('textbox', { name: 'Message' }).fill('hi');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByRole('link', { name: /^req_/ }).click();
    await page.waitForURL(/\/requests\/req_/);
    await page.getByText(/^502 provider_error: /).waitFor();
    expect(await page.content()).not.toContain('on fire');
    await page.getByRole('heading', { name: 'Prompt and answer' }).waitFor();
    await page.getByText('There was no answer.').waitFor();
    await settled();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('link', { name: 'All requests' }).click();
    await keep.click();
    await page.getByRole('button', { name: 'Delete kept content' }).click();
    await until('it is off', async () => !(await keep.isChecked()));
    await page.goBack();
    await page.getByText(/^502 provider_error: /).waitFor();
    await page.getByText('There was no answer.').waitFor({ state: 'hidden' });
    const failed = new URL(page.url()).pathname;
    await open('/requests/req_nobody');
    await page.getByText('No record of this request').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    upstream.script = says('openai', { text: 'fine' });
    // The browser's own message about the failed response.
    expect(complaints.filter((text) => !text.includes('502 (Bad Gateway)'))).toEqual([]);

    const root = await site.root();
    await root.open(failed);
    await root.page.getByText('500: The datacenter is on fire').waitFor();
    await root.page.getByRole('link', { name: 'rita' }).click();
    await root.page.waitForURL(/\/requests\?user=\d+/);
    await root.page.getByRole('region', { name: 'Requests' }).getByText('The datacenter is on fire').waitFor();
    expect(await accessibilityFaults(root.page)).toEqual([]);
    const users = root.page.getByRole('combobox', { name: 'User' });
    await users.fill('root');
    await root.page.getByRole('option', { name: 'root', exact: true }).click();
    await until('the user is another', async () => !(await root.page.content()).includes('rita'));
    expect(root.complaints).toEqual([]);
  }, 300_000);

  test('request tables show all columns at 1280 pixels with long names and large numbers', async () => {
    const modelId = `vendor/${'a-model-with-quite-a-long-name-'.repeat(3)}v2`;
    await site.service.serve({ kind: 'openai', url: `${upstream.url}/v1`, modelId, provider: 'vendor' });
    upstream.script = says('openai', { text: 'fine', usage: { input: 1_234_567, output: 1_234_567 } });
    const { root } = site.service;
    const { key } = await root.api<{ key: string }>('/api/tokens', { method: 'POST', body: { name: 'W'.repeat(50) } });
    expect((await ask(modelId, key)).status).toBe(200);
    upstream.script = () => refuse(500, { error: { message: 'The datacenter is on fire. '.repeat(20) } });
    await ask(modelId, key);
    upstream.script = says('openai', { text: 'fine' });
    const wordy = await site.register('W'.repeat(32));
    const asked = { model: 'demo/chat', messages: [{ role: 'user', content: 'hi' }] };
    await wordy.context.request.post('/v1/chat/completions', { data: asked, headers: { 'x-svc-web': '1' } });
    const { users } = await root.api<{ users: { id: number }[] }>('/api/admin/users?q=root');
    for (const locale of ['en-US', 'zh-CN']) {
      const { page, open, context } = await site.root({ locale });
      await until('both are in the list', async () => {
        await open('/requests');
        return (await page.getByRole('link', { name: modelId.slice(0, 60) }).count()) >= 2;
      });
      const wide: string[] = [];
      for (const path of [
        '/requests',
        '/usage',
        '/usage?show=failed',
        '/',
        `/admin/users/${users[0]!.id}`,
        '/credits',
      ]) {
        await open(path);
        const scrolls = await page.evaluate(() =>
          [...document.querySelectorAll('.svc-table-scroll')].map((area) => {
            const inner = [area, ...area.children].map((place) => place.scrollWidth - place.clientWidth);
            return Math.max(...inner);
          }),
        );
        if (scrolls.some((by) => by > 0)) wide.push(`${path}: ${scrolls}`);
      }
      expect([locale, wide]).toEqual([locale, []]);
      await context.close();
    }
  }, 300_000);

  test('a provider with a closed circuit but failing requests is shown as failing', async () => {
    const { modelId } = await site.service.serve({ kind: 'openai', url: `${upstream.url}/v1` });
    const { page, complaints } = await site.root();
    // The service aggregates its metrics once a minute; this is what it would then return.
    await page.route('**/api/routing/metrics?*', async (route) => {
      const response = await route.fetch();
      const json = (await response.json()) as { data: { metrics: object[] } };
      const measured = { total_requests: 1, requests_last_hour: 1, success_rate_last_hour: 0 };
      json.data.metrics = json.data.metrics.map((one) => ({ ...one, ...measured }));
      await route.fulfill({ response, json });
    });
    await page.goto(`/routing/health?model=${modelId}`);
    const row = page.getByRole('row').filter({ hasText: modelId });
    await row.getByText('0.0 %').waitFor();
    expect(await row.getByText('Healthy').count()).toBe(0);
    await row.getByText('Failing').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
  }, 300_000);

  test('amounts and balances in the ledger add up as displayed', async () => {
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
      found.slice(1).map((row) => [...row.querySelectorAll<HTMLElement>('td, th')].map((cell) => cell.innerText)),
    );
    const sums = lines.map((cells) => ({ amount: millionths(cells[3]!), after: millionths(cells[4]!) }));
    for (const [index, { after }] of sums.slice(1).entries())
      expect(sums[index]!.after - sums[index]!.amount).toBe(after);
    expect(await overflow(page)).toBe(0);
  }, 300_000);
});
