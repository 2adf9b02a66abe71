/** The administrators' overview: usage by user, model and channel over time, and alerts. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { accessibilityFaults, browserMissing, openSite, overflow, type Site } from './browser.ts';
import { says } from './relay-replies.ts';
import { refuse, startUpstream, type Upstream } from './upstream.ts';

let site: Site;
let upstream: Upstream;
let names: { cheap: string; dear: string };
/** Right-to-left and long. */
const channelName = 'قناة الاختبار '.repeat(4).trim();

describe.skipIf(browserMissing)('admin overview', () => {
  beforeAll(async () => {
    site = await openSite();
    const { root, serve, user, post } = site.service;
    upstream = startUpstream(says('openai', { text: 'pong' }));
    const served = await serve({ kind: 'openai', url: upstream.url, promptPrice: 1, completionPrice: 1 });
    const dear = await serve({ kind: 'openai', url: upstream.url, promptPrice: 900, completionPrice: 900 });
    names = { cheap: served.modelId, dear: dear.modelId };
    await root.api(`/api/admin/channels/${dear.channelId}`, { method: 'PUT', body: { name: channelName } });
    const somebody = await user(1_000_000_000);
    const key = await somebody.key();
    const ask = (model: string) =>
      post('/v1/chat/completions', { model, max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] }, { key });
    for (const model of [names.cheap, names.cheap, names.dear]) expect((await ask(model)).status).toBe(200);
    upstream.script = () => refuse(401, { error: { message: 'Incorrect API key provided' } });
    await ask(names.dear);
    upstream.script = says('openai', { text: 'pong' });
  }, 300_000);
  afterEach(() => site.closeVisitors());
  afterAll(async () => {
    upstream?.stop();
    await site?.stop();
  });

  test('a click filters the overview, is kept in the URL and links to the lists', async () => {
    const { page, complaints, open, settled } = await site.root();
    await open('/admin');
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    const table = page.getByRole('region', { name: 'Series' });
    const rows = () => table.getByRole('row').allInnerTexts();
    // The most expensive first.
    expect((await rows())[1]).toContain(names.dear);
    await page.getByRole('img', { name: /^Spend over time, \$/ }).waitFor();
    expect([await overflow(page), await accessibilityFaults(page)]).toEqual([0, []]);

    const chart = page.getByRole('img', { name: /^Spend over time/ });
    await chart.scrollIntoViewIfNeeded();
    const largest = await chart.evaluate((element) => {
      const boxes = [...element.querySelectorAll('.recharts-rectangle')].map((part) => part.getBoundingClientRect());
      const { x, y, width, height } = boxes.toSorted((a, b) => b.width * b.height - a.width * a.height)[0]!;
      return { x: x + width / 2, y: y + height / 2 };
    });
    await page.mouse.click(largest.x, largest.y);
    await page.waitForURL((url) => url.searchParams.get('model') === names.dear);
    await page.goBack();
    await page.waitForURL((url) => !url.searchParams.has('model'));
    await settled();
    await table.getByRole('button', { name: `Only ${names.dear}` }).press('Enter');
    await page.waitForURL(/model=.*by=user|by=user.*model=/);
    await settled();
    await page.getByText(`Model ${names.dear}`).waitFor();
    const [, who] = await rows();
    expect(who).toContain('user_');
    expect(who).toContain('1 (50 %)');
    const list = table.getByRole('link', { name: /^Requests of/ });
    expect(await list.getAttribute('href')).toMatch(/^\/requests\?from=\d{4}-\d\d-\d\d&to=.*user=\d+&model=/);
    await table.getByRole('button', { name: /^Only user_/ }).press('Enter');
    await page.waitForURL(/by=channel/);
    await settled();
    expect((await rows())[1]).toContain(channelName);
    await page.goBack();
    await page.waitForURL(/by=user/);
    await page.getByRole('button', { name: `Remove filter: Model ${names.dear}` }).click();
    await page.waitForURL((url) => !url.searchParams.has('model'));
    expect(complaints).toEqual([]);
  }, 300_000);

  test('shows every measure for every period, also without data', async () => {
    const { page, complaints, open, settled } = await site.root();
    await open('/admin');
    for (const [group, label] of [
      ['Period', 'Hour'],
      ['Period', 'Month'],
      ['Measure', 'Latency'],
      ['Group by', 'Channels'],
    ] as const) {
      await page.getByRole('radiogroup', { name: group }).getByText(label, { exact: true }).click();
      await settled();
    }
    expect(page.url()).toMatch(/range=month/);
    await page.getByRole('img', { name: /^Latency over time/ }).waitFor();
    expect([await overflow(page), await accessibilityFaults(page)]).toEqual([0, []]);
    const periods = page.getByRole('radiogroup', { name: 'Period' });
    const words = periods.getByText('Hour', { exact: true });
    expect(await words.evaluate((label) => getComputedStyle(label.closest('label')!).transitionDuration)).toBe('0s');
    await periods.getByText('Dates', { exact: true }).click();
    await page.getByLabel('First day').fill('2001-01-01');
    await page.getByLabel('Last day').fill('2001-01-02');
    await page.getByText('No requests in this period').waitFor();
    expect(complaints).toEqual([]);
  }, 300_000);

  test('shows an alert with a link to the fix until the problem is solved', async () => {
    const { page, complaints, open } = await site.root({ viewport: { width: 390, height: 800 }, colorScheme: 'dark' });
    await open('/admin');
    const alerts = page.getByRole('list', { name: 'Alerts' });
    const refused = alerts.getByRole('listitem').filter({ hasText: `${channelName}: key refused (401)` });
    await refused.waitFor();
    expect([await overflow(page), await accessibilityFaults(page)]).toEqual([0, []]);
    await refused.getByRole('link', { name: 'Go to channels' }).click();
    await page.getByRole('heading', { name: 'Channels', level: 1 }).waitFor();
    const { post } = site.service;
    const body = { model: names.dear, max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] };
    expect((await post('/v1/chat/completions', body)).status).toBe(200);
    await open('/admin');
    await page.getByText('Nothing needs your attention.').waitFor();
    expect(complaints).toEqual([]);
  }, 300_000);
});
