export interface Fenced {
  label: string;
  body: string;
}

/** Reference material that a prompt sets apart: `<data label mark="x">…</data mark="x">`. */
export function fencedParts(text: string): Fenced[] {
  return [...text.matchAll(/<data ([^\n>]*?)\s*mark="([^"]+)">\n([\s\S]*?)\n?<\/data mark="\2">/g)].map((match) => ({
    label: match[1]!.trim(),
    body: match[3]!.trim(),
  }));
}

/**
 * Prompts often wrap what they are about: fenced, `<goal>…</goal>`, `## Goal` or `Goal: …`.
 * Returns the body under the first of the given names, or null when none is there.
 */
export function section(text: string, names: string[]): string | null {
  const fenced = fencedParts(text);
  for (const name of names) {
    const bodies = fenced.filter((part) => part.label === name).map((part) => part.body);
    if (bodies.length > 0) return bodies.join('\n\n');
    const tagged = text.match(new RegExp(`<${name}>([\\s\\S]*?)</${name}>`, 'i'));
    if (tagged) return tagged[1]!.trim();
  }
  for (const name of names) {
    const headed = text.match(
      new RegExp(
        `(?:^|\\n)[#*\\s]{0,9}(?:the |user(?:'s)? |original |task )?${name}\\b[^\\n:]{0,40}:?\\**:?[ \\t]*\\n?([\\s\\S]*)`,
        'i',
      ),
    );
    const isHeading = headed && /[:#]/.test(headed[0].slice(0, headed[0].length - headed[1]!.length));
    if (isHeading) return untilNextHeading(headed[1]!);
  }
  return null;
}

const untilNextHeading = (body: string): string =>
  body.split(/\n\s*(?:#{1,4} |[A-Z][A-Za-z ]{2,30}:\s*(?:\n|$)|<)/)[0]!.trim();
