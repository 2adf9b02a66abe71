import { del, get } from '../../api.ts';
import { Kept } from '../../components/kept.tsx';
import { t } from '../../language/words.ts';

export function OwnKept() {
  return (
    <Kept
      title={t('What you keep')}
      description={t(
        'Where all that is kept for an account is used, more is refused until something is deleted: chats in the playground, sessions and knowledge on their pages, responses here, files and batches with your keys.',
      )}
      of="self"
      load={(signal) => get('/api/user/self/kept', { signal })}
      deleteResponses={() => del('/api/user/self/kept/responses')}
    />
  );
}
