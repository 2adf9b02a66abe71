import { put } from '../api.ts';
import { queryClient, selfQuery } from '../session.ts';
import { mayReload } from '../unsaved-changes.ts';
import { type Language, languageKey } from './languages.ts';

/** A service that does not answer keeps nobody from reading. */
const timeoutMs = 3_000;

/** With the account, for its mails; the answer has the user as they are now. */
export const keepLanguage = (language: Language) =>
  put('/api/user/self', { body: { language }, signal: AbortSignal.timeout(timeoutMs) });

/** Opens the page anew: its words stand in it from its first moment. */
export function openIn(wanted: Language): void {
  localStorage.setItem(languageKey, wanted);
  location.reload();
}

/** For this browser, and for the mails of whoever is signed in. */
export async function choose(wanted: Language): Promise<void> {
  if (!mayReload()) return;
  // The page can be read all the same; the account's own page tells what is kept.
  if (queryClient.getQueryData(selfQuery.queryKey)) await keepLanguage(wanted).catch(() => {});
  openIn(wanted);
}
