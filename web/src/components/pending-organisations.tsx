import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconBuilding } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { put } from '../api.ts';
import { t } from '../language/words.ts';
import { reloadOrganisations, waitingQuery } from '../organisations.ts';
import { useUser } from '../session.ts';
import { useAct } from '../use-act.ts';
import { notifyError, notifySuccess } from './notify.ts';

interface Place {
  organisation_id: number;
  organisation: string;
}

function Waits({ place: { organisation_id: id, organisation: name } }: { place: Place }) {
  const join = useAct({
    mutationFn: () => put('/api/organisations/{id}/membership', { path: { id } }),
    onSuccess: async () => {
      notifySuccess(t('You have joined {name}', { name }));
      await reloadOrganisations();
    },
    onError: notifyError,
  });
  return (
    <Alert variant="light" icon={<IconBuilding aria-hidden />}>
      <Group justify="space-between">
        <Text size="sm" className="svc-anywhere" flex="1 1 14rem" miw={0}>
          {t('{name} lists you as a member. Join to use its tools and keys.', { name })}
        </Text>
        <Button
          size="xs"
          aria-label={t('Join {name}', { name })}
          loading={join.isPending}
          onClick={() => join.mutate()}
        >
          {t('Join')}
        </Button>
      </Group>
    </Alert>
  );
}

/** Organisations whose directories list the logged-in user. */
export function PendingOrganisations() {
  const { email_verified } = useUser();
  // Directories match by verified address, so without one there is nothing to ask for.
  const { data = [] } = useQuery({ ...waitingQuery, enabled: email_verified });
  if (data.length === 0) return null;
  return (
    <Stack mb="lg">
      {data.map((place) => (
        <Waits key={place.organisation_id} place={place} />
      ))}
    </Stack>
  );
}
