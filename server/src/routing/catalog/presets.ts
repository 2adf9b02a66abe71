import { vendors } from '../../lib/vendors/table.ts';
import type { Vendor } from '../../lib/vendors/vendor.ts';
import { priceEntries } from './price-entries.ts';

/** Vendors with known models, which can be added with just a key, or just an address if they need no key. */
export const presetsOf = (rows: readonly Vendor[]): Vendor[] =>
  rows.filter(({ models }) => Object.keys(models).length > 0);

export const presets: readonly Vendor[] = presetsOf(vendors);

export const needsKey = ({ keyUrl }: Pick<Vendor, 'keyUrl'>): boolean => keyUrl !== '';

export const findPreset = (id: string): Vendor | undefined => presets.find((preset) => preset.id === id);

/** As `GET /api/admin/presets` returns them. */
export function viewPresets(rows: readonly Vendor[]) {
  const models = Map.groupBy(priceEntries(rows), ({ provider }) => provider);
  return presetsOf(rows).map((preset) => ({
    ...{ id: preset.id, name: preset.name, kind: preset.kind, base_url: preset.baseUrl, env: preset.env },
    ...{ needs_key: needsKey(preset), key_url: preset.keyUrl, key_prefixes: [...preset.keyPrefixes] },
    models: (models.get(preset.id) ?? []).map(({ modelId, name, type }) => ({ model_id: modelId, name, type })),
  }));
}
