const quote = '"';

/** End of the string that starts before `from`: a quote preceded by an even number of backslashes. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf(quote, from); ; at = text.indexOf(quote, at + 1)) {
    let backslashes = 0;
    while (text[at - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
}

/**
 * The first duplicate member name in a valid JSON text. Parsers disagree on which one wins, so a check in front of us
 * may have read another value (RFC 8259 §4).
 */
export function repeatedName(text: string): string | null {
  const objects: Set<string>[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '{') objects.push(new Set());
    else if (sign === '}') objects.pop();
    else if (sign === quote) {
      const end = endOfString(text, at + 1);
      let next = end + 1;
      while (' \t\n\r'.includes(text[next] ?? 'end')) next += 1;
      if (text[next] === ':') {
        const name = JSON.parse(text.slice(at, end + 1)) as string;
        const names = objects.at(-1)!;
        if (names.has(name)) return name;
        names.add(name);
      }
      at = next - 1;
    }
  }
  return null;
}
