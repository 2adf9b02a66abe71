/**
 * `npm run build:binary [-- --target=bun-linux-arm64] [-- --outfile=path]`: builds one executable with Bun, the server
 * and the built web app. Default: dist/svc for this machine. Tests load a module of their own before the server:
 * --preload=path.
 */
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const root = join(import.meta.dir, '..');
const web = join(root, 'dist/web');

const { values } = parseArgs({
  options: {
    target: { type: 'string' },
    outfile: { type: 'string', default: join(root, 'dist/svc') },
    preload: { type: 'string' },
  },
});
const work = join(root, 'dist', values.preload ? 'binary-preload' : 'binary');

const entries = await readdir(web, { recursive: true, withFileTypes: true });
const files = entries
  .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
  .map((entry) => relative(web, join(entry.parentPath, entry.name)));

const lines = files.map((file, i) => `import file${i} from ${JSON.stringify(join(web, file))} with { type: 'file' };`);
const map = files.map((file, i) => `  ${JSON.stringify(`/${file.replaceAll('\\', '/')}`)}: file${i},`);
const source = (path: string): string => JSON.stringify(join(root, 'server/src', path));

await mkdir(work, { recursive: true });
// Modules are evaluated in import order: the runtime's settings are in place before any server module loads, and the web files
// are registered before the server listens.
await Bun.write(
  join(work, 'environment.ts'),
  `import { enterRuntimeEnvironment } from ${source('runtime-environment.ts')};\nenterRuntimeEnvironment();\n`,
);
await Bun.write(
  join(work, 'web-files.ts'),
  `${lines.join('\n')}
import { registerEmbedded } from ${source('platform/http/web-assets.ts')};
registerEmbedded({\n${map.join('\n')}\n});\n`,
);
// In the bundle, a lazily loaded library does not keep its import order: CommonJS modules come last. The passkey
// library needs this polyfill first, and fails otherwise.
const polyfill = JSON.stringify(join(root, 'node_modules/reflect-metadata/Reflect.js'));
const preload = values.preload ? [JSON.stringify(resolve(values.preload))] : [];
const modules = ["'./environment.ts'", "'./web-files.ts'", polyfill, ...preload, source('main.ts')];
await Bun.write(join(work, 'svc.ts'), modules.map((module) => `import ${module};\n`).join(''));

// Next to the program's entry point, where the worker URLs expect them.
const threads: string[] = [];
for (const path of [
  'lib/tokens-worker.ts',
  'platform/db/checkpoint-worker.ts',
  'orchestra/import/passages-worker.ts',
]) {
  const thread = join(work, basename(path));
  await Bun.write(thread, `import ${source(path)};\n`);
  threads.push(thread);
}

const args = [
  'build',
  '--compile',
  '--minify-syntax',
  // Precompiled: parsing two megabytes of JavaScript takes most of the startup time.
  '--bytecode',
  '--format=esm',
  '--sourcemap=inline',
  join(work, 'svc.ts'),
  ...threads,
  '--outfile',
  values.outfile,
];
if (values.target) args.push(`--target=${values.target}`);
const code = await Bun.spawn([process.execPath, ...args], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] }).exited;
if (code !== 0) process.exit(code);
// The source maps are also embedded in the executable, which is where stack traces look for them.
const maps = threads.map((thread) => join(dirname(values.outfile), basename(thread).replace(/ts$/, 'js.map')));
for (const map of [`${values.outfile}.map`, ...maps]) await rm(map, { force: true });

const megabytes = ((await stat(values.outfile)).size / 1e6).toFixed(0);
console.log(`${relative(process.cwd(), values.outfile)}: ${megabytes} MB, ${files.length} web files inside`);
