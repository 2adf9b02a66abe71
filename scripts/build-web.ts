/** Bundles the web app into `dist/web`: hashed scripts and styles, compressed copies beside them, and a manifest. */
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants as zlib } from 'node:zlib';
import { webStyles } from './web-styles.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = join(root, 'web/src');

export interface WebFile {
  /** Path below the output folder, with `/`; also its address. */
  path: string;
  type: string;
  bytes: number;
  /** Sizes of `<path>.gz` and `<path>.br`, 0 where compressing does not pay. */
  gzip: number;
  brotli: number;
  /** Named by content, so a browser may keep it for ever. */
  immutable: boolean;
  /** Strong validator of the uncompressed content, without quotes. */
  etag: string;
}

export interface WebManifest {
  index: string;
  files: WebFile[];
  /** For somebody who is in: what the scripts of an address's page are, besides those that the index names. First that fits. */
  pages: { address: string; scripts: string[] }[];
}

const types: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
  png: 'image/png',
};

async function bundle(entry: string, format: 'esm' | 'iife', outDir: string, constants: Record<string, string> = {}) {
  const result = await Bun.build({
    entrypoints: [join(source, entry)],
    outdir: join(outDir, 'assets'),
    format,
    target: 'browser',
    splitting: format === 'esm',
    minify: true,
    metafile: true,
    publicPath: '/assets/',
    naming: '[name]-[hash].[ext]',
    define: { 'process.env.NODE_ENV': '"production"', ...constants },
    jsx: { runtime: 'automatic', development: false },
  });
  if (!result.metafile) throw new Error('the bundler told nothing about its chunks');
  return { outputs: result.outputs, metafile: result.metafile };
}

type Bundle = Awaited<ReturnType<typeof bundle>>;

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Names of the chunks that a browser fetches before `entry` can run: itself and what it imports statically. */
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

/** Which group of `web/src/page-groups/` brings the page of an address; the first that fits holds. */
const groups: [address: string, group: string][] = [
  ['^/($|oauth2/authorize$|device$|join$|link-account$)', 'first'],
  ['^/admin(/|$)', 'admin'],
  ['^/', 'user'],
];

function indexPage(app: Bundle, early: Bundle, styles: string): string {
  const [entry, ...preloads] = chunksOf(app, 'main.tsx');
  const asset = (path: string): string => `/assets/${nameOf(path)}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>svc</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${asset(styles)}">
<script src="${asset(early.outputs[0]!.path)}"></script>
${preloads.map((name) => `<link rel="modulepreload" href="${asset(name)}">`).join('\n')}
<script type="module" src="${asset(entry!)}"></script>
</head>
<body>
<div id="root"></div>
<noscript>This application needs JavaScript. <span lang="zh-CN">本应用需要 JavaScript。</span></noscript>
</body>
</html>
`;
}

/** Replaces what the bundler made of our own styles; gives the name of the file that has all of them. */
async function writeStyles(app: Bundle, outDir: string): Promise<string> {
  const [ours, scripts] = ['.css', '.js'].map((end) => app.outputs.filter(({ path }) => path.endsWith(end)));
  const texts = await Promise.all(
    [scripts!, ours!].map(async (files) => (await Promise.all(files.map((file) => file.text()))).join('\n')),
  );
  const css = await webStyles(texts[0]!, texts[1]!);
  for (const { path } of ours!) await rm(path);
  const hash = new Bun.CryptoHasher('sha256').update(css).digest('hex').slice(0, 8);
  await Bun.write(join(outDir, `assets/styles-${hash}.css`), css);
  return `styles-${hash}.css`;
}

const compressed = promisify(brotliCompress);

/** As small as can be takes three times as long for all of them, so it is for what everybody waits for first. */
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
  const [app, chinese] = await Promise.all([
    bundle('main.tsx', 'esm', outDir),
    bundle('language/zh-CN/zh-cn.ts', 'iife', outDir),
  ]);
  const wordFiles = { 'zh-CN': `/assets/${nameOf(chinese.outputs[0]!.path)}` };
  const early = await bundle('early.ts', 'iife', outDir, { wordFiles: JSON.stringify(wordFiles) });
  const styles = await writeStyles(app, outDir);
  await Bun.write(join(outDir, 'index.html'), indexPage(app, early, styles));
  await Bun.write(join(outDir, 'favicon.svg'), Bun.file(join(dirname(source), 'favicon.svg')));

  const scripts = [app, chinese, early].flatMap(({ outputs }) => outputs).filter(({ path }) => path.endsWith('.js'));
  const assets = [styles, ...scripts.map(({ path }) => nameOf(path))].map((name) => `assets/${name}`);
  const first = chunksOf(app, 'page-groups/first.ts').add(styles).add(nameOf(chinese.outputs[0]!.path));
  const files = await Promise.all(
    ['index.html', 'favicon.svg', ...assets].map((path) =>
      compress(outDir, path, first.has(nameOf(path)) ? 'first' : 'later'),
    ),
  );
  const login = chunksOf(app, 'main.tsx');
  const pages = groups.map(([address, group]) => {
    const needed = chunksOf(app, `page-groups/${group}.ts`);
    return { address, scripts: [...needed.difference(login)].map((name) => `/assets/${name}`) };
  });
  const manifest: WebManifest = { index: '/index.html', files, pages };
  await Bun.write(join(outDir, 'manifest.json'), JSON.stringify(manifest, null, 2));

  for (const { path } of early.outputs) login.add(nameOf(path));
  const loginScriptBytes = files
    .filter(({ path }) => login.has(nameOf(path)))
    .reduce((sum, { gzip, bytes }) => sum + (gzip || bytes), 0);
  return { manifest, loginScriptBytes };
}

if (import.meta.main) {
  const started = performance.now();
  const { manifest, loginScriptBytes } = await buildWeb(join(root, 'dist/web'));
  const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`;
  const css = manifest.files.filter(({ path }) => path.endsWith('.css')).reduce((sum, { gzip }) => sum + gzip, 0);
  console.log(
    `web app: ${manifest.files.length} files in ${Math.round(performance.now() - started)} ms; ` +
      `login page loads ${kilobytes(loginScriptBytes)} of script and ${kilobytes(css)} of styles (gzip)`,
  );
}
