import { join } from 'node:path';
import { accepts } from './compressed-answer.ts';
import { pagePolicy } from './headers.ts';
import { isKnown } from './if-none-match.ts';

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

/** A built web app: its files by address, and where each file (or compressed copy) is. */
interface Build {
  index: WebFile | undefined;
  files: Map<string, WebFile>;
  /** Content security policy of the index, which has an inline script. */
  policy: string;
  pages: { address: RegExp; early: string }[];
  locate(path: string): string;
}

// The files embedded in the executable; registered by the generated entry before anything is served.
let embedded: Record<string, string> | undefined;
// The last manifest read, valid while its modification time stays the same.
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

/**
 * Link headers for a page's first API requests and scripts, which the browser would otherwise discover one after the
 * other.
 */
const earlyOf = ({ questions, scripts }: WebManifest['pages'][number]): string =>
  [
    // The slowest first: browsers open six connections.
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

/**
 * A browser navigates to it, or it is one of the app's own addresses. API clients looking for a missing endpoint must
 * not get a page.
 */
const isPage = (path: string, request: Request): boolean =>
  path === '/' || (!path.startsWith('/assets/') && /\btext\/html\b/i.test(request.headers.get('accept') ?? ''));

/** Judged by the cookie's presence; the API checks whether it is valid. */
const isSignedIn = (request: Request): boolean => /(^|; )svc_session=/.test(request.headers.get('cookie') ?? '');

/**
 * The web app's answer to a GET or HEAD of `path`: a file, or the app's page for one of its addresses; `null` if it is
 * neither, or nothing was built. Only names in the manifest are opened, so that no path can escape it. Security headers
 * are the caller's, except for the page's policy.
 */
export async function webAsset(path: string, request: Request, folder = builtFolder): Promise<Response | null> {
  const build = await currentBuild(folder);
  const file = build?.files.get(path) ?? (isPage(path, request) ? build?.index : undefined);
  if (!build || !file) return null;

  const variant = variantOf(file, request);
  // Different bytes need different strong validators (RFC 9110 §8.8.3).
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
  if (isKnown(request.headers.get('if-none-match'), etag)) return new Response(null, { status: 304, headers });
  if (variant) headers['content-encoding'] = variant.coding;
  return new Response(Bun.file(build.locate(file.path + (variant?.suffix ?? ''))), { headers });
}
