/** Every page in another language: whole on every screen, and nothing left in English. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { accessibilityFaults, browserMissing, overflow, type Site } from './browser.ts';
import { openFilledSite, paths } from './every-page.ts';
import { untranslatedTexts } from './untranslated-texts.ts';

let site: Site;
const chinese = { locale: 'zh-CN' };
const pathsBeforeTheDoor = ['/login', '/register', '/forgot-password', '/goodbye', '/nowhere', '/docs'];

describe.skipIf(browserMissing)('languages', () => {
  beforeAll(async () => {
    site = await openFilledSite();
  }, 300_000);
  afterEach(() => site.closeVisitors());
  afterAll(async () => {
    await site?.stop();
  });

  test('the language is chosen before and after login, and is remembered', async () => {
    const { page, open } = await site.visit();
    await open('/login');
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
    await page.getByRole('button', { name: '简体中文' }).click();
    await page.getByRole('heading', { name: '登录' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('zh-CN');
    await page.reload();
    await page.getByRole('heading', { name: '登录' }).waitFor();

    const inside = await site.register('lang', chinese);
    await inside.open('/keys');
    await inside.page.getByRole('heading', { level: 1, name: '密钥' }).waitFor();
    expect(await inside.page.title()).toBe('密钥 · svc');
    await inside.page.getByRole('button', { name: '语言' }).click();
    await inside.page.getByRole('menuitemradio', { name: 'English' }).click();
    await inside.page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
    // Against what the browser prefers.
    await inside.open('/account');
    await inside.page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
    expect([await untranslatedTexts(page), inside.complaints]).toEqual([[], []]);
  }, 300_000);

  test('the account stores the language for emails: from registration, the menu and the account page', async () => {
    const { page, context, open, settled, complaints } = await site.visit();
    const kept = async () => (await (await context.request.get('/api/user/self')).json()).data.language;
    await open('/register');
    // Against what the browser prefers.
    await page.getByRole('button', { name: '简体中文' }).click();
    await page.getByLabel('用户名').fill('mail.reader');
    await page.locator('input[name=password]').fill('a fine password');
    await page.getByRole('button', { name: '创建账号' }).click();
    await page.getByRole('button', { name: '语言' }).waitFor();
    expect(await kept()).toBe('zh-CN');
    await page.getByRole('button', { name: '语言' }).click();
    await page.getByRole('menuitemradio', { name: 'English' }).click();
    await page.locator('html[lang=en]').waitFor();
    expect(await kept()).toBe('en');

    await open('/account');
    const choice = page.getByRole('combobox', { name: 'Language of emails and pages' });
    expect(await choice.inputValue()).toBe('English');
    await page.route('**/api/user/self', (route) =>
      route.request().method() === 'PUT' ? route.fulfill({ status: 503, json: {} }) : route.continue(),
    );
    await choice.click();
    await page.getByRole('option', { name: '简体中文' }).click();
    await page.getByText('The language was not saved').waitFor();
    await page.unroute('**/api/user/self');
    await choice.click();
    await page.getByRole('option', { name: '简体中文' }).click();
    await page.locator('html[lang=zh-CN]').waitFor();
    await settled();
    expect(await page.getByRole('combobox', { name: '邮件和页面的语言' }).inputValue()).toBe('简体中文');
    expect([await kept(), complaints.filter((text) => !text.includes('503'))]).toEqual(['zh-CN', []]);
  }, 300_000);

  test('the API reference starts with a quick start, and is in one language', async () => {
    const { page, open, complaints } = await site.visit({ locale: 'zh-CN' });
    await open('/docs');
    const start = page.getByRole('region', { name: '快速开始' });
    expect(await start.getByRole('heading', { level: 3 }).count()).toBe(4);
    expect(await start.getByRole('textbox', { name: 'OpenAI base URL' }).inputValue()).toBe(`${site.service.url}/v1`);
    const chat = page.getByRole('article', { name: 'POST /v1/chat/completions' });
    expect(await chat.innerText()).toContain('对话补全');
    await chat.getByRole('button').first().click();
    await chat.getByText('前一个模型没有应答时，按此顺序请求').waitFor();
    expect(await page.locator('main [lang=en]').count()).toBe(0);
    expect(await accessibilityFaults(page)).toEqual([]);
    // Words of either language find an endpoint, and leave only what was looked for.
    for (const words of ['对话补全', 'chat completion']) {
      await page.getByRole('textbox', { name: '搜索接口' }).fill(words);
      await start.waitFor({ state: 'detached' });
      await chat.waitFor();
      await page.getByRole('textbox', { name: '搜索接口' }).fill('');
      await start.waitFor();
    }
    expect(complaints).toEqual([]);
  }, 300_000);

  test('changing the language asks before unsaved input is lost', async () => {
    const { page, open, complaints } = await site.visit();
    const asked: string[] = [];
    let answer = false;
    page.on('dialog', (dialog) => {
      asked.push(dialog.message());
      return answer ? dialog.accept() : dialog.dismiss();
    });
    await open('/register');
    const name = page.getByLabel('Username');
    await name.fill('typed');
    await name.fill('');
    await name.fill('kept');
    const chinese = page.getByRole('button', { name: '简体中文' });
    await chinese.click();
    expect(asked).toHaveLength(1);
    expect([await name.inputValue(), await page.locator('html').getAttribute('lang')]).toEqual(['kept', 'en']);
    answer = true;
    await chinese.click();
    await page.locator('html[lang=zh-CN]').waitFor();
    // Nothing is typed any more.
    await page.getByRole('button', { name: 'English' }).click();
    await page.locator('html[lang=en]').waitFor();
    expect([asked.length, complaints]).toEqual([2, []]);

    // Nor is what was sent.
    const inside = await site.register('sent');
    inside.page.on('dialog', (dialog) => {
      asked.push(dialog.message());
      return dialog.accept();
    });
    await inside.open('/account');
    await inside.page.getByLabel('Display name').fill('Somebody');
    await inside.page.getByRole('button', { name: 'Save', exact: true }).first().click();
    await inside.settled();
    await inside.page.getByRole('button', { name: 'Language' }).click();
    await inside.page.getByRole('menuitemradio', { name: '简体中文' }).click();
    await inside.page.locator('html[lang=zh-CN]').waitFor();
    expect(asked).toHaveLength(2);
  }, 300_000);

  test('without its translations a page is in English and declares that', async () => {
    const { page } = await site.visit(chinese);
    await page.route('**/assets/zh-cn-*', (route) => route.abort());
    await page.goto('/login');
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
  }, 300_000);

  test('errors are shown in the language of the page', async () => {
    const { page, open } = await site.visit(chinese);
    await open('/login');
    await page.getByLabel('用户名').fill('nobody');
    await page.locator('input[name=password]').fill('wrong password');
    await page.getByRole('button', { name: '登录', exact: true }).click();
    await page.getByText('用户名或密码错误。').waitFor();
  }, 300_000);

  const half = Math.ceil(paths.length / 2);
  const parts: [string, string[], string[]][] = [
    ['pages, the first half', paths.slice(0, half), []],
    ['pages, the second half', paths.slice(half), []],
    ['what lies before the door', [], pathsBeforeTheDoor],
  ];
  test.each(parts)(
    '%s: fully translated, without overflow, dark on a phone and light on a desktop',
    async (_, within, before) => {
      const inside = await site.root(chinese);
      const outside = await site.visit(chinese);
      const looks = [
        ['dark', 390],
        ['light', 1280],
      ] as const;
      const visits = [
        ...within.map((path) => [path, inside] as const),
        ...before.map((path) => [path, outside] as const),
      ];
      for (const [path, { page, open, settled, complaints }] of visits) {
        for (const [index, [colorScheme, width]] of looks.entries()) {
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
          await page.setViewportSize({ width, height: 844 });
          await (index === 0 ? open(path) : settled());
          const faults = index === 0 ? await accessibilityFaults(page) : [];
          const seen = { wide: await overflow(page), faults, english: await untranslatedTexts(page), complaints };
          expect([path, width, seen]).toEqual([path, width, { wide: 0, faults: [], english: [], complaints: [] }]);
        }
      }
    },
    300_000,
  );
});
