import { acceptedLanguage, type Language } from '../lib/languages.ts';
import type { Db } from '../platform/db/tables.ts';
import { languageOf, setFirstLanguage } from './store/languages.ts';

interface Asking {
  request: Request;
}

/** What the program says that its user reads: browsers by their settings, our pages by the language that they are in. */
export const languageAsked = ({ request }: Asking): Language | null =>
  acceptedLanguage(request.headers.get('accept-language'));

/** In which a signed-in caller reads: as they have chosen, else as their program says. */
export const callerLanguage = async (db: Db, call: Asking, userId: number): Promise<Language> =>
  (await languageOf(db, userId)) ?? languageAsked(call) ?? 'en';

/** Of whom no language is known: from now on the one in which they have come in. */
export async function learnLanguage(db: Db, call: Asking, userId: number): Promise<Language | null> {
  const known = await languageOf(db, userId);
  const asked = known ? null : languageAsked(call);
  if (asked) await setFirstLanguage(db, userId, asked);
  return known ?? asked;
}
