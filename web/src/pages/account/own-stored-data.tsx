import { del, get } from '../../api.ts';
import { StoredData } from '../../components/stored-data.tsx';
import { t } from '../../language/words.ts';

const where = {
  files: { to: '/docs', hash: 'delete-/v1/files/{file_id}' },
  batches: { to: '/docs', hash: 'get-/v1/batches' },
  sessions: { to: '/sessions' },
  knowledge: { to: '/knowledge' },
  chats: { to: '/playground' },
  contents: { to: '/requests' },
};

export function OwnStoredData() {
  return (
    <StoredData
      title={t('Your storage')}
      description={t(
        'When your storage is full, nothing more is stored until something is deleted. Follow a name to where its data can be deleted; responses are deleted here, files and batches with your API keys.',
      )}
      of="self"
      where={where}
      load={(signal) => get('/api/user/self/kept', { signal })}
      deleteResponses={() => del('/api/user/self/kept/responses')}
    />
  );
}
