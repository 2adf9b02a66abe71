/** What the documents name exists: options, variables, addresses, pages, buttons, chapters. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { usage } from '../server/src/cli/commands.ts';
import { optionTable } from '../server/src/identity/option-table.ts';
import { vendors } from '../server/src/lib/vendors/table.ts';
import { openApiDocument } from '../server/src/openapi-document.ts';
import { navigationFor } from '../web/src/navigation.ts';
import { pages } from '../web/src/routes.tsx';
import type { ApiDocument } from './fuzz/document.ts';

const root = join(import.meta.dir, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const listed = (pattern: string): string[] => [...new Bun.Glob(pattern).scanSync(root)];
/** Pages for users. Records of decisions, and the changelog, describe the past. */
const documents = ['README.md', 'CONTRIBUTING.md', ...listed('docs/*.md'), ...listed('docs/guides/*.md')];

const withoutBlocks = (text: string): string => text.replaceAll(/^```.*?^```$/gms, '');
/** What stands between backticks in the text, and blocks of commands and requests. */
const codeIn = (document: string): string[] => [
  ...[...withoutBlocks(read(document)).matchAll(/`([^`]+)`/g)].map(([, code]) => code!),
  ...[...read(document).matchAll(/^```(\w*)\n(.*?)^```$/gms)]
    .filter(([, language]) => ['', 'sh', 'text'].includes(language!))
    .map(([, , code]) => code!),
];

/** Those of these words of the documents that are none of the known ones. */
const unknown = (pattern: RegExp, isKnown: (word: string) => boolean): string[] => {
  const words = documents.flatMap((document) =>
    codeIn(document).flatMap((code) => [...code.matchAll(pattern)].map(([word]) => `${document}: ${word}`)),
  );
  expect(words.length).toBeGreaterThan(20);
  return [...new Set(words)].filter((word) => !isKnown(word.slice(word.indexOf(': ') + 2)));
};

test('every option that a document names exists', () => {
  const ofOthers = new Set([
    ...['ModelRatio', 'CompletionRatio', 'CacheRatio', 'GroupRatio', 'ModelPrice'], // new-api
    ...['InvokeModel', 'InvokeModelWithResponseStream', 'ListInferenceProfiles', 'CallWithBearerToken'], // Bedrock
    ...['AbortIncompleteMultipartUpload', 'DeviceAuth', 'CountTokens'], // S3, Go’s oauth2, Google’s Go SDK
    ...['PostgreSQL', 'MySQL', 'HttpOnly', 'SameSite', 'OpenAIRealtimeWS', 'ResponsesWS', 'WebSocket'],
  ]);
  const names = /(?<![\w.<{])[A-Z][a-z]+(?:[A-Z0-9][A-Za-z0-9]*)+(?!…|\w)/g;
  expect(unknown(names, (name) => name in optionTable || ofOthers.has(name))).toEqual([]);
});

test('every variable that a document names is read by somebody', () => {
  const own = [...read('server/src/config.ts').matchAll(/^ {2}([A-Z][A-Z0-9_]+):/gm)].map(([, name]) => name!);
  const readers = [...listed('scripts/*.ts'), ...listed('bench/**/*.ts'), ...listed('e2e/**/*.ts')]
    .map(read)
    .join('\n');
  const ofOthers = [
    ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'NODE_EXTRA_CA_CERTS'], // Bun
    ...['OPENAI_BASE_URL', 'ANTHROPIC_BASE_URL', 'GOOGLE_GEMINI_BASE_URL'], // SDKs
    ...['CLIENT_ID', 'CLIENT_SECRET', 'MCP_SERVER', 'SVC_KEY', 'SQL_DSN'], // examples
  ];
  const known = new Set([...own, ...ofOthers, ...vendors.flatMap(({ env }) => env || [])]);
  const names = /(?<![\w$"-])[A-Z][A-Z0-9]*_[A-Z0-9_]+(?![\w-])/g;
  const isRead = (name: string) => known.has(name) || new RegExp(`\\b${name}\\b`).test(readers);
  expect(unknown(names, isRead)).toEqual([]);
});

test('the README gives the defaults that the service uses', () => {
  const [, rules] = read('server/src/config.ts').match(/^const rules = \{\n(.*?)^\}/ms)!;
  const defaults = rules!.split(/^(?= {2}[A-Z])/m).flatMap((rule) => {
    const [, name, written] = /^ {2}(\w+):.*\.default\(([^()]*)\),$/s.exec(rule.trimEnd()) ?? [];
    const value = (written ?? '').replaceAll(/^'|'$|(?<=\d)_(?=\d)/g, '').replace(/^false$/, '0');
    // Empty lists and texts have words of their own.
    return value === '' || value === '{}' ? [] : [{ name: name!, value }];
  });
  expect(defaults.length).toBeGreaterThan(12);
  const rows = [...read('README.md').matchAll(/^\| ((?:`[A-Z0-9_]+`(?:, )?)+) \| ([^|]*) \|/gm)].flatMap(
    ([, names, given]) => {
      const values = given!.split(', ');
      return codesOf(names!).map((name, i) => [name, values[i]?.replaceAll('`', '')] as const);
    },
  );
  expect(defaults.filter(({ name, value }) => !rows.some((row) => row[0] === name && row[1] === value))).toEqual([]);
});

const { paths } = (await openApiDocument()) as ApiDocument;
const parts = (path: string): string[] => path.split('/').slice(1);
/** Whether an address in a document, with its own names for what varies, is this one. */
const isLike = (written: string, path: string): boolean => {
  const [ours, its] = [parts(written), parts(path)];
  return ours.length === its.length && ours.every((part, i) => part === its[i] || /^[{$]/.test(its[i]!));
};
/** Beside the API: of the process, of the web app, and other spellings. */
const elsewhere =
  /^\/(healthz|readyz|metrics|docs|openapi\.json|client-metadata\.json|openai\/|v1beta\/.*:|v1\/models\/)/;

test('every address of the API that a document names is served', () => {
  const addresses = /(?<![\w.…/{}:-])\/(?:api|v1|v1beta|v2|scim|mcp|\.well-known)\/[\w./{}-]*\w\}?(?![\w$/…-])/g;
  const isPrefix = (written: string) => Object.keys(paths).some((path) => path.startsWith(`${written}/`));
  const isServed = (written: string) =>
    elsewhere.test(written) || isPrefix(written) || Object.keys(paths).some((path) => isLike(written, path));
  expect(unknown(addresses, isServed)).toEqual([]);
});

test('every request that a document names, with its method, is one of the API', () => {
  const requests = /\b(?:GET|POST|PUT|PATCH|DELETE) (?:…|)\/[\w./{}-]*[\w}]/g;
  const isOne = (request: string) => {
    const [method, written] = request.split(' ') as [string, string];
    if (elsewhere.test(written) || written === '/your/path') return true;
    const short = written.replace('…', '');
    return Object.entries(paths).some(
      ([path, methods]) =>
        method.toLowerCase() in methods &&
        (short === written
          ? isLike(written, path)
          : isLike(short, `/${parts(path).slice(-parts(short).length).join('/')}`)),
    );
  };
  expect(unknown(requests, isOne)).toEqual([]);
});

test('every page that a document names by its address exists', () => {
  const words = documents.flatMap((document) => codeIn(document));
  const named = words.filter((word) => /^\/[a-z][a-z-]*(\/[a-z{}-]+)*$/.test(word));
  expect(named.length).toBeGreaterThan(20);
  const isPage = (word: string) => pages.some(({ path }) => isLike(word, path));
  const isApi = (word: string) => /^\/(api|v1|v1beta|v2|scim|mcp|token)(\/|$)/.test(word) || elsewhere.test(word);
  /** Of upstreams and of the machine. */
  const others = ['/data', '/completions', '/responses', '/dev/shm', '/usr/local/bin'];
  expect(named.filter((word) => !isPage(word) && !isApi(word) && !others.includes(word))).toEqual([]);
});

/** Texts of the web app and of the service’s messages. */
const texts = [...listed('web/src/**/*.{ts,tsx}'), ...listed('server/src/**/*.ts')]
  .filter((path) => !/zh-CN|\.test\.|\.fixture\./.test(path))
  .flatMap((path) => [...read(path).matchAll(/'((?:[^'\\\n]|\\.)+)'/g)].map(([, text]) => text!.replace(/##.*$/, '')));

test('every button, page and field that a guide names in italics has that name in the web app', () => {
  const ofOthers = new Set([
    ...['IAM', 'Service accounts', 'Vertex AI User', 'Model access'], // Google’s console and Amazon’s
    ...['Token configuration', 'App roles', 'Enterprise applications', 'Tenant URL', 'Secret Token', 'Test Connection'], // Entra ID
    ...['Provisioning', 'Unique identifier field', 'Authentication mode', 'HTTP Header', 'Base URL'], // Okta
    ...['Create Users', 'Update User Attributes', 'Deactivate Users', 'Push Groups'],
    ...['SCIM 2.0 Test App (OAuth Bearer Token)', '.vscode', '.cursor', 'MCP: Add Server'],
    // A chapter, and emphasis.
    ...['Sign-in through others', 'name', 'offered', 'keys of users', 'Chat', 'Objects'],
  ]);
  const known = new Set(texts);
  // A message may go on with its reason; a name in it may be left open.
  const isKnown = (label: string) =>
    known.has(label) ||
    texts.some(
      (text) => text === `${label}:` || text.startsWith(`${label}: `) || text.replace(/\{\w+\}/, '…') === label,
    );
  const labels = listed('docs/guides/*.md').flatMap((document) =>
    [
      ...withoutBlocks(read(document))
        .replaceAll(/`[^`]*`|\*\*/g, '')
        .matchAll(/(?<=[\s(“,])(- )?\*([^*]+)\*/g),
    ]
      // Lists begin with a heading.
      .filter(([, bullet, label]) => !bullet && !/[.:]$/.test(label!))
      .map(([, , label]) => `${document}: ${label!.replaceAll(/\s+/g, ' ')}`),
  );
  expect(labels.length).toBeGreaterThan(80);
  const wrong = labels.filter((line) => {
    const label = line.slice(line.indexOf(': ') + 2);
    return !isKnown(label) && !ofOthers.has(label);
  });
  expect(wrong).toEqual([]);
});

test('every page that a guide names has that name in the navigation', () => {
  const named = listed('docs/guides/*.md').flatMap((document) =>
    [...read(document).matchAll(/\bpages?\s\*([^*]+)\*|\*([^*]+)\*\spage\b/g)].map(
      ([, after, before]) => `${document}: ${(after ?? before)!.replaceAll(/\s+/g, ' ')}`,
    ),
  );
  const [, table] = read('docs/guides/user.md').match(/\| page \| \|\n\|---\|---\|\n((?:\|.*\n)+)/)!;
  const rows = [...table!.matchAll(/^\| ([^|]+) \|/gm)].map(([, name]) => `the table of administrators: ${name}`);
  expect([named.length > 10, rows.length > 10]).toEqual([true, true]);
  const labels = new Set(navigationFor({ role: 100 }).flatMap(({ entries }) => entries.map(({ label }) => label)));
  expect([...named, ...rows].filter((line) => !labels.has(line.slice(line.indexOf(': ') + 2)))).toEqual([]);
});

test('the performance page lists every benchmark, and no others', () => {
  const [, suites] = read('bench/main.ts').match(/^const suites[^{]*\{\n(.*?)^\};/ms)!;
  const named = [...suites!.matchAll(/^ {2}'?([\w-]+)'?/gm)].map(([, name]) => name!);
  const rows = [...read('docs/performance.md').matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name!);
  expect(rows.toSorted()).toEqual(named.toSorted());
});

test('the README lists every command, with what it takes', () => {
  const rows = [...read('README.md').matchAll(/^\| `svc ([^`]+)` \|/gm)].map(([, call]) =>
    call!.replaceAll('\\|', '|'),
  );
  const calls = [...usage().matchAll(/^ {2}(\S.*?) {2}/gm)].map(([, call]) => call!);
  expect(calls.length).toBeGreaterThan(10);
  expect(rows.filter((call) => !call.startsWith('--')).toSorted()).toEqual(calls.toSorted());
});

/** The words of a union type. */
const unionOf = (file: string, type: string): string[] => {
  const [, union] = read(file).match(new RegExp(`^(?:export )?type ${type} =(.*?);$`, 'ms'))!;
  return [...union!.matchAll(/'(\w+)'/g)].map(([, word]) => word!);
};
const codesOf = (text: string): string[] => [...text.matchAll(/`(\w+)`/g)].map(([, word]) => word!);

test('the guide for application developers names every event of a webhook', () => {
  const [, chapter] = read('docs/guides/application-developer.md').match(/^## Webhooks\n(.*?)^## /ms)!;
  const named = codesOf(chapter!).filter((word) => word.startsWith('consent_'));
  expect(named.toSorted()).toEqual(unionOf('server/src/oauth/webhooks.ts', 'WebhookEvent').toSorted());
});

test('the page about metrics names every reason of a failed call', () => {
  const [, reasons] = read('docs/metrics.md').match(/the reason of the failure: (.*) \|$/m)!;
  expect(codesOf(reasons!).toSorted()).toEqual(unionOf('server/src/routing/decision.ts', 'Cause').toSorted());
});

test('the page about orchestration names every reason why a run is paused', () => {
  const [, reasons] = read('docs/orchestration.md').match(/^A run that cannot continue is \*paused\*: (.*?)\./ms)!;
  const others = ['tool_calls', 'approval', 'cancelled'];
  const known = unionOf('server/src/orchestra/autonomous/events.ts', 'PauseReason').filter(
    (one) => !others.includes(one),
  );
  expect(codesOf(reasons!).toSorted()).toEqual(known.toSorted());
});

/** As GitHub makes it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');

test('every link to a chapter has a target', () => {
  const anchors = (document: string): string[] =>
    [...withoutBlocks(read(document)).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading!));
  const links = documents.flatMap((document) =>
    [...read(document).matchAll(/\]\(([\w./-]*)#([^)]+)\)/g)].map(([, path, anchor]) => ({ document, path, anchor })),
  );
  expect(links.length).toBeGreaterThan(15);
  const broken = links.filter(
    ({ document, path, anchor }) => !anchors(path ? join(dirname(document), path) : document).includes(anchor!),
  );
  expect(broken).toEqual([]);
});
