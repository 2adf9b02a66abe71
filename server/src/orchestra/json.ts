/** The first JSON object in a model's answer, however it was wrapped or misspelt; undefined when there is none. */
export function lenientJson(text: string): unknown {
  for (const candidate of [text.trim(), ...fenced(text), ...bracketed(text)]) {
    for (const attempt of [candidate, mend(candidate)]) {
      const value = parse(attempt);
      if (typeof value === 'object' && value !== null) return value;
    }
  }
  return undefined;
}

/** The answer as the strict JSON a client asked for: as it is, mended where it was only wrapped or misspelt, or null. */
export function strictJson(text: string): string | null {
  const value = parse(text);
  if (typeof value === 'object' && value !== null) return text;
  const mended = lenientJson(text);
  return mended === undefined ? null : JSON.stringify(mended);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const fenced = (text: string): string[] =>
  [...text.matchAll(/```[\w-]*\s*\n?([\s\S]*?)```/g)].map(([, inner]) => inner!.trim());

/** Every place where an outermost bracket opens, to where it closes, or to the end when the answer was cut off. */
function bracketed(text: string): string[] {
  const found: string[] = [];
  for (let start = text.search(/[{[]/); start >= 0 && found.length < 8; ) {
    const end = closing(text, start);
    found.push(text.slice(start, end + 1));
    const next = text.slice(end + 1).search(/[{[]/);
    start = next < 0 ? -1 : end + 1 + next;
  }
  return found;
}

function closing(text: string, start: number): number {
  let depth = 0;
  let quoted = false;
  for (let i = start; i < text.length; i++) {
    const char = text[i]!;
    if (quoted) {
      if (char === '\\') i++;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === '{' || char === '[') depth++;
    else if ((char === '}' || char === ']') && --depth === 0) return i;
  }
  return text.length - 1;
}

/** Rewrites the usual slips, token by token: comments, single quotes, bare keys, trailing commas, missing brackets. */
function mend(text: string): string {
  const token = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\/\/[^\n]*|\/\*[\s\S]*?\*\/|[{}[\],:]|[^\s{}[\],:"']+/g;
  const out: string[] = [];
  const open: string[] = [];
  for (const [part] of text.matchAll(token)) {
    if (part.startsWith('//') || part.startsWith('/*')) continue;
    if (part === '{' || part === '[') open.push(part === '{' ? '}' : ']');
    if (part === '}' || part === ']') {
      if (out.at(-1) === ',') out.pop();
      open.pop();
    }
    out.push(mendToken(part));
  }
  if (out.at(-1) === ',') out.pop();
  return out.join('') + open.reverse().join('');
}

const words: Record<string, string> = { True: 'true', False: 'false', None: 'null', undefined: 'null' };

function mendToken(part: string): string {
  if (/^[{}[\],:]$/.test(part)) return part;
  if (part.startsWith('"')) return part.replace(/\n/g, '\\n').replace(/\t/g, '\\t');
  if (part.startsWith("'")) return JSON.stringify(part.slice(1, -1).replace(/\\'/g, "'"));
  if (parse(part) !== undefined) return part;
  return words[part] ?? JSON.stringify(part);
}
