/** Bundles the web app into `dist/web`: hashed scripts and styles, compressed copies beside them, and a manifest. */
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';

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
}

const types: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
  png: 'image/png',
};

async function bundle(entry: string, format: 'esm' | 'iife', outDir: string) {
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
    define: { 'process.env.NODE_ENV': '"production"' },
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

/** The entry loads the words and then the app, which is asked for along with it. */
const firstChunksOf = (app: Bundle): Set<string> => chunksOf(app, 'main.ts').union(chunksOf(app, 'app.tsx'));

function indexPage(app: Bundle, colourScheme: Bundle): string {
  // What pages add comes after what holds for all of them, and wins over it.
  const css = app.outputs
    .filter(({ path }) => path.endsWith('.css'))
    .sort((a, b) => Number(nameOf(b.path).startsWith('main-')) - Number(nameOf(a.path).startsWith('main-')));
  const [entry, ...preloads] = firstChunksOf(app);
  const asset = (path: string): string => `/assets/${nameOf(path)}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>svc</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
${css.map(({ path }) => `<link rel="stylesheet" href="${asset(path)}">`).join('\n')}
<script src="${asset(colourScheme.outputs[0]!.path)}"></script>
${preloads.map((name) => `<link rel="modulepreload" href="${asset(name)}">`).join('\n')}
<script type="module" src="${asset(entry!)}"></script>
</head>
<body>
<div id="root"></div>
<noscript>This application needs JavaScript.</noscript>
</body>
</html>
`;
}

async function compress(outDir: string, path: string): Promise<WebFile> {
  const file = Bun.file(join(outDir, path));
  const bytes = await file.bytes();
  const type = types[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
  const worth = bytes.length > 256 && /text|svg|javascript/.test(type);
  const gzip = worth ? Bun.gzipSync(bytes, { level: 9 }) : null;
  const brotli = worth ? brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }) : null;
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
  const [app, colourScheme] = await Promise.all([
    bundle('main.ts', 'esm', outDir),
    bundle('color-scheme.ts', 'iife', outDir),
  ]);
  await Bun.write(join(outDir, 'index.html'), indexPage(app, colourScheme));
  await Bun.write(join(outDir, 'favicon.svg'), Bun.file(join(dirname(source), 'favicon.svg')));

  const assets = [...app.outputs, ...colourScheme.outputs].map(({ path }) => `assets/${nameOf(path)}`);
  const files = await Promise.all(['index.html', 'favicon.svg', ...assets].map((path) => compress(outDir, path)));
  const manifest: WebManifest = { index: '/index.html', files };
  await Bun.write(join(outDir, 'manifest.json'), JSON.stringify(manifest, null, 2));

  const login = firstChunksOf(app);
  for (const { path } of colourScheme.outputs) login.add(nameOf(path));
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
