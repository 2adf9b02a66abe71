// The first step of every npm command. Plain Node 20 without dependencies, because a fresh clone has nothing else.
// Usage: node scripts/setup.mjs <command> [arguments]
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, 'node_modules');
const installStamp = join(modules, '.svc-setup.json');
// Inside the build output, which every build empties first: a build by another command leaves no stale stamp.
const webStamp = join(root, 'dist', 'web', '.stamp');

const inDist = (name) => join(root, 'dist', process.platform === 'win32' ? `${name}.exe` : name);
const binary = inDist('svc-start');
const binaryStamp = `${binary}.stamp`;

const programs = {
  start: ['server/src/main.ts'],
  dev: ['scripts/dev.ts'],
  test: ['scripts/test.ts'],
  check: ['scripts/check.ts'],
  bench: ['bench/main.ts'],
  'build:binary': ['scripts/build-binary.ts'],
  'test:faults': ['e2e/faults/run.ts'],
  'test:fuzz': [
    'test',
    '--timeout=1800000',
    'e2e/fuzz',
    'platform/upstream/parser.fuzz',
    'platform/upstream/fetch-agreement',
  ],
  'test:soak': ['e2e/soak.ts'],
  'test:upgrade': ['e2e/upgrade/run.ts'],
  'test:clients': ['e2e/clients/run.ts'],
  'test:conformance': ['e2e/conformance/run.ts'],
};
// All other commands also need the development dependencies.
const needsOnlyProduct = new Set(['start', 'build:binary']);
const needsWeb = new Set(['start', 'dev', 'bench', 'build:binary']);

const say = (line) => process.stderr.write(`svc: ${line}\n`);

function fail(message) {
  say(message);
  process.exit(1);
}

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

// What Bun reads only at process start; server/src/runtime-environment.ts says what for.
const environment = { ...readJson(join(root, 'server', 'src', 'runtime-environment.json')), ...process.env };

function readJsonOr(path, otherwise) {
  try {
    return readJson(path);
  } catch {
    return otherwise;
  }
}

const lockHash = () =>
  createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .update(`${process.platform}-${process.arch}`)
    .digest('hex');

/**
 * Whether an earlier `npm ci` already installed what the lock file asks for (npm keeps a list of what it installed).
 */
function installedByHand(withTools) {
  const installed = readJsonOr(join(modules, '.package-lock.json'), undefined)?.packages;
  if (!installed) return false;
  const wanted = readJson(join(root, 'package-lock.json')).packages;
  return Object.entries(wanted).every(
    ([path, entry]) =>
      path === '' ||
      entry.optional ||
      entry.devOptional ||
      (entry.dev && !withTools) ||
      installed[path]?.version === entry.version,
  );
}

function install(withTools) {
  say(`installing dependencies${withTools ? ' and tools' : ''} (npm ci); this takes a minute the first time`);
  const startedMs = Date.now();
  const tools = withTools ? '--include=dev' : '--omit=dev';
  const args = ['ci', tools, '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'];
  // npm sets npm_execpath when it runs this script, so the same npm is used even if several are installed.
  const npm = process.env.npm_execpath;
  const done = npm?.endsWith('.js')
    ? spawnSync(process.execPath, [npm, ...args], { cwd: root, stdio: 'inherit' })
    : spawnSync('npm', args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' });
  if (done.error) fail(`npm could not be run: ${done.error.message}`);
  if (done.status !== 0) fail(`npm ci failed (exit ${done.status ?? done.signal}); see its output above`);
  say(`dependencies installed in ${((Date.now() - startedMs) / 1000).toFixed(1)} s`);
}

/**
 * npm's install script moves the binary from the platform package into node_modules/bun. If install scripts are
 * disabled, it stays in the platform package, and node_modules/bun holds a placeholder of a few bytes.
 */
function findBun() {
  const platformPackages = join(modules, '@oven');
  const candidates = [
    join(modules, 'bun', 'bin', 'bun.exe'),
    ...(existsSync(platformPackages) ? readdirSync(platformPackages) : []).flatMap((name) =>
      ['bun', 'bun.exe'].map((file) => join(platformPackages, name, 'bin', file)),
    ),
  ];
  const wanted = readJsonOr(join(modules, 'bun', 'package.json'), {}).version;
  return candidates.find((path) => {
    if (!existsSync(path) || statSync(path).size < 1_000_000) return false;
    try {
      chmodSync(path, 0o755);
    } catch {
      // A read-only tree: it works if the file was already executable.
    }
    // A package for another libc may be installed as well; only running it shows whether it fits.
    return spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout?.trim() === wanted;
  });
}

/** Installs what is missing and returns the path of Bun; if nothing changed, it only reads two files. */
function prepare(withTools) {
  const lock = lockHash();
  const stamp = readJsonOr(installStamp, {});
  if (stamp.lock === lock && (stamp.tools || !withTools) && existsSync(stamp.bun)) return stamp.bun;

  const complete = installedByHand(withTools);
  if (!complete) install(withTools);
  let bun = findBun();
  if (!bun && complete) {
    install(withTools);
    bun = findBun();
  }
  if (!bun) {
    fail(
      `no Bun for ${process.platform}-${process.arch}: npm installed none of the @oven/bun-* packages of this platform`,
    );
  }
  try {
    writeFileSync(installStamp, `${JSON.stringify({ lock, tools: installedByHand(true), bun })}\n`);
  } catch (error) {
    say(`cannot write ${installStamp}: ${error.message}; the next start will check everything again`);
  }
  return bun;
}

function filesUnder(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.gen.ts'))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

function hashOf(files) {
  const hash = createHash('sha256');
  for (const file of files)
    hash
      .update(`${file.slice(root.length)}\0`)
      .update(readFileSync(file))
      .update('\0');
  return hash.digest('hex');
}

/** Bundles the web app unless its inputs are unchanged since the last build. */
function buildWeb(bun) {
  const builder = join(root, 'scripts', 'build-web.ts');
  const wanted = hashOf([...filesUnder(join(root, 'web')), join(root, 'package-lock.json'), builder]);
  const built = existsSync(webStamp) && existsSync(join(root, 'dist', 'web', 'index.html'));
  if (built && readFileSync(webStamp, 'utf8') === wanted) return;

  say('building the web app');
  const startedMs = Date.now();
  const done = spawnSync(bun, [builder], { cwd: root, stdio: ['ignore', 2, 2], env: environment });
  if (done.status !== 0) fail('the web app could not be built; see above');
  writeFileSync(webStamp, wanted);
  say(`web app built in ${((Date.now() - startedMs) / 1000).toFixed(1)} s`);
}

/**
 * Compiles the program unless its inputs are unchanged since the last start: the executable starts in less than half
 * the time of the sources. Null if it cannot be compiled; the sources do the same.
 */
function compile(bun) {
  const builder = join(root, 'scripts', 'build-binary.ts');
  const sources = filesUnder(join(root, 'server', 'src')).filter((file) => !/\.(test|fixture)\.ts$/.test(file));
  const wanted = hashOf([...sources, join(root, 'package-lock.json'), builder, webStamp]);
  if (existsSync(binary) && existsSync(binaryStamp) && readFileSync(binaryStamp, 'utf8') === wanted) return binary;

  say('compiling the program');
  const startedMs = Date.now();
  // Written under a temporary name first, so that a concurrent start never runs an incomplete file.
  const made = inDist(`svc-start-${process.pid}`);
  const done = spawnSync(bun, [builder, `--outfile=${made}`], { cwd: root, stdio: ['ignore', 'ignore', 2] });
  try {
    if (done.status !== 0) throw new Error('see above');
    renameSync(made, binary);
    writeFileSync(binaryStamp, wanted);
  } catch (error) {
    rmSync(made, { force: true });
    say(`the program could not be compiled (${error.message}); it is run from its sources`);
    return null;
  }
  say(`program compiled in ${((Date.now() - startedMs) / 1000).toFixed(1)} s`);
  return binary;
}

/** Runs the program in our place: same streams, forwarded signals, same exit code. */
function become(program, args, more = {}) {
  const child = spawn(program, args, { cwd: root, stdio: 'inherit', env: { ...environment, ...more } });
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT']) {
    process.on(signal, () => {
      // Ctrl-C in a terminal already reaches the child; a second SIGINT would mean "stop at once".
      if (signal === 'SIGINT' && process.stdin.isTTY) return;
      child.kill(signal);
    });
  }
  child.on('error', (error) => fail(`${program} could not be run: ${error.message}`));
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
}

const [command, ...rest] = process.argv.slice(2);
const program = programs[command];
if (!program) fail(`unknown command ${command ?? '(none)'}; known: ${Object.keys(programs).join(', ')}`);

const bun = prepare(!needsOnlyProduct.has(command));
if (needsWeb.has(command)) buildWeb(bun);
const compiled = command === 'start' || command === 'bench' ? compile(bun) : null;
if (compiled && command === 'start') become(compiled, rest);
else become(bun, [...program, ...rest], compiled ? { SVC_PROGRAM: compiled } : {});
