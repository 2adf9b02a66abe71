/** How connections leave for the world: what Bun's `fetch` reads from the environment by itself, for those that are not its. */
export interface Outward {
  /** Addresses of proxies by the protocol of what is asked for. */
  proxies: { http?: string | undefined; https?: string | undefined };
  /** Hosts that are asked directly. */
  except: readonly string[];
  /** Certificates are not looked at. */
  trusting: boolean;
  /** Names of addresses that people give are looked up by the proxy, which keeps callers out of the operator's network. */
  proxyResolves: boolean;
}

export function readOutward(environment: Record<string, string | undefined>): Outward {
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

/** The proxy for an address; null where it is asked directly. */
export function proxyFor({ proxies, except }: Outward, { protocol, hostname, host }: URL): URL | null {
  const address = protocol === 'https:' ? proxies.https : proxies.http;
  if (!address || except.some((name) => isOf(hostname, name) || host === name)) return null;
  return new URL(address.includes('://') ? address : `http://${address}`);
}

const isOf = (hostname: string, name: string): boolean =>
  name === '*' || (name !== '' && (hostname === name || hostname.endsWith(`.${name}`)));
