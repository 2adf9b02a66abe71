/** Where connections go; those of the same key are interchangeable. */
export interface Origin {
  key: string;
  hostname: string;
  port: number;
  tls: boolean;
}

export interface Address {
  origin: Origin;
  /** As the `host` header has it. */
  host: string;
  /** Path and query. */
  target: string;
}

/** A few channels are called over and over, and reading their addresses for every request would be waste. */
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
