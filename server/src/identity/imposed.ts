import { AppError } from '../lib/errors.ts';
import type { ApiKeyRow } from './store/keys.ts';

/** What managers of an organisation can impose on a member's own key. */
export const imposable = ['status', 'expired_time', 'quota', 'models', 'allowed_ips'] as const;
export type Imposed = (typeof imposable)[number];

/** Who changes a key: whose it is, a manager of its organisation, or whose it is and also a manager. */
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
const listRule = (name: 'models' | 'allowed_ips', what: string): Rule => ({
  loosens: (before, after) => {
    const [old, now] = [JSON.parse(before[name]), JSON.parse(after[name])] as [string[], string[]];
    return old.length > 0 && (now.length === 0 || now.some((item) => !old.includes(item)));
  },
  isFree: (key) => key[name] === '[]',
  differs: (before, after) => before[name] !== after[name],
  refusal: `has limited the ${what} of this API key: only a manager can allow more.`,
});

const rules: Record<Imposed, Rule> = {
  status: {
    loosens: (before, after) => before.status !== 1 && after.status === 1,
    isFree: ({ status }) => status === 1,
    differs: (before, after) => before.status !== after.status,
    refusal: 'has disabled this API key: only a manager can enable it.',
  },
  expired_time: {
    loosens: (before, after) => endOf(after) > endOf(before),
    isFree: ({ expired_time }) => expired_time === -1,
    differs: (before, after) => before.expired_time !== after.expired_time,
    refusal: 'has set when this API key expires: only a manager can extend it.',
  },
  quota: {
    loosens: (before, after) =>
      before.unlimited_quota === 0 && (after.unlimited_quota === 1 || after.remain_quota > before.remain_quota),
    isFree: ({ unlimited_quota }) => unlimited_quota === 1,
    differs: (before, after) =>
      before.unlimited_quota !== after.unlimited_quota ||
      (after.unlimited_quota === 0 && before.remain_quota !== after.remain_quota),
    refusal: 'has set what this API key may spend: only a manager can allow more.',
  },
  models: listRule('models', 'models'),
  allowed_ips: listRule('allowed_ips', 'addresses'),
};

/**
 * What is imposed on a key after this change. Throws if its holder would undo what a manager has set; stricter limits
 * of their own are fine.
 */
export function imposedAfter(by: KeyChanger, imposed: readonly Imposed[], before: Limits, after: Limits): Imposed[] {
  if (by === 'holder') {
    const undone = imposed.find((name) => rules[name].loosens(before, after));
    if (undone) throw new AppError('forbidden', `A manager of the organisation ${rules[undone].refusal}`);
    return [...imposed];
  }
  return imposable.filter((name) => {
    const { differs, isFree } = rules[name];
    if (!differs(before, after)) return imposed.includes(name);
    return by === 'manager' && !isFree(after);
  });
}
