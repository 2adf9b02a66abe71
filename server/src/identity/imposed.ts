import { AppError } from '../lib/errors.ts';
import type { ApiKeyRow } from './store/keys.ts';

/** Fields of a member's own key that managers of its organisation can impose. */
export const imposable = ['status', 'expired_time', 'quota', 'models', 'allowed_ips'] as const;
export type Imposed = (typeof imposable)[number];

/** Who changes a key: its holder, a manager of its organisation, or a holder who is also a manager. */
export type KeyChanger = 'holder' | 'manager' | 'managing_holder';

type Limits = Pick<
  ApiKeyRow,
  'status' | 'expired_time' | 'remain_quota' | 'unlimited_quota' | 'models' | 'allowed_ips'
>;

interface Rule {
  /** Whether a key can do more afterwards. */
  loosens(before: Limits, after: Limits): boolean;
  /** Whether there is no limit. */
  isFree(key: Limits): boolean;
  differs(before: Limits, after: Limits): boolean;
  refusal: string;
}

const endOf = ({ expired_time }: Limits): number => (expired_time === -1 ? Number.POSITIVE_INFINITY : expired_time);

/** An empty list allows everything. Blocks of addresses are compared as written. */
const listRule = (name: 'models' | 'allowed_ips', refusal: string): Rule => ({
  loosens: (before, after) => {
    const [old, now] = [JSON.parse(before[name]), JSON.parse(after[name])] as [string[], string[]];
    return old.length > 0 && (now.length === 0 || now.some((item) => !old.includes(item)));
  },
  isFree: (key) => key[name] === '[]',
  differs: (before, after) => before[name] !== after[name],
  refusal,
});

const rules: Record<Imposed, Rule> = {
  status: {
    loosens: (before, after) => before.status !== 1 && after.status === 1,
    isFree: ({ status }) => status === 1,
    differs: (before, after) => before.status !== after.status,
    refusal: 'A manager of the organisation disabled this API key. Only a manager can enable it.',
  },
  expired_time: {
    loosens: (before, after) => endOf(after) > endOf(before),
    isFree: ({ expired_time }) => expired_time === -1,
    differs: (before, after) => before.expired_time !== after.expired_time,
    refusal: 'A manager of the organisation set the expiry of this API key. Only a manager can extend it.',
  },
  quota: {
    loosens: (before, after) =>
      before.unlimited_quota === 0 && (after.unlimited_quota === 1 || after.remain_quota > before.remain_quota),
    isFree: ({ unlimited_quota }) => unlimited_quota === 1,
    differs: (before, after) =>
      before.unlimited_quota !== after.unlimited_quota ||
      (after.unlimited_quota === 0 && before.remain_quota !== after.remain_quota),
    refusal: 'A manager of the organisation set the quota of this API key. Only a manager can raise it.',
  },
  models: listRule(
    'models',
    'A manager of the organisation limited the models of this API key. Only a manager can allow more.',
  ),
  allowed_ips: listRule(
    'allowed_ips',
    'A manager of the organisation limited the IP addresses of this API key. Only a manager can allow more.',
  ),
};

/**
 * What is imposed on a key after this change. Throws if its holder would undo what a manager has set; stricter limits
 * of their own are fine.
 */
export function imposedAfter(by: KeyChanger, imposed: readonly Imposed[], before: Limits, after: Limits): Imposed[] {
  if (by === 'holder') {
    const undone = imposed.find((name) => rules[name].loosens(before, after));
    if (undone) throw new AppError('forbidden', rules[undone].refusal);
    return [...imposed];
  }
  return imposable.filter((name) => {
    const { differs, isFree } = rules[name];
    if (!differs(before, after)) return imposed.includes(name);
    return by === 'manager' && !isFree(after);
  });
}
