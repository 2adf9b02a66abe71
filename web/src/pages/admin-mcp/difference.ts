/** A removed, added or unchanged line. */
export interface DiffLine {
  mark: '-' | '+' | ' ';
  text: string;
}

/** Above this, the quadratic comparison would block the page: all old lines count as removed, all new ones as added. */
const mostLines = 1_000;

/** As plain text, every character unrendered: text written for a model must be visible, not formatted. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));

/** Line diff: the lines to remove and to add to get from one text to the other. */
export function linesBetween(before: string, after: string): DiffLine[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const gone = old.map((text): DiffLine => ({ mark: '-', text }));
  const added = now.map((text): DiffLine => ({ mark: '+', text }));
  if (old.length > mostLines || now.length > mostLines) return [...gone, ...added];
  const same = commonLengths(old, now);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length && j < now.length) {
    if (old[i] === now[j]) {
      lines.push({ mark: ' ', text: old[i]! });
      i += 1;
      j += 1;
    } else if (same[i + 1]![j]! >= same[i]![j + 1]!) lines.push(gone[i++]!);
    else lines.push(added[j++]!);
  }
  return [...lines, ...gone.slice(i), ...added.slice(j)];
}

/** Lengths of the longest common subsequence of lines, from each pair of positions to the end. */
function commonLengths(old: readonly string[], now: readonly string[]): number[][] {
  const same = Array.from({ length: old.length + 1 }, () => new Array<number>(now.length + 1).fill(0));
  for (let i = old.length - 1; i >= 0; i -= 1)
    for (let j = now.length - 1; j >= 0; j -= 1)
      same[i]![j] = old[i] === now[j] ? same[i + 1]![j + 1]! + 1 : Math.max(same[i + 1]![j]!, same[i]![j + 1]!);
  return same;
}
