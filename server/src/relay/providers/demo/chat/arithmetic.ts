const wordOperators: [RegExp, string][] = [
  [/\bplus\b/gi, '+'],
  [/\bminus\b/gi, '-'],
  [/\b(?:times|multiplied by)\b/gi, '*'],
  [/\b(?:divided by|over)\b/gi, '/'],
  [/\bto the power of\b/gi, '^'],
  [/[×·]/g, '*'],
  [/÷/g, '/'],
  [/−/g, '-'],
];

const numerals = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');
const numeralPattern = new RegExp(`\\b(?:${numerals.join('|')})\\b`, 'gi');

/** Recursive descent over + - * / % ^ and brackets; null for anything that is not an expression. */
function evaluate(source: string): number | null {
  const tokens = source.match(/\d+(?:\.\d+)?|[-+*/%^()]/g) ?? [];
  let at = 0;
  const atom = (): number => {
    const token = tokens[at++];
    if (token === '(') {
      const value = sum();
      if (tokens[at++] !== ')') return Number.NaN;
      return value;
    }
    if (token === '-') return -atom();
    return token !== undefined && /^\d/.test(token) ? Number(token) : Number.NaN;
  };
  const power = (): number => {
    const base = atom();
    if (tokens[at] !== '^') return base;
    at += 1;
    return base ** power();
  };
  const product = (): number => {
    let value = power();
    while (tokens[at] === '*' || tokens[at] === '/' || tokens[at] === '%') {
      const operator = tokens[at++];
      const right = power();
      value = operator === '*' ? value * right : operator === '/' ? value / right : value % right;
    }
    return value;
  };
  const sum = (): number => {
    let value = product();
    while (tokens[at] === '+' || tokens[at] === '-')
      value = tokens[at++] === '+' ? value + product() : value - product();
    return value;
  };
  const value = sum();
  return at === tokens.length && !Number.isNaN(value) ? value : null;
}

const render = (value: number): string =>
  Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(12)));

/** The first expression of a text with its value, or null when there is none. */
export function findArithmetic(text: string): { expression: string; value: string } | null {
  let source = text.replace(/(?<=\d),(?=\d{3}\b)/g, '');
  source = source.replace(numeralPattern, (word) => String(numerals.indexOf(word.toLowerCase())));
  for (const [pattern, symbol] of wordOperators) source = source.replace(pattern, symbol);
  // Bounded so that a page of digits cannot recurse deeply; dates such as 2024-01-02 are not sums.
  const found = source.match(/(?:[-(]\s{0,3}){0,9}\d+(?:\.\d+)?(?:\s*[-+*/%^()]\s*|\s*\d+(?:\.\d+)?){1,60}/g) ?? [];
  for (const candidate of found) {
    let expression = candidate.trim().replace(/[-+*/%^(\s]+$/, '');
    if (/^\d{4}[-/]\d{1,2}[-/]\d{1,2}$/.test(expression) || !/\d\s*\)*\s*[-+*/%^]/.test(expression)) continue;
    if ((expression.match(/\(/g)?.length ?? 0) < (expression.match(/\)/g)?.length ?? 0))
      expression = expression.slice(0, -1);
    const value = evaluate(expression);
    if (value === null) continue;
    return { expression, value: Number.isFinite(value) ? render(value) : 'undefined (division by zero)' };
  }
  return null;
}
