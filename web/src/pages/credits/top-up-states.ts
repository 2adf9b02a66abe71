import type { Result } from '../../api.ts';

export type TopUp = Result<'/api/user/topups', 'get'>['topups'][number];

/** How a payment stands, in words. */
export const topUpStates: Record<TopUp['status'], { label: string; color: string }> = {
  open: { label: 'Not paid yet', color: 'gray' },
  paid: { label: 'Paid', color: 'teal' },
  partly_refunded: { label: 'Refunded in part', color: 'orange' },
  refunded: { label: 'Refunded', color: 'orange' },
  disputed: { label: 'Disputed', color: 'red' },
  expired: { label: 'Not paid', color: 'gray' },
  failed: { label: 'Failed', color: 'gray' },
};
