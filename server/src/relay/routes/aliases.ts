import type { Alias } from '../../platform/http/router.ts';

/** No operation has more segments; bounds the lookups for paths of many slashes. */
const mostSegments = 3;
const openai = '/openai/';
const versioned = '/openai/v1/';
const deployments = '/openai/deployments/';
/** Some clients escape the colon. */
const googleMethod = /^\/v1(?:beta)?\/models\/(.+)(?::|%3A)(\w+)$/is;
/** Clients assume that a name with a slash includes its collection, and add none. */
const withoutCollection =
  /^\/v1(?:beta)?\/(?!models\/)([^/]+\/.+)(?::|%3A)(generateContent|streamGenerateContent|countTokens|embedContent|batchEmbedContents)$/is;

/**
 * Rewrites addresses that clients hard-code: Azure's `/openai/v1/…`, `/openai/…?api-version=` and
 * `/openai/deployments/{model}/…`, where the path names the model; and Google's other version, or a model named
 * `vendor/name`. Used only if no route matches the path.
 */
export function aliasesOf(path: string): Alias[] {
  const [, model, method] = googleMethod.exec(path) ?? withoutCollection.exec(path) ?? [];
  if (model && method) return [{ path: `/v1beta/models/${model}:${method}` }];
  if (!path.startsWith(openai)) return [];
  if (path.startsWith(versioned)) return [{ path: `/v1/${path.slice(versioned.length)}` }];
  if (path.startsWith(deployments)) return deploymentsIn(path.slice(deployments.length));
  return [{ path: `/v1/${path.slice(openai.length)}` }];
}

/** Addresses that OpenAI and Anthropic share with different answers; image files are of neither format. */
const shared = /^\/v1\/((?:files|models)(?:\/.+)?)$/s;
const pictures = '/v1/files/images/';

/**
 * Google's libraries since version 3 use `/v1` for everything, including what is OpenAI's there: models, files,
 * batches. They are recognised by this header, and only read Google's format. Anthropic's clients always send a version
 * header, which OpenAI's never do; `x-api-key` alone proves nothing.
 */
export function pathMeant(path: string, headers: Headers): string {
  if (headers.has('x-goog-api-client')) return path.replace(/^(\/upload)?\/v1\//, '$1/v1beta/');
  const common = shared.exec(path);
  if (!common || path.startsWith(pictures) || !headers.has('anthropic-version')) return path;
  return `/v1/anthropic/${common[1]}`;
}

/** Model names contain unescaped slashes: the longest matching operation decides. */
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
