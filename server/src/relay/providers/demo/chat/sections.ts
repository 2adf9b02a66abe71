export interface Fenced {
  label: string;
  body: string;
}

/** Fenced reference material of a prompt: `<data label mark="x">…</data mark="x">`. */
export function fencedParts(text: string): Fenced[] {
  const parts: Fenced[] = [];
  const opening = /<data ([^\n>]{0,200})>\n/g;
  for (let opened = opening.exec(text); opened; opened = opening.exec(text)) {
    const [label, mark] = opened[1]!.split('mark="');
    if (!mark?.endsWith('"')) continue;
    const end = text.indexOf(`</data mark="${mark}>`, opening.lastIndex);
    if (end < 0) continue;
    parts.push({ label: label!.trim(), body: text.slice(opening.lastIndex, end).trim() });
    opening.lastIndex = end;
  }
  return parts;
}

/** The fenced content of the first label present; null if there is none. */
export function section(text: string, labels: string[]): string | null {
  const fenced = fencedParts(text);
  for (const label of labels) {
    const bodies = fenced.filter((part) => part.label === label).map((part) => part.body);
    if (bodies.length > 0) return bodies.join('\n\n');
  }
  return null;
}
