import { formatDateTime, formatQuota } from '../../format.ts';
import { t } from '../../language/words.ts';
import { roleName } from '../admin-users/user-state.ts';
import { labelOf, wordOf } from './field-words.ts';

/** A formatted value, and whether it is missing on the other side. */
export interface Shown {
  text: string;
  differs: boolean;
}

export interface Difference {
  field: string;
  /** Human-readable name of the field. */
  label: string;
  /** One item per list element; empty if this side has no value. */
  before: Shown[];
  after: Shown[];
}

type State = Record<string, unknown> | null;

const money = /^(quota|amount|balance_after|remain_quota|spending_limit|used)$/;
const time = /(_at|_time)$/;
const flag = /^(email_verified|is_verified|enabled|hard|unlimited_quota|mailed|public)$/;

const statuses: Record<string, [string, string]> = { application: [t('Active'), t('Suspended')] };

/** Formats by field name, because roles, balances and timestamps are all numbers. */
function textOf(type: string, field: string, value: unknown): string {
  if (value === null) return t('none');
  if (typeof value === 'string') return wordOf(field, value);
  if (typeof value === 'boolean') return value ? t('yes') : t('no');
  if (typeof value !== 'number') return JSON.stringify(value);
  if (field === 'role') return roleName(value);
  if (field === 'status') return (statuses[type] ?? [t('Enabled'), t('Disabled')])[value - 1] ?? String(value);
  if (flag.test(field) && (value === 0 || value === 1)) return value === 1 ? t('yes') : t('no');
  if (field === 'expired_time' && value === -1) return t('never##expires');
  if (money.test(field)) return formatQuota(value);
  if (time.test(field) && value > 1e9) return formatDateTime(value);
  return String(value);
}

const isEmpty = (value: unknown): boolean => value === undefined || value === '' || value === null;

/**
 * The values of one side. List elements are deduplicated and compared one by one, to show which were added or removed.
 */
function sideOf(type: string, field: string, mine: unknown, other: unknown): Shown[] {
  if (isEmpty(mine) || (Array.isArray(mine) && mine.length === 0)) return [];
  if (!Array.isArray(mine)) return [{ text: textOf(type, field, mine), differs: true }];
  const others = new Set(Array.isArray(other) ? other.map((one) => JSON.stringify(one)) : []);
  const shown = mine.map((one) => ({ text: textOf(type, field, one), differs: !others.has(JSON.stringify(one)) }));
  return [...new Map(shown.map((one) => [one.text, one])).values()];
}

/** Compares field by field and omits equal fields. */
export function differencesOf(type: string, before: State, after: State): Difference[] {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return fields.flatMap((field) => {
    const [was, is] = [before?.[field], after?.[field]];
    const sides = { before: sideOf(type, field, was, is), after: sideOf(type, field, is, was) };
    if (JSON.stringify(was) === JSON.stringify(is)) return [];
    return sides.before.length + sides.after.length === 0 ? [] : [{ field, label: labelOf(field), ...sides }];
  });
}
