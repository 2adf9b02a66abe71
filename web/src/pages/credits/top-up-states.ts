import type { Result } from '../../api.ts';
import { t } from '../../language/words.ts';

export type TopUp = Result<'/api/user/topups', 'get'>['topups'][number];

/** Labels of payment states. */
export const topUpStates: Record<TopUp['status'], { label: string; color: string }> = {
  open: { label: t('Payment pending'), color: 'gray' },
  paid: { label: t('Paid'), color: 'teal' },
  partly_refunded: { label: t('Partially refunded'), color: 'orange' },
  refunded: { label: t('Refunded'), color: 'orange' },
  disputed: { label: t('Disputed'), color: 'red' },
  expired: { label: t('Not paid'), color: 'gray' },
  failed: { label: t('Failed'), color: 'gray' },
};
