import type { Page } from 'playwright-core';

interface Signed {
  /** A new tab of somebody who is signed in. */
  root(): Promise<{ page: Page }>;
  service: { url: string };
}

/**
 * The person of the browser agrees, and is back at the program that asked. Tells what the page shows where that fails.
 * `patienceMs`: how long a page may take to show its question, and to lead back.
 */
export async function approveConsent({ root, service }: Signed, url: string, patienceMs = 60_000): Promise<void> {
  const { page } = await root();
  try {
    await page.goto(url, { timeout: patienceMs });
    await page.getByRole('button', { name: 'Allow' }).click({ timeout: patienceMs });
    // A tab that is closed on its way to another page is sometimes never closed, and whoever waits for that waits for ever.
    await page.waitForURL((now) => now.origin !== new URL(service.url).origin, { timeout: patienceMs });
  } catch (error) {
    const shown = await page.innerText('body', { timeout: 5_000 }).catch(() => 'nothing');
    const words = shown.replace(/\s+/g, ' ').slice(0, 300);
    throw new Error(`nobody could agree (${String(error).split('\n')[0]}); the page at ${page.url()} shows: ${words}`);
  }
  await page.close();
}
