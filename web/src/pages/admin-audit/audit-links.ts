import type { Entry } from './entry.ts';

interface Place {
  to: string;
  search?: Record<string, string>;
}

const places: Record<string, (id: number | string, name: string) => Place> = {
  user: (id) => ({ to: `/admin/users/${id}` }),
  application: (_, name) => ({ to: '/admin/applications', search: { q: name } }),
  channel: () => ({ to: '/admin/channels' }),
  channel_credential: () => ({ to: '/admin/channels' }),
  provider_model: (_, name) => ({ to: '/admin/models', search: { model: name } }),
  routing_config: (id) => ({ to: '/admin/routing', search: { model: String(id) } }),
  identity_provider: () => ({ to: '/admin/identity-providers' }),
  mcp_server: () => ({ to: '/admin/mcp' }),
  option: () => ({ to: '/admin/options' }),
  redemption_code: () => ({ to: '/admin/credits' }),
  topup: () => ({ to: '/admin/credits' }),
};

/** The page of an entry's target; null if it has none. */
export function placeOf({ type, id, name }: Entry['target']): Place | null {
  return id === null ? null : (places[type]?.(id, name) ?? null);
}
