/** Forms that something else than leaving the page removes: another tab of the page, closing a dialog around them. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { startUpstream as startVideos } from '../server/src/video/upstream.fixture.ts';
import { browserMissing, openSite, type Site } from './browser.ts';
import { until } from './service.ts';
import { startUpstream } from './upstream.ts';

let site: Site;

/** Declines each question until told otherwise, and counts them. */
function questions(page: Page): { asked: number; accept: boolean } {
  const told = { asked: 0, accept: false };
  page.on('dialog', (question) => {
    told.asked += 1;
    return told.accept ? question.accept() : question.dismiss();
  });
  return told;
}

describe.skipIf(browserMissing)('forms inside pages', () => {
  beforeAll(async () => {
    site = await openSite();
  }, 300_000);
  afterEach(() => site.closeVisitors());
  afterAll(() => site?.stop());

  test('another tab of the page asks before a form in the open one is lost', async () => {
    const { page, open, context, complaints } = await site.register('olga');
    const made = await context.request.post('/api/organisations', { data: { name: 'Acme' } });
    const { id } = (await made.json()).data as { id: number };
    await open(`/organisations/${id}?tab=settings`);
    const told = questions(page);
    const webhook = page.getByLabel('Webhook', { exact: true });
    const teams = page.getByRole('tab', { name: 'Teams' });
    await webhook.fill('https://half.example/');
    await teams.click();
    await until('somebody was asked', () => told.asked === 1);
    expect(await webhook.inputValue()).toBe('https://half.example/');
    expect(new URL(page.url()).search).toBe('?tab=settings');
    told.accept = true;
    await teams.click();
    await page.getByRole('button', { name: 'New team' }).first().waitFor();
    await page.getByRole('tab', { name: 'Settings' }).click();
    expect(await webhook.inputValue()).toBe('');
    await teams.click();
    await page.getByRole('button', { name: 'New team' }).first().waitFor();
    expect([told.asked, complaints]).toEqual([2, []]);
  }, 300_000);

  test('what was typed for a custom channel is still there after a look at the known providers', async () => {
    const { page, open } = await site.root();
    await open('/admin/channels');
    await page.getByRole('button', { name: 'Add channel' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Add a channel' });
    await dialog.getByRole('tab', { name: 'Custom' }).click();
    await dialog.getByLabel(/^Name/).fill('Half a channel');
    await dialog.getByRole('tab', { name: 'Known provider' }).click();
    await dialog.getByRole('tab', { name: 'Custom' }).click();
    expect(await dialog.getByLabel(/^Name/).inputValue()).toBe('Half a channel');
  }, 300_000);

  test('closing the dialog asks before chosen models and their prices are lost', async () => {
    const upstream = startUpstream(({ path }) =>
      path.endsWith('/models')
        ? Response.json({ data: [{ id: 'one' }, { id: 'two' }] })
        : Response.json({ id: 'c', choices: [{ index: 0, message: { role: 'assistant', content: 'ok' } }] }),
    );
    const { page, open } = await site.root();
    await open('/admin/channels');
    const told = questions(page);
    await page.getByRole('button', { name: 'Add channel' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Add a channel' });
    await dialog.getByRole('tab', { name: 'Custom' }).click();
    await dialog.getByLabel(/^Name/).fill('Priced');
    await dialog.getByRole('textbox', { name: 'Provider' }).fill('priced');
    await dialog.getByLabel('Base URL').fill(`${upstream.url}/v1`);
    await dialog.getByLabel('Credential', { exact: true }).fill('sk-test');
    await dialog.getByRole('button', { name: 'Add and test' }).click();
    const choose = dialog.getByRole('button', { name: 'Choose models and prices' });
    const price = dialog.getByLabel('Prompt, per million', { exact: true });
    await choose.or(price).first().waitFor();
    if (await choose.isVisible()) await choose.click();
    await price.fill('1.5');
    await page.keyboard.press('Escape');
    await until('somebody was asked', () => told.asked === 1);
    expect(await price.inputValue()).toContain('1.5');
    // Enter uses the price for all; it does not save yet.
    await price.press('Enter');
    await dialog.getByRole('button', { name: /^Enable 2 models|^Save/ }).waitFor();
    expect(await price.count()).toBe(0);
    upstream.stop();
  }, 300_000);

  test('a video is made with the images that the form shows, and what is typed meanwhile stays', async () => {
    const upstream = startVideos('openai', { status: 'in_progress', progress: 40 });
    await site.service.serve({ kind: 'openai', modelId: 'patient/frames', type: 'video', url: upstream.url });
    const { page, open } = await site.root();
    // Whatever the provider supports: this is about the form.
    await page.route('**/v1/videos/models', async (route) => {
      const answer = await route.fetch();
      const body = await answer.json();
      for (const model of body.data) model.supported_frame_images = ['first_frame'];
      await route.fulfill({ response: answer, json: body });
    });
    const sent: Record<string, unknown>[] = [];
    await page.route('**/v1/videos', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      sent.push(route.request().postDataJSON());
      const { frame_images: _, ...body } = route.request().postDataJSON();
      await route.continue({ postData: JSON.stringify(body) });
    });
    await open('/videos');
    const field = page.getByRole('button', { name: 'First frame' });
    const choose = async (name: string, mimeType: string, bytes: number) => {
      const chooser = page.waitForEvent('filechooser');
      await field.click();
      await (await chooser).setFiles({ name, mimeType, buffer: Buffer.alloc(bytes, 1) });
    };
    await choose('large.png', 'image/png', 9 * 1024 * 1024);
    await page.getByText('large.png is over 8 MB.').waitFor();
    expect(await field.innerText()).not.toContain('large.png');
    await choose('moving.gif', 'image/gif', 10);
    await page.getByText('moving.gif cannot be attached. Use an image of one of these types: PNG, JPEG').waitFor();
    await choose('good.png', 'image/png', 10);
    await page.getByText('good.png').waitFor();
    await page.getByLabel('Prompt').fill('A boat');
    await page.getByRole('button', { name: 'Create video' }).click();
    await until('it is sent', () => sent.length === 1);
    expect(sent[0]!.frame_images).toBeArrayOfSize(1);
    await until('the form is empty', async () => (await page.getByLabel('Prompt').inputValue()) === '');
    expect(await page.getByText('good.png').count()).toBe(0);
    upstream.stop();
  }, 300_000);
});
