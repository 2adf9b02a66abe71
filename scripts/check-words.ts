/**
 * Finds user-visible texts that do not go through `t` or `rich` of web/src/language/words.ts, and unused translations.
 * The type checker ensures that every message is translated.
 */
import { type AnyNode, parse } from 'acorn';
import { fullAncestor } from 'acorn-walk';
import words from '../web/src/language/zh-CN/index.ts';

/** User-visible, but the same in every language: names, and code. */
const sameEverywhere = new Set([
  ...['Edge', 'Opera', 'Firefox', 'Chrome', 'Safari', 'Android', 'Windows', 'Linux', 'Redis', 'JSON', 'Relay'],
  ...[
    'Anthropic',
    'Google Gemini',
    'Google Vertex AI',
    'Amazon Bedrock',
    'Google',
    'Microsoft',
    'OpenID Connect',
    'Top P',
    'Ctrl K',
  ],
  ...['XXXX-XXXX', 'ABCDE-FGHJK-MNPQR-STVWX', 'fast, company/default…'],
]);

/** Not user-visible: names of modules and stored state, media queries, prompts for models. */
const forPrograms = new Set([
  ...['Shell', 'Page', 'Home', 'Start', 'Build', 'Orchestration', 'Routing', 'You', 'Admin', 'give away', 'end old'],
  ...['(prefers-color-scheme: dark)', '(pointer: fine)', '(max-width: 48em)', 'Control+K Meta+K', 'svc-code svc-plain'],
  ...['openid email profile', 'read:user user:email', 'Current weather in a city', 'Name of the city'],
  ...['(a picture that is no longer there)', 'allowed before', 'log in again'],
]);

/** Files that consist of example code or styles. */
const programs = /snippets\.ts$|pages\/docs\/schemas\.ts$|\/(theme|before-paint)\.ts$/;

/** Attributes and fields that contain no user-visible text. */
const wordless =
  /^(className|classNames|to|href|src|id|type|role|variant|color|c|size|key|htmlFor|autoComplete|target|rel|method|value|d|viewBox|transform|align|justify|wrap|gap|component|inputMode|language|style|position|pattern|accept|dataKey|mode|name|params|search|hash|queryKey|mutationKey|path|headers|credentials|cache|code|icon|aria-controls|aria-labelledby|aria-describedby|w|h|maw|miw|mah|mih|bg|gridTemplateColumns|p|m|mt|mb|ff|fw|lang)$/;

/** Calls whose string arguments are not user-visible. */
const wordlessCalls =
  /^(t|rich|lazyComponent|get|post|put|del|fetch|includes|startsWith|endsWith|split|join|replace|replaceAll|test|match|getItem|setItem|removeItem|querySelector|querySelectorAll|closest|addEventListener|removeEventListener|useMediaQuery|matchMedia|require|RegExp|URL|DOMException|createElement)$/;

/** A capitalised word, or several words; not a URL, an identifier or a measure. */
export function readsAsWords(text: string): boolean {
  if (!/[A-Za-z]{2}/.test(text) || /^(https?:|\/|#|\.|--|var\(|data:|\d[\d.]*(px|rem|fr|%))/.test(text)) return false;
  if (/^\s*(ms|px|s|MB|MiB)\s*$/.test(text) || /^[a-z0-9_\-.:/]+$/.test(text)) return false;
  if (/^[A-Z][a-z]+$/.test(text.trim())) return true;
  return /[a-z]{2}/.test(text) && (/[A-Za-z]+ [A-Za-z]+/.test(text) || /^[A-Z][a-z]+.*[.…?!:]$/.test(text));
}

interface Part {
  type: string;
  value?: unknown;
  key?: { name?: string; value?: unknown };
  callee?: { name?: string; property?: { name?: string } };
  operator?: string;
  computed?: boolean;
  test?: unknown;
  property?: unknown;
}

const nameOf = ({ callee }: Part): string => callee?.name ?? callee?.property?.name ?? '';

/** Whether the context of a text, up to the enclosing function, shows that it is not user-visible. */
function isForPrograms(around: Part[]): boolean {
  for (let index = around.length - 2; index >= 0; index -= 1) {
    const [part, inner] = [around[index]!, around[index + 1]!];
    if (/Function|^BlockStatement$/.test(part.type)) return false;
    if (part.type === 'ImportDeclaration' || part.type.startsWith('Export')) return part.type === 'ImportDeclaration';
    if (/^(Call|New)Expression$/.test(part.type) && part.callee !== inner && wordlessCalls.test(nameOf(part)))
      return true;
    if (part.type === 'BinaryExpression' && /^[!=]==?$/.test(part.operator!)) return true;
    if (part.type === 'SwitchCase' && part.test === inner) return true;
    if (part.type === 'MemberExpression' && part.property === inner) return true;
    if (part.type === 'Property' && (part.key === inner || wordless.test(String(part.key!.name ?? part.key!.value))))
      return true;
  }
  return false;
}

const transpilers = { ts: new Bun.Transpiler({ loader: 'ts' }), tsx: new Bun.Transpiler({ loader: 'tsx' }) };

/** The messages that a file uses, and its texts that should be messages. */
export function wordsIn(path: string, text: string): { messages: string[]; outside: string[] } {
  const script = transpilers[path.endsWith('x') ? 'tsx' : 'ts'].transformSync(text);
  const messages: string[] = [];
  const outside: string[] = [];
  fullAncestor(parse(script, { ecmaVersion: 'latest', sourceType: 'module' }), (node, _state, ancestors) => {
    // The parser's types declare these fields only on specific node types.
    const around = ancestors as unknown as Part[];
    const found = textOf(node);
    if (found === undefined) return;
    const asked = around.findLast((part) => part.type === 'CallExpression');
    if (asked && /^(t|rich)$/.test(nameOf(asked))) messages.push(found);
    if (programs.test(path) || sameEverywhere.has(found) || forPrograms.has(found)) return;
    if (readsAsWords(found) && !isForPrograms(around)) outside.push(found);
  });
  return { messages, outside };
}

function textOf(node: AnyNode): string | undefined {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  return node.type === 'TemplateLiteral' ? node.quasis.map(({ value }) => value.cooked).join('…') : undefined;
}

if (import.meta.main) {
  const faults: string[] = [];
  const used = new Set<string>();
  for await (const path of new Bun.Glob('web/src/**/*.{ts,tsx}').scan()) {
    if (/\.(test|fixture|gen)\.tsx?$|\.d\.ts$|\/language\//.test(path)) continue;
    const { messages, outside } = wordsIn(path, await Bun.file(path).text());
    for (const message of messages) used.add(message);
    faults.push(...outside.map((text) => `${path}: ${JSON.stringify(text)} is not passed through t() or rich()`));
  }
  for (const message of Object.keys(words))
    if (!used.has(message)) faults.push(`web/src/language/zh-CN: no page uses ${JSON.stringify(message)}`);
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exit(1);
  console.log(`${used.size} messages, each in two languages`);
}
