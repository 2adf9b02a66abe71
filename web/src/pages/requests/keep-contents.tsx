import { Box, Switch } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { get, put } from '../../api.ts';
import { notifyError } from '../../components/notify.ts';
import { queryClient } from '../../session.ts';
import { useAct } from '../../use-act.ts';

const consentQuery = queryOptions({
  queryKey: ['request-contents'],
  queryFn: ({ signal }) => get('/api/user/request-contents', { signal }),
});

/** Whether what one asks is kept; nothing where the operator keeps none. */
export function KeepContents() {
  const { data } = useQuery(consentQuery);
  const act = useAct({
    mutationFn: (keep: boolean) => put('/api/user/request-contents', { body: { keep } }),
    onSuccess: async (standing) => {
      queryClient.setQueryData(consentQuery.queryKey, standing);
      await queryClient.invalidateQueries({ queryKey: ['requests', 'one'] });
    },
    onError: notifyError,
  });
  if (!data || data.days === 0) return null;
  return (
    <Box mb="md">
      <Switch
        label={`Keep what I ask and what is answered for ${data.days === 1 ? 'a day' : `${data.days} days`}`}
        description="Encrypted, for you and the administrators of this service. Turning it off deletes what was kept."
        checked={data.keep}
        onChange={(event) => act.mutate(event.currentTarget.checked)}
      />
    </Box>
  );
}
