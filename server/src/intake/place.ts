import { trimEndOf } from '../lib/trim-end.ts';
import { findVendor } from '../lib/vendors/find-vendor.ts';
import { vendors } from '../lib/vendors/table.ts';
import { type ChannelKind, compatible, type Vendor } from '../lib/vendors/vendor.ts';

/** The target of a channel. */
export interface Place {
  provider: string;
  kind: ChannelKind;
  baseUrl: string;
}

export const vendorNamed = (id: string): Vendor | undefined => vendors.find((vendor) => vendor.id === id);

/** An OpenAI-compatible server by address: a known vendor, or named by its host. */
export function compatibleAt(baseUrl: string): Place {
  const { id } = findVendor(vendors, undefined, baseUrl);
  const host = URL.parse(baseUrl)?.hostname ?? '';
  const provider = id === compatible.id && /^[a-z0-9][a-z0-9._-]{0,63}$/.test(host) ? host : id;
  return { provider, kind: 'openai', baseUrl };
}

/** Addresses are often given without the API path. */
export function withPath(address: string, path: string): string {
  const plain = trimEndOf(address.trim(), '/');
  return URL.parse(plain)?.pathname === '/' ? `${plain}${path}` : plain;
}
