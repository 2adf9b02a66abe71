import type { TablerIcon } from '@tabler/icons-react';
import type { NavigateOptions } from '@tanstack/react-router';

/** Something one can go to by its name. */
export interface Entry {
  /** Unique among all. */
  key: string;
  group: string;
  label: string;
  /** Beside the label. */
  hint?: string;
  /** What else it is found by. */
  words?: string;
  icon: TablerIcon;
  to: NavigateOptions;
}

export interface Found {
  group: string;
  entries: Entry[];
}

const mostOfAGroup = 8;
const notFound = 9;

/** How well an entry fits: 0 is its very name. Every word of the query must stand somewhere. */
function distance({ label, hint = '', words = '', group }: Entry, query: string): number {
  const name = label.toLowerCase();
  if (name === query) return 0;
  if (name.startsWith(query)) return 1;
  if (name.split(/[\s/._:-]+/).some((word) => word.startsWith(query))) return 2;
  if (name.includes(query)) return 3;
  const all = `${name} ${hint} ${words} ${group}`.toLowerCase();
  return query.split(' ').every((word) => all.includes(word)) ? 4 : notFound;
}

/** Best groups first, and the best of each; without a query, what `start` names, whole and as it stands. */
export function find(entries: readonly Entry[], query: string, start: string): Found[] {
  const wanted = query.toLowerCase().replaceAll(/\s+/g, ' ').trim();
  if (wanted === '') {
    const first = entries.filter(({ group }) => group === start);
    return first.length > 0 ? [{ group: start, entries: first }] : [];
  }
  const fitting = entries
    .map((entry, place) => ({ entry, place, away: distance(entry, wanted) }))
    .filter(({ away }) => away < notFound)
    .sort((a, b) => a.away - b.away || a.place - b.place);
  // In the order of the best of each.
  return [...Map.groupBy(fitting, ({ entry }) => entry.group)].map(([group, found]) => ({
    group,
    entries: found.slice(0, mostOfAGroup).map(({ entry }) => entry),
  }));
}
