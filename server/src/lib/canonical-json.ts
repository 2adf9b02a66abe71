import { isRawNumber } from './exact-json.ts';

/** A canonical form for comparisons: equal for objects with equal members in any order. */
export function canonicalJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonicalJson);
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  // Pairs, since an object would put numeric names first again.
  return members.map(([name, member]) => [name, canonicalJson(member)]);
}
