import type { Result } from '../../api.ts';
import { t } from '../../language/words.ts';

export type Alias = Result<'/api/admin/model-aliases', 'get'>['aliases'][number];

export interface AliasFields {
  name: string;
  /** In the order in which they are tried. */
  models: string[];
}

export type AliasFaults = Partial<Record<keyof AliasFields, string>>;

export const emptyAlias: AliasFields = { name: '', models: [] };
export const fieldsOf = ({ name, models }: Alias): AliasFields => ({ name, models });

export const mostModels = 20;

/** Validation errors by field, matching the service's own checks. */
export function faultsOf({ name, models }: AliasFields): AliasFaults {
  const faults: AliasFaults = {};
  if (name.trim() === '') faults.name = t('Enter the name that clients use.');
  else if (/\s/.test(name.trim())) faults.name = t('Model names cannot contain spaces.');
  if (models.length === 0) faults.models = t('Choose at least one model.');
  return faults;
}

/** Moves a model one place up (-1) or down (1); at either end the order is unchanged. */
export function moved(models: readonly string[], index: number, by: -1 | 1): string[] {
  const next = [...models];
  const [one, other] = [next[index], next[index + by]];
  if (one === undefined || other === undefined) return next;
  next[index] = other;
  next[index + by] = one;
  return next;
}

/** Appends a model, unless the name is invalid, already listed, or the list is full. */
export function added(models: readonly string[], name: string): string[] {
  const text = name.trim();
  return text === '' || /\s|,/.test(text) || models.includes(text) || models.length >= mostModels
    ? [...models]
    : [...models, text];
}
