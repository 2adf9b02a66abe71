/** Number fields take the number that was meant, at any speed, or say that they cannot. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { browserMissing, openSite, type Site } from './browser.ts';

let site: Site;

/** Holds back timers without a delay, so that a test decides what comes between them. */
const holdTimers = () => {
  const held: (() => void)[] = [];
  const real = window.setTimeout.bind(window);
  let holds = false;
  window.setTimeout = ((act: () => void, ms?: number) => (holds && !ms ? held.push(act) : real(act, ms))) as never;
  Object.assign(window, {
    hold: () => (holds = true),
    runFirst: () => held.shift()?.(),
    runAll: () => {
      holds = false;
      for (const act of held.splice(0)) act();
    },
  });
};

type Timers = Record<'hold' | 'runFirst' | 'runAll', () => void>;

describe.skipIf(browserMissing)('number fields', () => {
  beforeAll(async () => {
    site = await openSite();
  }, 300_000);
  afterEach(() => site.closeVisitors());
  afterAll(() => site?.stop());

  test('an amount typed right after Backspace in the empty field is the one that was typed', async () => {
    const { page, open } = await site.root();
    await page.addInitScript(holdTimers);
    const timers = (name: keyof Timers) => page.evaluate((act) => (window as unknown as Timers)[act](), name);
    await open('/admin/users');
    await page.getByRole('button', { name: 'Invite' }).click();
    const amount = page.getByLabel('Initial credits', { exact: true });
    const digits = '0,05';
    for (const late of digits.split('').keys()) {
      await amount.fill('');
      await amount.click();
      await timers('hold');
      await amount.press('Backspace');
      for (const [index, digit] of digits.split('').entries()) {
        if (index === late) await timers('runFirst');
        await page.keyboard.type(digit);
      }
      await timers('runAll');
      expect([late, await amount.inputValue()]).toEqual([late, '$0.05']);
    }
  }, 300_000);

  test('12,5 percent is never taken for 12 and 5', async () => {
    const { page, open, context } = await site.register('percy');
    await open('/credits');
    await page.getByRole('button', { name: 'Set a limit' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Set a limit' });
    await dialog.getByLabel('Amount').fill('10');
    await dialog.getByLabel('Notify me at').fill('12,5');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('12,5 may be one number or two.').waitFor();
    await dialog.getByLabel('Notify me at').fill('0,5; 12.5, 80');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { limits } = (await (await context.request.get('/api/user/spending')).json()).data;
    expect(limits[0].alerts).toEqual([0.005, 0.125, 0.8]);

    const { id } = (await (await context.request.post('/api/organisations', { data: { name: 'Percy Ltd' } })).json())
      .data;
    await open(`/organisations/${id}?tab=budgets`);
    await page.getByRole('button', { name: 'New budget' }).first().click();
    const budget = page.getByRole('dialog', { name: 'New budget' });
    await budget.getByLabel('Maximum spend').fill('10');
    const warn = budget.getByRole('combobox', { name: 'Warn at' }).or(budget.getByRole('textbox', { name: 'Warn at' }));
    await warn.click();
    await page.keyboard.type('12,5 ');
    await budget.getByRole('button', { name: 'Save' }).click();
    await budget.getByText('12,5 may be one number or two.').waitFor();
    await warn.click();
    await page.keyboard.press('Backspace');
    await page.keyboard.type('12.5 90,95 ');
    await budget.getByRole('button', { name: 'Save' }).click();
    await budget.getByText('may be one number or two').waitFor();
  }, 300_000);

  test('an amount with a final zero is accepted with Enter', async () => {
    const { page, open } = await site.register('zero');
    await open('/runs');
    await page.getByRole('button', { name: 'Start a run' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Start a run' });
    await dialog.getByLabel('Goal').fill('Try');
    await page.route('**/api/svc-ms/autonomous/execute', (route) => route.abort());
    const sent = page.waitForRequest('**/api/svc-ms/autonomous/execute');
    await dialog.getByLabel('Cost limit').pressSequentially('2,50');
    await page.keyboard.press('Enter');
    expect((await sent).postDataJSON().max_cost).toBe(2.5);
  }, 300_000);
});
