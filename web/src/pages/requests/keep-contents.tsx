import { Box, Switch } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { get, put } from '../../api.ts';
import { ConfirmDelete } from '../../components/confirm-delete.tsx';
import { notifyError } from '../../components/notify.ts';
import { QueryFault } from '../../components/query-fault.tsx';
import { t } from '../../language/words.ts';
import { queryClient } from '../../session.ts';
import { useAct } from '../../use-act.ts';

const consentQuery = queryOptions({
  queryKey: ['request-contents'],
  queryFn: ({ signal }) => get('/api/user/request-contents', { signal }),
});

async function setConsent(keep: boolean): Promise<void> {
  const standing = await put('/api/user/request-contents', { body: { keep } });
  queryClient.setQueryData(consentQuery.queryKey, standing);
  await queryClient.invalidateQueries({ queryKey: ['requests', 'one'] });
}

/** The user's consent to storing request contents. Hidden if the operator does not store any. */
export function KeepContents() {
  const query = useQuery(consentQuery);
  const { data } = query;
  const [ending, setEnding] = useState(false);
  const act = useAct({ mutationFn: () => setConsent(true), onError: notifyError });
  if (!data) return <QueryFault query={query} />;
  if (data.days === 0) return null;
  return (
    <Box mb="md">
      <Switch
        label={t('Keep my prompts and answers for {days, plural, one {# day} other {# days}}', {
          days: data.days,
        })}
        description={t(
          'Encrypted and visible only to you and the administrators of this service. Turning this off deletes what was kept.',
        )}
        checked={data.keep}
        onChange={(event) => (event.currentTarget.checked ? act.mutate() : setEnding(true))}
      />
      <ConfirmDelete
        opened={ending}
        onClose={() => setEnding(false)}
        title={t('Stop keeping prompts and answers?')}
        confirmLabel={t('Delete kept content')}
        onConfirm={() => setConsent(false)}
      >
        {t('All kept prompts and answers of your requests will be deleted. The requests stay in the list.')}
      </ConfirmDelete>
    </Box>
  );
}
