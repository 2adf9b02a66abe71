/** A previous release from its sources, ready to run beside the current one. */
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dir, '../..');

/** Thrown if there is no previous release; the message says why. */
export class NoRelease extends Error {}

export interface Release {
  /** The reference as it was given. */
  readonly ref: string;
  readonly folder: string;
  /** The command that starts it. */
  readonly program: string[];
  remove(): Promise<void>;
}

/** The release named by `SVC_UPGRADE_FROM`, or the last tag. */
export async function checkOut(): Promise<Release> {
  if (!Bun.which('git')) throw new NoRelease('git is not installed');
  const ref = process.env.SVC_UPGRADE_FROM ?? (await lastTag());
  const found = await git('rev-parse', '--verify', '--quiet', `${ref}^{commit}`);
  if (found === null) throw new NoRelease(`this clone has no ${ref}`);
  const folder = await mkdtemp(join(tmpdir(), 'svc-release-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await unpack(found, folder);
    await addModules(folder);
  } catch (error) {
    await remove();
    throw error;
  }
  return { ref, folder, program: [process.execPath, join(folder, 'server/src/main.ts')], remove };
}

async function git(...args: string[]): Promise<string | null> {
  const done = await Bun.$`git -C ${root} ${args}`.quiet().nothrow();
  return done.exitCode === 0 ? done.text().trim() : null;
}

async function lastTag(): Promise<string> {
  const tag = await git('describe', '--tags', '--abbrev=0');
  if (tag === null)
    throw new NoRelease(
      'there is no git repository, or it has no tag; name a commit: npm run test:upgrade -- <commit>',
    );
  return tag;
}

async function unpack(commit: string, folder: string): Promise<void> {
  const archive = join(folder, 'sources.tar');
  await Bun.$`git -C ${root} archive --output ${archive} ${commit}`.quiet();
  await Bun.$`tar -x -f ${archive} -C ${folder}`.quiet();
  await rm(archive);
}

interface Lock {
  packages: Record<string, { version?: string; dev?: boolean; optional?: boolean; devOptional?: boolean }>;
}

/** The packages installed here if they satisfy the release; otherwise those of its own lock file. */
async function addModules(folder: string): Promise<void> {
  const wanted: Lock = await Bun.file(join(folder, 'package-lock.json')).json();
  const installed: Lock = await Bun.file(join(root, 'node_modules/.package-lock.json'))
    .json()
    .catch(() => ({ packages: {} }));
  const hasAll = Object.entries(wanted.packages).every(
    ([path, { version, dev, optional, devOptional }]) =>
      path === '' || dev || optional || devOptional || installed.packages[path]?.version === version,
  );
  if (hasAll) return symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await mkdir(join(folder, 'node_modules'));
  // Without install scripts: the only one that matters downloads Bun, and the current Bun runs the release too.
  const install = ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  const done = await Bun.$`npm ${install}`.cwd(folder).quiet().nothrow();
  if (done.exitCode !== 0) throw new NoRelease(`npm ci of the release failed: ${done.stderr.toString().slice(-500)}`);
}
