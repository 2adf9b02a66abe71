/**
 * `npm run build:binary [-- --target=bun-linux-arm64] [-- --outfile=path]`: one executable with Bun, the server and the
 * built web app inside. Default: dist/svc for this machine. Tests have a module of theirs loaded before the server:
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
// Modules are evaluated in the order of their imports: the process has its limit lifted before the server's modules are
// loaded at all, and its web files before it listens.
await Bun.write(
  join(work, 'lift.ts'),
  `import { liftRequestLimit } from ${source('lift-request-limit.ts')};\nliftRequestLimit();\n`,
);
await Bun.write(
  join(work, 'web-files.ts'),
  `${lines.join('\n')}
import { registerEmbedded } from ${source('platform/http/web-assets.ts')};
registerEmbedded({\n${map.join('\n')}\n});\n`,
);
// A library that is loaded later loses the order of its imports when it is bundled: what is CommonJS among them comes last.
// The one for passkeys needs this first, and fails otherwise.
const polyfill = JSON.stringify(join(root, 'node_modules/reflect-metadata/Reflect.js'));
const preload = values.preload ? [JSON.stringify(resolve(values.preload))] : [];
const modules = ["'./lift.ts'", "'./web-files.ts'", polyfill, ...preload, source('main.ts')];
await Bun.write(join(work, 'svc.ts'), modules.map((module) => `import ${module};\n`).join(''));

// Beside the program itself, as the addresses that start them say.
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
  // Compiled ahead: parsing two megabytes of JavaScript is most of what a start takes.
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
// The maps are inside as well, where stack traces look for them.
const maps = threads.map((thread) => join(dirname(values.outfile), basename(thread).replace(/ts$/, 'js.map')));
for (const map of [`${values.outfile}.map`, ...maps]) await rm(map, { force: true });

const megabytes = ((await stat(values.outfile)).size / 1e6).toFixed(0);
console.log(`${relative(process.cwd(), values.outfile)}: ${megabytes} MB, ${files.length} web files inside`);
