import { acceptedLanguage, type Language } from '../lib/languages.ts';
import type { Db } from '../platform/db/tables.ts';
import { languageOf, setFirstLanguage } from './store/languages.ts';

interface Asking {
  request: Request;
}

/** The client's language: browsers send their settings, our pages their current language. */
export const languageAsked = ({ request }: Asking): Language | null =>
  acceptedLanguage(request.headers.get('accept-language'));

/** A signed-in user's language: as chosen, else the client's. */
export const callerLanguage = async (db: Db, call: Asking, userId: number): Promise<Language> =>
  (await languageOf(db, userId)) ?? languageAsked(call) ?? 'en';

/** Stores the client's language for users without one. */
export async function learnLanguage(db: Db, call: Asking, userId: number): Promise<Language | null> {
  const known = await languageOf(db, userId);
  const asked = known ? null : languageAsked(call);
  if (asked) await setFirstLanguage(db, userId, asked);
  return known ?? asked;
}
