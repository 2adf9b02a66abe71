/** Outgoing proxy settings that Bun's `fetch` reads from the environment, for connections it does not make. */
export interface OutgoingProxy {
  /** Proxies by the protocol of the target. */
  proxies: { http?: string | undefined; https?: string | undefined };
  /** Hosts that are connected to directly. */
  except: readonly string[];
  /** Certificates are not verified. */
  trusting: boolean;
  /** The proxy resolves user-supplied names, and keeps callers out of the operator's network. */
  proxyResolves: boolean;
}

export function readOutgoingProxy(environment: Record<string, string | undefined>): OutgoingProxy {
  const given = (name: string): string | undefined => environment[name.toLowerCase()] || environment[name] || undefined;
  return {
    proxies: { http: given('HTTP_PROXY'), https: given('HTTPS_PROXY') },
    except: (given('NO_PROXY') ?? '').split(',').map((host) =>
      host
        .trim()
        .replace(/^\*?\./, '')
        .toLowerCase(),
    ),
    proxyResolves: environment.PROXY_RESOLVES_NAMES === '1',
    trusting: environment.NODE_TLS_REJECT_UNAUTHORIZED === '0',
  };
}

/** The proxy for an address; null for a direct connection. */
export function proxyFor({ proxies, except }: OutgoingProxy, { protocol, hostname, host }: URL): URL | null {
  const address = protocol === 'https:' ? proxies.https : proxies.http;
  if (!address || except.some((name) => isOf(hostname, name) || host === name)) return null;
  return new URL(address.includes('://') ? address : `http://${address}`);
}

const isOf = (hostname: string, name: string): boolean =>
  name === '*' || (name !== '' && (hostname === name || hostname.endsWith(`.${name}`)));
