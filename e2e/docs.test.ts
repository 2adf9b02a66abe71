/** What the documents tell people to type is typed here, block by block, against a running service. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { figures, figuresOnPage, figuresOnScalePage, scaleFigures } from '../bench/page/write.ts';
import { vendors } from '../server/src/lib/vendors/table.ts';
import { freePort, rootPassword, type Service, startService } from './service.ts';

setDefaultTimeout(120_000);

const root = join(import.meta.dir, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const blocksOf = (path: string, language: string): string[] =>
  [...read(path).matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map((match) => match[1]!);

let service: Service;
let folder: string;
beforeAll(async () => {
  service = await startService();
  folder = mkdtempSync(join(tmpdir(), 'svc-docs-'));
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** curl that fails on an error answer, and prints each on a line of its own. */
const strictly = `set -euo pipefail
curl() { command curl --fail-with-body --max-time 60 "$@"; echo; }
`;

async function runShell(blocks: string[]): Promise<{ code: number; output: string }> {
  const script = blocks
    .join('\n')
    .replaceAll('http://localhost:3000', service.url)
    .replace(/^PASSWORD=.*$/m, `PASSWORD='${rootPassword}'`);
  const child = Bun.spawn(['bash', '-c', strictly + script], {
    cwd: folder,
    stdout: 'pipe',
    stderr: 'pipe',
    env: { ...process.env, HOME: folder },
  });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, output: `${out}\n${err}` };
}

const typed = (path: string): string[] => blocksOf(path, 'sh').filter((block) => !/^npm /m.test(block));

test('every shell command in the README works', async () => {
  const { code, output } = await runShell(typed('README.md'));
  expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
  expect(output).toContain('"object":"chat.completion"');
  expect(output).toContain('[DONE]');
});

test('the list of people in the operator guide is invited, as a spreadsheet on Windows writes it', async () => {
  const [block] = blocksOf('docs/guides/operator.md', 'sh').filter((one) => one.includes('people.csv'));
  writeFileSync(join(folder, 'people.csv'), '\ufeffmary,mary@example.com,1000\r\njohn,john@example.com,2000');
  const filled = block!.replace('"password": "…"', `"password": "${rootPassword}"`);
  const { code, output } = await runShell([`BASE_URL=${service.url}`, filled]);
  expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
  const { users } = await service.root.api<{ users: { username: string; quota: number }[] }>('/api/admin/users');
  const invited = users.filter(({ username }) => ['mary', 'john'].includes(username));
  expect(invited.map(({ username, quota }) => [username, quota]).toSorted()).toEqual([
    ['john', 2000],
    ['mary', 1000],
  ]);
});

test('every shell command in the client guide works', async () => {
  const { code, output } = await runShell(typed('docs/guides/client.md'));
  expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
});

test('every shell command in the pages about orchestration and videos works', async () => {
  const [login] = typed('docs/guides/client.md');
  const [create, ...videos] = typed('docs/guides/video.md')[0]!.split(/^# 202.*$/m);
  const order = `JOB=$(${create!.trim()} | sed 's/.*"id":"\\(job-[^"]*\\).*/\\1/')`;
  const ready = 'until ask $BASE_URL/v1/videos/$JOB | grep -q completed; do sleep 0.2; done';
  const { code, output } = await runShell([
    login!,
    ...typed('docs/orchestration.md'),
    ...[order, ready, videos.join('\n').replaceAll('job-…', '$JOB')],
  ]);
  expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
  expect(output).toContain('"unsigned_urls"');
});

const programs = ['docs/guides/client.md', 'docs/guides/agents.md'].flatMap((path) => blocksOf(path, 'ts'));

describe('the programs in the client and agent guides run unchanged', () => {
  test.each(programs.map((code, i) => [i + 1, code] as const))('program %d', async (i, code) => {
    // Inside the project, so that its packages are found.
    const file = join(root, 'dist', `client-guide-${process.pid}-${i}.ts`);
    writeFileSync(file, code);
    const child = Bun.spawn([process.execPath, file], {
      stdout: 'pipe',
      stderr: 'pipe',
      env: {
        ...process.env,
        OPENAI_BASE_URL: `${service.url}/v1`,
        OPENAI_API_KEY: service.key,
        ANTHROPIC_BASE_URL: service.url,
        ANTHROPIC_API_KEY: service.key,
        GOOGLE_GEMINI_BASE_URL: service.url,
        GEMINI_API_KEY: service.key,
        MCP_SERVER: `${service.url}/mcp`,
        SVC_KEY: service.key,
      },
    });
    const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    rmSync(file);
    expect({ code: await child.exited, err }).toEqual({ code: 0, err: '' });
    expect(out.length).toBeGreaterThan(10);
  });
});

describe('OAuth in ten minutes', () => {
  const guide = 'docs/guides/application-developer.md';
  const example = 'docs/guides/examples/oauth-app.mjs';

  test('the guide contains the example program unchanged', () => {
    expect(blocksOf(guide, 'js')).toContain(read(example));
  });

  test('the guide links to every example program', () => {
    const programs = readdirSync(join(root, dirname(example)));
    expect(programs.length).toBeGreaterThan(7);
    expect(programs.filter((name) => !read(guide).includes(`](examples/${name})`))).toEqual([]);
  });

  test('the example program signs a user in', async () => {
    const user = await service.user();
    const application = await user.api<{ client_id: string; client_secret_plain: string }>('/api/oauth2/applications', {
      method: 'POST',
      body: {
        name: 'Guide',
        redirect_uris: ['http://127.0.0.1/callback'],
        scopes: 'openid profile email tokens:write',
      },
    });
    const port = freePort();
    const own = `http://127.0.0.1:${port}`;
    const child = Bun.spawn([process.execPath, join(root, example)], {
      stdout: 'pipe',
      stderr: 'inherit',
      env: {
        ...process.env,
        ISSUER: service.url,
        CLIENT_ID: application.client_id,
        CLIENT_SECRET: application.client_secret_plain,
        PORT: `${port}`,
      },
    });
    try {
      await child.stdout.getReader().read();
      const begun = await fetch(`${own}/login`, { redirect: 'manual' });
      const cookie = begun.headers.get('set-cookie')!.split(';')[0]!;
      const { response_type: _, ...asked } = Object.fromEntries(new URL(begun.headers.get('location')!).searchParams);
      const approved = { ...asked, approved: true };
      const { redirect_url } = await user.api<{ redirect_url: string }>('/api/oauth2/authorize', {
        method: 'POST',
        body: approved,
      });
      expect(redirect_url).toStartWith(`${own}/callback`);
      const strange = await fetch(redirect_url);
      expect(strange.status).toBe(400);
      const home = await fetch(redirect_url, { headers: { cookie } });
      expect(home.status).toBe(200);
      const { user: seen, answer } = (await home.json()) as { user: { sub: string }; answer: string };
      expect(seen.sub).toBe(`${user.id}`);
      expect(answer).toContain('Hello');
    } finally {
      child.kill();
      await child.exited;
    }
  });
});

const ownVariables = [...read('server/src/config.ts').matchAll(/^ {2}([A-Z][A-Z0-9_]+):/gm)].map((match) => match[1]!);
const variables = [...ownVariables, ...vendors.flatMap(({ env }) => env || [])];

test('the README lists every configuration variable', () => {
  const readme = read('README.md');
  expect(ownVariables.length).toBeGreaterThan(30);
  expect(variables.filter((name) => !readme.includes(`\`${name}\``))).toEqual([]);
});

test('every variable in the README’s tables and in the examples for operators is one that the service reads', () => {
  const tables = read('README.md').matchAll(/^\| ((?:`[A-Z][A-Z0-9_]+`(?:, |, …, )?)+) \|/gm);
  const listed = [...tables].flatMap(([, cell]) => cell!.match(/[A-Z][A-Z0-9_]+/g)!);
  const compose = (Bun.YAML.parse(read('compose.yaml')) as { 'x-svc': { environment: object } })['x-svc'].environment;
  const [map] = read('deploy/kubernetes.yaml').match(/^data:\n(?: +.*\n)+/m)!;
  const inPods = [...map.matchAll(/^ {2}([A-Z0-9_]+):/gm)].map((match) => match[1]!);
  const secret = [...read('deploy/kubernetes.yaml').matchAll(/--from-literal=([A-Z0-9_]+)=/g)].map(
    (match) => match[1]!,
  );
  expect([listed.length > 50, inPods.length > 5, secret.length > 5]).toEqual([true, true, true]);
  const named = [...listed, ...Object.keys(compose), ...inPods, ...secret];
  expect(named.filter((name) => !variables.includes(name))).toEqual([]);
});

test.skipIf(!process.env.SVC_PROGRAM)('the operator guide says how large the executable is', () => {
  const [, told] = read('docs/guides/operator.md').match(/of which the executable is (\d+)\./)!;
  const megabytes = statSync(process.env.SVC_PROGRAM!).size / 1e6;
  expect(Math.abs(megabytes / Number(told) - 1)).toBeLessThan(0.1);
});

test('the figures on the performance page match the benchmarks', () => {
  expect(figuresOnPage()).toBe(figures());
  expect(figuresOnScalePage()).toBe(scaleFigures());
});

const documents = ['*.md', 'docs/**/*.md'].flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(root)]);

test('every link between documents has a target', () => {
  expect(documents.length).toBeGreaterThan(15);
  const broken: string[] = [];
  for (const document of documents)
    for (const [, target] of read(document).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g))
      if (!/^[a-z]+:/.test(target!) && !existsSync(join(root, dirname(document), target!)))
        broken.push(`${document} → ${target}`);
  expect(broken).toEqual([]);
});

/** Whether a word is a path of this repository: by its ending, a slash at its end, or the folder it begins with. */
const isPath = (word: string): boolean =>
  /^[\w.-]+(\/[\w.<>-]+)*\/?$/.test(word) &&
  (/\/$|\.(tsx?|mjs|md|ya?ml|conf|css)$/.test(word) || /^(server|web|e2e|scripts|bench|docs|deploy|\.ci)\//.test(word));

/** Of a placeholder such as `x.ts`, `NNNN-name.ts` or `<kind>.ts` only the folder has to exist. */
const named = (path: string): string => (/^(x\.|NNNN-|<)/.test(basename(path)) ? dirname(path) : path);

test('every file and folder named in a document exists', () => {
  const missing = documents.flatMap((document) => {
    const text = read(document).replaceAll(/^```.*?^```$/gms, '');
    // The changelog and superseded decisions describe the past.
    if (document === 'CHANGELOG.md' || /^\*\*Status:\*\* superseded/m.test(text)) return [];
    const words = [...text.matchAll(/`([^`\n]+)`/g)].flatMap(([, code]) => code!.split(' '));
    // Paths may begin at server/src.
    const exists = (path: string) => existsSync(join(root, path)) || existsSync(join(root, 'server/src', path));
    return words.filter((word) => isPath(word) && !exists(named(word))).map((word) => `${document}: ${word}`);
  });
  expect(missing).toEqual([]);
});
