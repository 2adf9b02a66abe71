import { t } from '../../language/words.ts';

/** A chat has no branches: whatever follows an edited message or a regenerated answer is deleted. */
export const mayDeleteLater = (): boolean =>
  confirm(t('Later messages and answers will be deleted from this chat. Continue?'));
