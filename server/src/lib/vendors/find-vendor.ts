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

/** Cached: the table never changes, and parsing a channel's URL for every request would be wasteful. */
const found = new Map<string, { provider: string | undefined; vendor: Vendor }>();
const mostFound = 1_000;

/** The row of an OpenAI-compatible channel: by provider, else by host, else a generic one. */
export function findVendor(vendors: readonly Vendor[], provider: string | undefined, baseUrl: string): Vendor {
  const name = provider?.toLowerCase();
  const host = URL.parse(baseUrl)?.hostname ?? '';
  // The ids and hosts of other kinds say nothing about a server that speaks this format.
  const rows = vendors.filter(({ kind }) => kind === 'openai' || kind === 'openrouter');
  return (
    rows.find(({ id }) => id === name) ?? rows.find(({ hosts }) => hosts.some((at) => isAt(host, at))) ?? compatible
  );
}

/** Compares the end of the host: the owner of a domain owns all names below it. */
const isAt = (host: string, known: string): boolean => host === known || host.endsWith(`.${known}`);
