import type { Page } from 'playwright-core';

interface Signed {
  /** A new tab of a signed-in user. */
  root(): Promise<{ page: Page }>;
  service: { url: string };
}

/**
 * The user consents in the browser and returns to the program that asked. Throws with the text of the page if that fails.
 * `patienceMs`: how long a page may take to show the question, and to return.
 */
export async function approveConsent({ root, service }: Signed, url: string, patienceMs = 60_000): Promise<void> {
  const { page } = await root();
  try {
    await page.goto(url, { timeout: patienceMs });
    await page.getByRole('button', { name: 'Allow' }).click({ timeout: patienceMs });
    // A tab that is closed during navigation sometimes never closes, and waiting for it would never end.
    await page.waitForURL((now) => now.origin !== new URL(service.url).origin, { timeout: patienceMs });
  } catch (error) {
    const shown = await page.innerText('body', { timeout: 5_000 }).catch(() => 'nothing');
    const words = shown.replace(/\s+/g, ' ').slice(0, 300);
    throw new Error(`nobody could agree (${String(error).split('\n')[0]}); the page at ${page.url()} shows: ${words}`);
  }
  await page.close();
}
