const lists: Record<string, string> = {
  colour: 'red, orange, yellow, green, blue, indigo, violet, brown, black, white',
  color: 'red, orange, yellow, green, blue, indigo, violet, brown, black, white',
  day: 'Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday',
  month: 'January, February, March, April, May, June, July, August, September, October, November, December',
  season: 'spring, summer, autumn, winter',
  planet: 'Mercury, Venus, Earth, Mars, Jupiter, Saturn, Uranus, Neptune',
  continent: 'Africa, Antarctica, Asia, Europe, North America, Oceania, South America',
  ocean: 'Pacific, Atlantic, Indian, Southern, Arctic',
  fruit: 'apple, banana, cherry, grape, lemon, mango, orange, peach, pear, plum',
  vegetable: 'carrot, onion, spinach, potato, tomato, cabbage, pea, leek',
  animal: 'cat, dog, horse, elephant, owl, dolphin, bear, fox, frog, bee',
  language: 'TypeScript, Python, Rust, Go, Java, C, Haskell, Ruby',
  vowel: 'a, e, i, o, u',
  primary: 'red, yellow, blue',
};
const numerals = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

const numeral = (text: string): number => (/^\d+$/.test(text) ? Number(text) : numerals.indexOf(text.toLowerCase()));

/** "list three colours", "name the planets", "count from 3 to 7": the items, or null. */
export function listFor(text: string): string[] | null {
  const counting = text.match(/\bcount(?:\s+(?:from\s+)?(\w+))?\s+(?:up\s+)?to\s+(\w+)/i);
  if (counting) {
    const from = counting[1] ? numeral(counting[1]) : 1;
    const to = numeral(counting[2]!);
    // A thousand numbers is as far as any output limit reaches usefully.
    if (to >= Math.max(0, from) && to - Math.max(0, from) <= 1000)
      return Array.from({ length: to - Math.max(from, 0) + 1 }, (_, index) => String(Math.max(from, 0) + index));
  }
  const asked = text.match(/\b(?:list|name|give me|tell me|what are)\b[^.?!\n]*/i)?.[0];
  if (!asked) return null;
  const found = asked
    .toLowerCase()
    .match(/[a-z]+/g)
    ?.map((word) => lists[word] ?? lists[word.replace(/s$/, '')])
    .find(Boolean);
  if (!found) return null;
  const wanted = asked.match(/\b(\d+|one|two|three|four|five|six|seven|eight|nine|ten)\b/i);
  const items = found.split(', ');
  return wanted ? items.slice(0, Math.max(1, numeral(wanted[1]!))) : items;
}
