import { expect, test } from 'bun:test';
import { isEnglish, wordsOf } from './english.ts';

test.each([
  'Compare PostgreSQL, MySQL and SQLite for a small shop.',
  'Tell me a joke',
  'capital of France?',
  'Translate "Guten Morgen, wie geht es Ihnen heute?" into French',
  'Fix this:\n```js\nlet größe = breite * höhe\n```',
  '12 * 34',
])('%s is English', (text) => expect(isEnglish(text)).toBe(true));

test.each([
  'Schreibe zuerst ein Gedicht, übersetze es dann ins Englische und liste danach die Reime auf.',
  'Übersetze „the quick brown fox is what they have“ ins Deutsche',
  'Écris d’abord un poème, puis traduis-le et enfin liste les rimes.',
  'Escreve primeiro um poema, depois faz a tradução do poema para inglês',
  'Schrijf eerst een gedicht, vertaal het en maak of bewerk dan een lijst van de woorden die wij hebben',
  'Skriv først et digt for mig, og oversæt det til engelsk',
  'Напиши стихотворение, переведи его и перечисли рифмы',
  'اكتب قصيدة أولاً ثم ترجمها إلى الإنجليزية',
  '先写一首诗，然后翻译成英文，最后列出押韵。',
  'まず詩を書いて、それを翻訳して、最後に韻を挙げてください。',
])('%s is not English', (text) => expect(isEnglish(text)).toBe(false));

test('words are recognised without spaces too', () => {
  expect(wordsOf('先写一首诗，然后翻译成英文').length).toBeGreaterThan(4);
  expect(wordsOf('Hallo Welt!')).toEqual(['hallo', 'welt']);
});
