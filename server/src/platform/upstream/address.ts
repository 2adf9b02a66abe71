/** Where connections go; connections with the same key are interchangeable. */
export interface Origin {
  key: string;
  hostname: string;
  port: number;
  tls: boolean;
}

export interface Address {
  origin: Origin;
  /** The value of the `host` header. */
  host: string;
  /** Path and query. */
  target: string;
}

/** Cached: a few channels are called over and over, and parsing their URLs each time would be wasteful. */
const known = new Map<string, Address>();
const mostKnown = 1_000;

export function addressOf(url: string): Address {
  let address = known.get(url);
  if (!address) {
    if (known.size >= mostKnown) known.clear();
    address = readAddress(url);
    known.set(url, address);
  }
  return address;
}

function readAddress(url: string): Address {
  const { protocol, hostname, port, host, pathname, search } = new URL(url);
  const tls = protocol === 'https:';
  const origin = {
    key: `${protocol}//${host}`,
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (tls ? 443 : 80) : Number(port),
    tls,
  };
  return { origin, host, target: pathname + search };
}
