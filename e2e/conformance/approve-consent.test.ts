/** The user of the conformance run, who consents in a browser and leaves no tab open. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Browser, chromium } from 'playwright-core';
import { browserMissing, executablePath, launchArgs } from '../browser.ts';
import { approveConsent } from './approve-consent.ts';

let browser: Browser;
const tabs = () => browser.contexts().flatMap((context) => context.pages()).length;
const serve = (fetch: (request: Request) => Response) => Bun.serve({ port: 0, hostname: '127.0.0.1', fetch });
/** Responds at once, and completes the body a moment later. */
const slowly = (text: string): Response =>
  new Response(
    new ReadableStream({
      start: async (controller) => {
        await Bun.sleep(300);
        controller.enqueue(new TextEncoder().encode(text));
        controller.close();
      },
    }),
    { headers: { 'content-type': 'text/html' } },
  );

describe.skipIf(browserMissing)('agree', () => {
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args: launchArgs });
  });
  afterAll(() => browser?.close());
  const asked = (html: string) => {
    const server = serve(() => new Response(html, { headers: { 'content-type': 'text/html' } }));
    const service = { url: `http://127.0.0.1:${server.port}` };
    return { root: async () => ({ page: await browser.newPage() }), service, stop: () => server.stop(true) };
  };

  test('resolves when the browser is back at the program, and closes its tab', async () => {
    let heard = 0;
    const program = serve(({ url }) => {
      heard += url.endsWith('/callback') ? 1 : 0;
      return slowly('OK. You can close this page.');
    });
    const back = `http://127.0.0.1:${program.port}/callback`;
    // Like our page: the decision is sent to the service first.
    const leave = `setTimeout(() => location.replace('${back}'), 200)`;
    const person = asked(`<button onclick="${leave}">Allow</button>`);
    await approveConsent(person, person.service.url);
    expect([heard, tabs()]).toEqual([1, 0]);
    person.stop();
    program.stop(true);
  }, 20_000);

  test('rejects with the text of the page if consent fails', async () => {
    const person = asked('<button>Allow</button><p>Your choice could not be submitted</p>');
    await expect(approveConsent(person, person.service.url, 1_000)).rejects.toThrow(
      'Your choice could not be submitted',
    );
    person.stop();
  }, 20_000);
});
