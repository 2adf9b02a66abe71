/** Bundles the web app into `dist/web`: hashed scripts, styles and translations, compressed copies, and a manifest. */
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants as zlib } from 'node:zlib';
import type { WebFile, WebManifest } from '../server/src/platform/http/web-assets.ts';
import { webStyles } from './web-styles.ts';
import { webWords } from './web-words.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = join(root, 'web/src');

const types: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
  png: 'image/png',
};

async function bundle(entry: string, outDir: string) {
  const result = await Bun.build({
    entrypoints: [join(source, entry)],
    outdir: join(outDir, 'assets'),
    format: 'esm',
    target: 'browser',
    splitting: true,
    minify: true,
    metafile: true,
    publicPath: '/assets/',
    naming: '[name]-[hash].[ext]',
    define: { 'process.env.NODE_ENV': '"production"' },
    jsx: { runtime: 'automatic', development: false },
  });
  if (!result.metafile) throw new Error('the bundler reported no chunks');
  return { outputs: result.outputs, metafile: result.metafile };
}

/** The script that is inlined into the page. */
async function earlyScript(constants: Record<string, string>): Promise<string> {
  const entrypoints = [join(source, 'before-paint.ts')];
  const { outputs } = await Bun.build({
    entrypoints,
    format: 'iife',
    target: 'browser',
    minify: true,
    define: constants,
  });
  // The HTML parser would take a closing tag inside the script for the script's end.
  return (await outputs[0]!.text()).trim().replaceAll('</', '<\\/');
}

type Bundle = Awaited<ReturnType<typeof bundle>>;

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Names of the chunks that a browser needs before `entry` can run: the entry and its static imports. */
function chunksOf({ metafile }: Bundle, entry: string): Set<string> {
  const outputs = new Map(Object.entries(metafile.outputs).map(([path, output]) => [nameOf(path), output]));
  const first = [...outputs].find(([, { entryPoint }]) => entryPoint?.endsWith(`web/src/${entry}`));
  if (!first) throw new Error(`no chunk was built from ${entry}`);
  const found = new Set<string>();
  const visit = (name: string): void => {
    if (found.has(name)) return;
    found.add(name);
    for (const { path, kind } of outputs.get(name)?.imports ?? []) {
      if (kind === 'import-statement') visit(nameOf(path));
    }
  };
  visit(first[0]);
  return found;
}

const self = '/api/user/self';

/**
 * Which group of `web/src/page-groups/` contains the page of a URL, and which of its API requests are known in advance;
 * they must match the page's requests exactly (home-queries.ts). The first match wins.
 */
const groups: [address: string, group: string, questions: string[]][] = [
  ['^/$', 'first', [self, '/api/models', '/api/usage/summary?from={today}&group_by=day']],
  ['^/(oauth2/authorize|device|join|link-account)$', 'more', [self]],
  ['^/admin(/|$)', 'admin', [self]],
  ['^/', 'user', [self]],
];

/**
 * The icon is inlined, which saves a request per page. So are the styles of the first pages, because the connection
 * would otherwise be idle until the linked files are requested. They come before the inline script, which adds the
 * styles of all pages.
 */
function indexPage(app: Bundle, { early, icon, styles }: { early: string; icon: string; styles: string }): string {
  const [entry, ...preloads] = chunksOf(app, 'main.tsx');
  const asset = (path: string): string => `/assets/${nameOf(path)}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>svc</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(icon.trim())}">
${preloads.map((name) => `<link rel="modulepreload" href="${asset(name)}">`).join('\n')}
<script type="module" src="${asset(entry!)}"></script>
<style>${styles}</style>
<script>${early}</script>
</head>
<body>
<div id="root"></div>
<noscript>This application needs JavaScript. <span lang="zh-CN">本应用需要 JavaScript。</span></noscript>
</body>
</html>
`;
}

const hashOf = (text: string): Bun.CryptoHasher => new Bun.CryptoHasher('sha256').update(text);

/** Writes a file named by its content hash, and returns its URL. */
async function writeAsset(outDir: string, name: string, ending: string, text: string): Promise<string> {
  const path = `assets/${name}-${hashOf(text).digest('hex').slice(0, 8)}.${ending}`;
  await Bun.write(join(outDir, path), text);
  return `/${path}`;
}

/** Two versions: what the first pages need, and everything. */
interface Editions {
  first: string;
  whole: string;
}

async function writeEditions(outDir: string, name: string, ending: string, { first, whole }: Editions) {
  return {
    first: await writeAsset(outDir, `${name}-first`, ending, first),
    whole: await writeAsset(outDir, name, ending, whole),
  };
}

/** Replaces the bundler's output for our own styles. */
async function stylesOf({ outputs }: Bundle, firstChunks: Set<string>): Promise<Editions> {
  const text = async (files: Bun.BuildArtifact[]) => (await Promise.all(files.map((file) => file.text()))).join('\n');
  const scripts = outputs.filter(({ path }) => path.endsWith('.js'));
  const made = outputs.filter(({ path }) => path.endsWith('.css'));
  const ours = await text(made);
  for (const { path } of made) await rm(path);
  const first = scripts.filter(({ path }) => firstChunks.has(nameOf(path)));
  return { first: await webStyles(await text(first), ours), whole: await webStyles(await text(scripts), ours) };
}

/** Our source files that the chunks consist of. */
function sourcesOf({ metafile }: Bundle, chunks: Set<string>): string[] {
  const made = Object.entries(metafile.outputs).filter(([path]) => chunks.has(nameOf(path)));
  return made.flatMap(([, { inputs }]) => Object.keys(inputs)).filter((path) => path.startsWith('web/src/'));
}

const compressed = promisify(brotliCompress);

/** Maximum compression takes three times as long, so it is used only for the files that every user waits for. */
const qualities = { first: zlib.BROTLI_MAX_QUALITY, later: 9 };

async function compress(outDir: string, path: string, when: keyof typeof qualities): Promise<WebFile> {
  const file = Bun.file(join(outDir, path));
  const bytes = await file.bytes();
  const type = types[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
  const worth = bytes.length > 256 && /text|svg|javascript/.test(type);
  const gzip = worth ? Bun.gzipSync(bytes, { level: 9 }) : null;
  const brotli = worth ? await compressed(bytes, { params: { [zlib.BROTLI_PARAM_QUALITY]: qualities[when] } }) : null;
  if (gzip) await Bun.write(join(outDir, `${path}.gz`), gzip);
  if (brotli) await Bun.write(join(outDir, `${path}.br`), brotli);
  return {
    path: `/${path}`,
    type,
    bytes: bytes.length,
    gzip: gzip?.length ?? 0,
    brotli: brotli?.length ?? 0,
    immutable: path.startsWith('assets/'),
    etag: new Bun.CryptoHasher('sha256').update(bytes).digest('hex').slice(0, 20),
  };
}

export async function buildWeb(outDir: string): Promise<{ manifest: WebManifest; loginScriptBytes: number }> {
  await rm(outDir, { recursive: true, force: true });
  await mkdir(outDir, { recursive: true });
  const app = await bundle('main.tsx', outDir);
  const login = chunksOf(app, 'main.tsx');
  const firstChunks = chunksOf(app, 'page-groups/first.ts').union(login);
  const styles = await stylesOf(app, firstChunks);
  const allStyles = await writeAsset(outDir, 'styles', 'css', styles.whole);
  const words: Record<string, Editions> = {};
  for (const [language, editions] of await webWords(sourcesOf(app, firstChunks).map((path) => join(root, path))))
    words[language] = await writeEditions(outDir, language.toLowerCase(), 'js', editions);
  const early = await earlyScript({ allStyles: JSON.stringify(allStyles), wordFiles: JSON.stringify(words) });
  const icon = await Bun.file(join(dirname(source), 'favicon.svg')).text();
  await Bun.write(join(outDir, 'index.html'), indexPage(app, { early, icon, styles: styles.first }));
  await Bun.write(join(outDir, 'favicon.svg'), icon);

  const chunks = app.outputs.filter(({ path }) => path.endsWith('.js')).map(({ path }) => `assets/${nameOf(path)}`);
  const wordFiles = Object.values(words).flatMap(({ first, whole }) => [first, whole]);
  const beside = [allStyles, ...wordFiles].map((address) => address.slice(1));
  const waitedFor = new Set(['index.html', ...firstChunks, ...beside.map(nameOf)]);
  const files = await Promise.all(
    ['index.html', 'favicon.svg', ...beside, ...chunks].map((path) =>
      compress(outDir, path, waitedFor.has(nameOf(path)) ? 'first' : 'later'),
    ),
  );
  const pages = groups.map(([address, group, questions]) => {
    const needed = chunksOf(app, `page-groups/${group}.ts`);
    return { address, scripts: [...login.union(needed)].map((name) => `/assets/${name}`), questions };
  });
  const scriptHash = `sha256-${hashOf(early).digest('base64')}`;
  const manifest: WebManifest = { index: '/index.html', files, scriptHash, pages };
  await Bun.write(join(outDir, 'manifest.json'), JSON.stringify(manifest, null, 2));

  const loginScriptBytes = files
    .filter(({ path }) => login.has(nameOf(path)))
    .reduce((sum, { gzip, bytes }) => sum + (gzip || bytes), 0);
  return { manifest, loginScriptBytes };
}

if (import.meta.main) {
  const started = performance.now();
  const { manifest, loginScriptBytes } = await buildWeb(join(root, 'dist/web'));
  const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`;
  const page = manifest.files.find(({ path }) => path === manifest.index)?.gzip ?? 0;
  console.log(
    `web app: ${manifest.files.length} files in ${Math.round(performance.now() - started)} ms; ` +
      `login page loads ${kilobytes(loginScriptBytes)} of script and ${kilobytes(page)} of page and styles (gzip)`,
  );
}
