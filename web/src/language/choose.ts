import { mayOpenAnew } from '../unsent.ts';
import { type Language, languageKey } from './languages.ts';

/** Opens the page anew: its words stand in it from its first moment. */
export function choose(wanted: Language): void {
  if (!mayOpenAnew()) return;
  localStorage.setItem(languageKey, wanted);
  location.reload();
}
