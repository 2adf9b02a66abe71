import { expect, test } from 'bun:test';

type Arrows = Record<string, string[]>;

// Settings of a tool, in JavaScript: they have no types.
const { below } = (await import('../.dependency-cruiser.mjs' as string)) as { below: Arrows };

/** The README's picture: `a["words"] --> b & c`. */
async function drawn(): Promise<Arrows> {
  const readme = await Bun.file(new URL('../README.md', import.meta.url)).text();
  const arrows: Arrows = {};
  for (const [, from = '', to = ''] of readme.matchAll(/^ +(\w+)(?:\[.*?\])? --> (.*)$/gm))
    arrows[from] = [...(arrows[from] ?? []), ...to.split(' & ').map((name) => name.split('[')[0]!)];
  return arrows;
}

/** The rooms that arrows lead to, one after the other. */
const reached = (arrows: Arrows, from: string): Set<string> =>
  new Set((arrows[from] ?? []).flatMap((next) => [next, ...reached(arrows, next)]));

test('the README shows the allowed imports between folders', async () => {
  const rooms = Object.keys(below);
  const arrows = await drawn();
  const seenFrom = (all: Arrows) => (name: string) => [name, rooms.filter((room) => reached(all, name).has(room))];
  expect(Object.fromEntries(rooms.map(seenFrom(arrows)))).toEqual(Object.fromEntries(rooms.map(seenFrom(below))));
});
