import { join } from 'node:path';
import { pagePolicy } from './headers.ts';
import { accepts } from './packed-answer.ts';

/** What scripts/build-web.ts tells about a file it made. */
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
  /** Of the script that stands in the index, as a content security policy names it. */
  scriptHash: string;
  /**
   * For somebody who is in: what the scripts of an address's page are, and what it asks of the API, where `{today}` is the first
   * second of the day. The first that fits holds.
   */
  pages: { address: string; scripts: string[]; questions: string[] }[];
}

/** A built web app: its files by address, and where a file (or its compressed copy) lies. */
interface Build {
  index: WebFile | undefined;
  files: Map<string, WebFile>;
  /** Of the index, which has a script of its own. */
  policy: string;
  pages: { address: RegExp; early: string }[];
  locate(path: string): string;
}

// One file of the executable per file of dist/web; registered by the generated entry before anything is served.
let embedded: Record<string, string> | undefined;
// The last build read, valid while its manifest keeps its modification time (a rebuild writes it anew).
let cached: { key: string; build: Build } | undefined;

const builtFolder = join(import.meta.dir, '../../../../dist/web');

/**
 * Serve these instead of dist/web: address below the web root → readable path.
 * @public called by the entry that scripts/build-binary.ts generates for the single executable
 */
export function registerEmbedded(files: Record<string, string> | undefined): void {
  embedded = files;
  cached = undefined;
}

/** What a page asks and what it runs, in time: a browser would come to ask for it one after the other. */
const earlyOf = ({ questions, scripts }: WebManifest['pages'][number]): string =>
  [
    // First what takes longest: a browser has six connections.
    ...scripts.map((path) => `<${path}>; rel=modulepreload`),
    ...questions.map((path) => `<${path}>; rel=preload; as=fetch; crossorigin`),
  ].join(', ');

const daySeconds = 86_400;
const today = (): string => String(Math.floor(Date.now() / 1_000 / daySeconds) * daySeconds);

async function currentBuild(folder: string): Promise<Build | undefined> {
  const own = embedded;
  const locate = own ? (path: string) => own[path] ?? '' : (path: string) => join(folder, path);
  const file = Bun.file(locate('/manifest.json'));
  const key = own
    ? 'embedded'
    : await file.stat().then(
        ({ mtimeMs }) => `${folder} ${mtimeMs}`,
        () => undefined,
      );
  if (!key) return undefined;
  if (cached?.key !== key) {
    const manifest: WebManifest = await file.json();
    const files = new Map(manifest.files.map((entry) => [entry.path, entry]));
    const pages = manifest.pages.map((page) => ({ address: new RegExp(page.address), early: earlyOf(page) }));
    const policy = pagePolicy(manifest.scriptHash);
    cached = { key, build: { index: files.get(manifest.index), files, policy, pages, locate } };
  }
  return cached.build;
}

function variantOf(file: WebFile, request: Request): { coding: string; suffix: string } | undefined {
  if (file.brotli > 0 && accepts(request, 'br')) return { coding: 'br', suffix: '.br' };
  if (file.gzip > 0 && accepts(request, 'gzip')) return { coding: 'gzip', suffix: '.gz' };
  return undefined;
}

/** RFC 9110 §13.1.2: weak comparison against a list, or `*`. */
function matches(header: string | null, etag: string): boolean {
  if (!header) return false;
  return header.split(',').some((item) => ['*', etag].includes(item.trim().replace(/^W\//, '')));
}

/**
 * A browser goes there as to a page, or it is the app's own address. Programs that look for an API which is not here would
 * take a page for its answer.
 */
const isPage = (path: string, request: Request): boolean =>
  path === '/' || (!path.startsWith('/assets/') && /\btext\/html\b/i.test(request.headers.get('accept') ?? ''));

/** As far as a cookie tells; whether it is worth anything is for the API to say. */
const isSignedIn = (request: Request): boolean => /(^|; )svc_session=/.test(request.headers.get('cookie') ?? '');

/**
 * The web app's answer to a GET or HEAD of `path` (the URL's pathname): the file, or the app itself for the address of
 * one of its pages; `null` when it is neither, or nothing was built. Only names in the build's list are ever opened, so
 * no address can lead out of it. Security headers are the caller's, but for the policy of the app's page.
 */
export async function webAsset(path: string, request: Request, folder = builtFolder): Promise<Response | null> {
  const build = await currentBuild(folder);
  const file = build?.files.get(path) ?? (isPage(path, request) ? build?.index : undefined);
  if (!build || !file) return null;

  const variant = variantOf(file, request);
  // Different bytes need a different strong validator (RFC 9110 §8.8.3).
  const etag = `"${file.etag}${variant ? `-${variant.coding}` : ''}"`;
  const headers: Record<string, string> = {
    'content-type': file.type,
    'cache-control': file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag,
    vary: file === build.index ? 'accept, accept-encoding, cookie' : 'accept-encoding',
  };
  if (file === build.index) headers['content-security-policy'] = build.policy;
  const early =
    file === build.index && isSignedIn(request) && build.pages.find(({ address }) => address.test(path))?.early;
  if (early) headers.link = early.replace('{today}', today());
  if (matches(request.headers.get('if-none-match'), etag)) return new Response(null, { status: 304, headers });
  if (variant) headers['content-encoding'] = variant.coding;
  return new Response(Bun.file(build.locate(file.path + (variant?.suffix ?? ''))), { headers });
}
