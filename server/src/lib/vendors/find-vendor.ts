import { vendors } from './table.ts';
import { compatible, type Vendor } from './vendor.ts';

/** The row of an OpenAI-compatible channel of this table. */
export function vendorOf(provider: string | undefined, baseUrl: string): Vendor {
  const known = found.get(baseUrl);
  if (known && known.provider === provider) return known.vendor;
  if (found.size >= mostFound) found.clear();
  const vendor = findVendor(vendors, provider, baseUrl);
  found.set(baseUrl, { provider, vendor });
  return vendor;
}

/** The table never changes while the process runs; parsing a channel's address for every request would be waste. */
const found = new Map<string, { provider: string | undefined; vendor: Vendor }>();
const mostFound = 1_000;

/** The row of an OpenAI-compatible channel: by its provider's name, else by its address, else one that knows nothing. */
export function findVendor(vendors: readonly Vendor[], provider: string | undefined, baseUrl: string): Vendor {
  const name = provider?.toLowerCase();
  const host = URL.parse(baseUrl)?.hostname ?? '';
  // Other kinds have ids and hosts of their own, which say nothing about a server that speaks this format.
  const rows = vendors.filter(({ kind }) => kind === 'openai' || kind === 'openrouter');
  return (
    rows.find(({ id }) => id === name) ?? rows.find(({ hosts }) => hosts.some((at) => isAt(host, at))) ?? compatible
  );
}

/** By its end: whoever owns a name owns what is before it, and nothing that comes after it. */
const isAt = (host: string, known: string): boolean => host === known || host.endsWith(`.${known}`);
