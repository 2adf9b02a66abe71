import type { ClientAuth, Configuration, ServerMetadata } from 'openid-client';
import type { Clock } from '../../lib/clock.ts';
import type { Sealer } from '../../lib/seal.ts';
import { githubMetadata } from './github.ts';
import { guardedFetch } from './guarded-fetch.ts';
import type { Provider } from './store/providers.ts';

/** Documents rarely change, and the library fetches unknown keys itself. */
const keptMs = 60 * 60_000;
/** Allowed clock skew. */
export const skewSeconds = 30;
const timeoutSeconds = 10;

/**
 * Asymmetric signatures only. Neither `none` nor HMAC, with which anybody who knows the client secret could sign in as
 * anyone.
 */
const checkable = /^(RS|PS|ES)(256|384|512)$|^EdDSA$|^Ed25519$/;

/** Loaded with the first sign-in, to keep the start fast. */
export const loadClient = () => import('openid-client');

/** Cached metadata and keys of each provider. */
export class Upstreams {
  readonly #deps: { clock: Clock; sealer: Sealer; allowPrivate: boolean };
  readonly #known = new Map<number, { made: string; atMs: number; upstream: Promise<Configuration> }>();

  constructor(deps: { clock: Clock; sealer: Sealer; allowPrivate: boolean }) {
    this.#deps = deps;
  }

  of(provider: Provider): Promise<Configuration> {
    const known = this.#known.get(provider.id);
    const fresh = known && this.#deps.clock.steadyMs() - known.atMs < keptMs;
    return fresh && known.made === madeOf(provider) ? known.upstream : this.anew(provider);
  }

  /** Reads the metadata again. */
  anew(provider: Provider): Promise<Configuration> {
    const upstream = this.#open(provider);
    const entry = { made: madeOf(provider), atMs: this.#deps.clock.steadyMs(), upstream };
    this.#known.set(provider.id, entry);
    upstream.catch(() => {
      if (this.#known.get(provider.id) === entry) this.#known.delete(provider.id);
    });
    return upstream;
  }

  forget(id: number): void {
    this.#known.delete(id);
  }

  async #open(provider: Provider): Promise<Configuration> {
    const client = await loadClient();
    const insecure = this.#deps.allowPrivate && provider.issuer.startsWith('http:');
    const metadata = provider.kind === 'github' ? githubMetadata(provider.issuer) : await this.#discover(provider);
    const secret = provider.sealedSecret === '' ? '' : this.#deps.sealer.open(provider.sealedSecret);
    const upstream = new client.Configuration(
      metadata,
      provider.clientId,
      { [client.clockTolerance]: skewSeconds },
      clientAuth(client, metadata, secret),
    );
    upstream[client.customFetch] = guardedFetch(this.#deps);
    upstream.timeout = timeoutSeconds;
    if (insecure) client.allowInsecureRequests(upstream);
    // Without this, a token is trusted because of its connection.
    if (provider.kind === 'openid') client.enableNonRepudiationChecks(upstream);
    return upstream;
  }

  async #discover({ issuer, clientId }: Provider): Promise<ServerMetadata> {
    const client = await loadClient();
    const insecure = this.#deps.allowPrivate && issuer.startsWith('http:');
    const found = await client
      .discovery(new URL(issuer), clientId, undefined, client.None(), {
        [client.customFetch]: guardedFetch(this.#deps),
        timeout: timeoutSeconds,
        ...(insecure && { execute: [client.allowInsecureRequests] }),
      })
      .catch((error) => {
        throw otherIssuerIn(error) ?? error;
      });
    const { supportsPKCE: _, ...metadata } = found.serverMetadata();
    // The library accepts another issuer for some vendors, whose documents are templates.
    if (new URL(metadata.issuer).href !== new URL(issuer).href) throw differentIssuer(metadata.issuer);
    const algorithms = (metadata.id_token_signing_alg_values_supported ?? ['RS256']).filter((name) =>
      checkable.test(name),
    );
    if (algorithms.length === 0) throw new Error('it signs ID tokens with no supported algorithm');
    return { ...metadata, id_token_signing_alg_values_supported: algorithms };
  }
}

/** Operators correct the address with it, so the issuer is told. */
const differentIssuer = (issuer: string): Error =>
  new Error(`the document has a different issuer, ${issuer.slice(0, 200)}`);

/** The library does not tell which. */
function otherIssuerIn(error: { cause?: { attribute?: unknown; body?: { issuer?: unknown } } }): Error | null {
  const { attribute, body } = error.cause ?? {};
  return attribute === 'issuer' && typeof body?.issuer === 'string' ? differentIssuer(body.issuer) : null;
}

const madeOf = ({ kind, issuer, clientId, sealedSecret }: Provider): string =>
  JSON.stringify([kind, issuer, clientId, sealedSecret]);

function clientAuth(
  client: Awaited<ReturnType<typeof loadClient>>,
  { token_endpoint_auth_methods_supported: methods }: ServerMetadata,
  secret: string,
): ClientAuth {
  if (secret === '') return client.None();
  // The default if the document does not say (OpenID Connect Discovery §3).
  const basic = methods === undefined || methods.includes('client_secret_basic');
  return basic ? client.ClientSecretBasic(secret) : client.ClientSecretPost(secret);
}
