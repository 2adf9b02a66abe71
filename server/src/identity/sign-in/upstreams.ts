import type { ClientAuth, Configuration, ServerMetadata } from 'openid-client';
import type { Clock } from '../../lib/clock.ts';
import type { Sealer } from '../../lib/seal.ts';
import { githubMetadata } from './github.ts';
import { guardedFetch } from './guarded-fetch.ts';
import type { Provider } from './store/providers.ts';

/** Providers change their documents rarely, and keys that are not known are asked for anew by the library itself. */
const keptMs = 60 * 60_000;
/** Of clocks that do not agree. */
const skewSeconds = 30;
const timeoutSeconds = 10;

/**
 * Signatures that anybody can check with a public key. Neither `none`, nor those made with the client's secret, which would
 * let whoever knows the secret sign in as anybody.
 */
const checkable = /^(RS|PS|ES)(256|384|512)$|^EdDSA$|^Ed25519$/;

/** Loaded by the first sign-in: nobody should wait for it at the start. */
export const loadClient = () => import('openid-client');

/** What is known of the other side of each provider; its keys are kept with it. */
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

  /** As the other side describes itself now. */
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
    // Without this a token is believed for the connection it came by.
    if (provider.kind === 'openid') client.enableNonRepudiationChecks(upstream);
    return upstream;
  }

  async #discover({ issuer, clientId }: Provider): Promise<ServerMetadata> {
    const client = await loadClient();
    const insecure = this.#deps.allowPrivate && issuer.startsWith('http:');
    const found = await client.discovery(new URL(issuer), clientId, undefined, client.None(), {
      [client.customFetch]: guardedFetch(this.#deps),
      timeout: timeoutSeconds,
      ...(insecure && { execute: [client.allowInsecureRequests] }),
    });
    const { supportsPKCE: _, ...metadata } = found.serverMetadata();
    // The library lets some vendors' documents name another issuer, one for each of their customers.
    if (new URL(metadata.issuer).href !== new URL(issuer).href)
      throw new Error(`the document names another issuer, ${metadata.issuer.slice(0, 200)}`);
    const algorithms = (metadata.id_token_signing_alg_values_supported ?? ['RS256']).filter((name) =>
      checkable.test(name),
    );
    if (algorithms.length === 0) throw new Error('it signs ID tokens in no way that can be checked');
    return { ...metadata, id_token_signing_alg_values_supported: algorithms };
  }
}

const madeOf = ({ kind, issuer, clientId, sealedSecret }: Provider): string =>
  JSON.stringify([kind, issuer, clientId, sealedSecret]);

function clientAuth(
  client: Awaited<ReturnType<typeof loadClient>>,
  { token_endpoint_auth_methods_supported: methods }: ServerMetadata,
  secret: string,
): ClientAuth {
  if (secret === '') return client.None();
  // What is meant where the document says nothing (OpenID Connect Discovery §3).
  const basic = methods === undefined || methods.includes('client_secret_basic');
  return basic ? client.ClientSecretBasic(secret) : client.ClientSecretPost(secret);
}
