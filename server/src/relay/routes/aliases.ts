import type { Alias } from '../../platform/http/router.ts';

/** No operation has more segments than these; without a bound a path of slashes would be looked up again and again. */
const mostSegments = 3;
const openai = '/openai/';
const versioned = '/openai/v1/';
const deployments = '/openai/deployments/';
/** Some clients escape the colon. */
const googleMethod = /^\/v1(?:beta)?\/models\/(.+)(?::|%3A)(\w+)$/i;
/** They take a name with a slash for one that brings its collection along, and add none. */
const withoutCollection =
  /^\/v1(?:beta)?\/(?!models\/)([^/]+\/.+)(?::|%3A)(generateContent|streamGenerateContent|countTokens|embedContent|batchEmbedContents)$/i;

/**
 * Addresses that clients of Azure fix themselves, as those they stand for: `/openai/v1/…`, `/openai/…?api-version=` and
 * `/openai/deployments/{model}/…`, where the path names the model; and those of Google's clients that are set to its other
 * version, or name a model as `vendor/name`. Asked only where no route has the path.
 */
export function aliasesOf(path: string): Alias[] {
  const [, model, method] = googleMethod.exec(path) ?? withoutCollection.exec(path) ?? [];
  if (model && method) return [{ path: `/v1beta/models/${model}:${method}` }];
  if (!path.startsWith(openai)) return [];
  if (path.startsWith(versioned)) return [{ path: `/v1/${path.slice(versioned.length)}` }];
  if (path.startsWith(deployments)) return deploymentsIn(path.slice(deployments.length));
  return [{ path: `/v1/${path.slice(openai.length)}` }];
}

/** Addresses that OpenAI and Anthropic both have, with other answers; pictures that were made are nobody's format. */
const shared = /^\/v1\/((?:files|models)(?:\/.+)?)$/;
const pictures = '/v1/files/images/';

/**
 * Google's libraries ask for everything below `/v1` since their third version, also for what is OpenAI's there: lists of models, files,
 * batches. They tell who they are by this header, and read nothing but Google's format. Anthropic wants its version with every request,
 * and OpenAI has none; a key alone may come in `x-api-key` from anybody.
 */
export function pathMeant(path: string, headers: Headers): string {
  if (headers.has('x-goog-api-client')) return path.replace(/^(\/upload)?\/v1\//, '$1/v1beta/');
  const common = shared.exec(path);
  if (!common || path.startsWith(pictures) || !headers.has('anthropic-version')) return path;
  return `/v1/anthropic/${common[1]}`;
}

/** Names of models have slashes, which clients do not escape: the longest operation that there is decides. */
function deploymentsIn(rest: string): Alias[] {
  const found: Alias[] = [];
  let at = rest.length;
  for (let segments = 0; segments < mostSegments; segments++) {
    at = rest.lastIndexOf('/', at - 1);
    if (at <= 0) break;
    found.unshift({ path: `/v1${rest.slice(at)}`, members: { model: unescaped(rest.slice(0, at)) } });
  }
  return found;
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
