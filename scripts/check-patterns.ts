/**
 * Finds regular expressions that can take more than linear time. An input of one character repeated a million times
 * must not block the process, so slow patterns are rewritten, or listed below with the reason why their input is short.
 */
import { type AST, RegExpParser } from '@eslint-community/regexpp';
import { parse } from 'acorn';
import { full } from 'acorn-walk';
import { analyse } from 'scslre';
import { restarts } from './pattern-restarts.ts';

/** By file: patterns that only get short input, and why. `*` stands for patterns built from variables. */
const shortInput: Record<string, Record<string, string>> = {
  'server/src/platform/http/router.ts': { '*': 'anchored at both ends, and a slash ends each part' },
  'server/src/platform/http/shown-text.ts': { '*': 'sets of letters, each for one character; nothing is repeated' },
  'server/src/platform/http/web-assets.ts': { '*': 'of the build itself, anchored, without repetition' },
  'server/src/relay/providers/demo/chat/sections.ts': {
    '*': 'the variable is a name of ours; no repetition before the end',
  },
  'server/src/relay/providers/demo/chat/split-request.ts': {
    '*': 'verbs of ours; blanks in a row are bounded by request.ts',
  },
  'server/src/video/request.ts': { '*': 'anchored at both ends, and no part can run over the next' },
  'web/src/pages/runs/run-words.ts': { '[\\s,;:.]+$': 'a title, cut before' },
};

export interface Found {
  path: string;
  /** Null if it is built from variables, so it cannot be checked. */
  source: string | null;
  flags: string;
  text: string;
}

const transpilers = { ts: new Bun.Transpiler({ loader: 'ts' }), tsx: new Bun.Transpiler({ loader: 'tsx' }) };

export function patternsOf(path: string, text: string): Found[] {
  const script = transpilers[path.endsWith('x') ? 'tsx' : 'ts'].transformSync(text);
  const found: Found[] = [];
  full(parse(script, { ecmaVersion: 'latest', sourceType: 'module' }), (node) => {
    const shown = script.slice(node.start, node.end);
    if (node.type === 'Literal' && 'regex' in node && node.regex) {
      const { pattern: source, flags } = node.regex as { pattern: string; flags: string };
      found.push({ path, source, flags, text: shown });
    }
    if (node.type !== 'NewExpression' && node.type !== 'CallExpression') return;
    // Both node types have these fields, but the parser's types declare them only on the specific types.
    const { callee, arguments: given } = node as unknown as { callee: { name?: string }; arguments: Given[] };
    if (callee.name !== 'RegExp') return;
    const [source, flags = ''] = given.map(constantText);
    found.push({ path, source: source ?? null, flags: flags ?? '', text: shown });
  });
  return found;
}

interface Given {
  type: string;
  value?: unknown;
  quasis?: { value: { cooked: string } }[];
}

function constantText({ type, value, quasis }: Given): string | null {
  if (type === 'Literal' && typeof value === 'string') return value;
  return type === 'TemplateLiteral' && quasis?.length === 1 ? quasis[0]!.value.cooked : null;
}

const parser = new RegExpParser();

/** Reasons why the pattern can take more than linear time; empty if it cannot. */
export function faultsOf(source: string, flags: string): string[] {
  const unicode = flags.includes('u');
  const pattern: AST.Pattern = parser.parsePattern(source, 0, source.length, {
    unicode,
    unicodeSets: flags.includes('v'),
  });
  const { reports } = analyse({ source, flags });
  const backtracks = reports.map(({ type, exponential }) =>
    type === 'Move' ? 'restarts at every position' : `backtracks ${exponential ? 'exponentially' : 'quadratically'}`,
  );
  return [...new Set([...backtracks, ...restarts(pattern, flags)])];
}

export function faultsIn(path: string, text: string, allowed = shortInput[path] ?? {}): string[] {
  return patternsOf(path, text).flatMap(({ source, flags, text: shown }) => {
    if (allowed[source ?? '*'] !== undefined) return [];
    if (source === null) return [`${path}: ${shown}: built from variables, so its running time cannot be checked`];
    return faultsOf(source, flags).map((fault) => `${path}: ${shown} ${fault}`);
  });
}

if (import.meta.main) {
  const faults: string[] = [];
  for await (const path of new Bun.Glob('{server,web}/src/**/*.{ts,tsx}').scan())
    if (!/\.(test|fixture|gen)\.tsx?$/.test(path)) faults.push(...faultsIn(path, await Bun.file(path).text()));
  for (const fault of faults.sort()) console.error(fault);
  process.exit(faults.length > 0 ? 1 : 0);
}
