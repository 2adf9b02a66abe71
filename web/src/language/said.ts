/** What the service says in English (an error, the description of an option), in the language that is shown where its words are known. */
import { known } from './words.ts';

export const said = (text: string): string => known(text) ?? text;
