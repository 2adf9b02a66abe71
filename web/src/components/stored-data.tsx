import { Box, Button, Group, Progress, Skeleton, Stack, Table, Text } from '@mantine/core';
import { useInViewport } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Result } from '../api.ts';
import { formatBytes } from '../format.ts';
import { t } from '../language/words.ts';
import { queryClient } from '../session.ts';
import { ConfirmDelete } from './confirm-delete.tsx';
import { ErrorState } from './error-state.tsx';
import { AnchorLink } from './link.tsx';
import { notifySuccess } from './notify.ts';
import { Section } from './section.tsx';

type KeptSum = Result<'/api/user/self/kept', 'get'>;

type Part = KeptSum['parts'][number]['name'];

/** Links to the pages where each part can be viewed and deleted. */
type Where = Partial<Record<Part, { to: string; hash?: string }>>;

const words: Record<Part, string> = {
  responses: t('Responses and conversations'),
  files: t('Files, including batch results'),
  batches: t('Batches'),
  sessions: t('Sessions and runs'),
  knowledge: t('Knowledge'),
  memory: t('Search data of sessions and knowledge'),
  chats: t('Playground chats and prompts'),
  contents: t('Prompts and responses of requests'),
};

function PartName({ name, place }: { name: Part; place: Where[Part] }) {
  if (!place) return words[name];
  return (
    <AnchorLink {...place} inherit underline="always">
      {words[name]}
    </AnchorLink>
  );
}

function Parts({ bytes, most_bytes: most, parts, act, where = {} }: KeptSum & { act: ReactNode; where?: Where }) {
  return (
    <Stack gap="sm">
      <Text size="sm" className="svc-number">
        {most === null
          ? formatBytes(bytes)
          : t('{size} of {most}', { size: formatBytes(bytes), most: formatBytes(most) })}
      </Text>
      {most !== null && (
        <Progress
          value={Math.min(100, (100 * bytes) / most)}
          color={bytes >= most ? 'red' : undefined}
          aria-label={t('Share used')}
        />
      )}
      {most !== null && bytes >= most && (
        <Text size="sm" c="var(--mantine-color-error)">
          {t('The storage is full. Delete something before storing more.')}
        </Text>
      )}
      <Table aria-label={t('Storage by type')}>
        <Table.Tbody>
          {parts.map(({ name, bytes: size }) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" fw={400}>
                <Group gap="xs">
                  <PartName name={name} place={where[name]} />
                  {name === 'responses' && size > 0 && act}
                </Group>
              </Table.Th>
              <Table.Td ta="end" className="svc-number" style={{ whiteSpace: 'nowrap' }}>
                {formatBytes(size)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Stack>
  );
}

interface Props {
  title: string;
  description: string;
  /** Identifies the owner in the cache key. */
  of: string;
  load(signal: AbortSignal): Promise<KeptSum>;
  /** Absent if the viewer has no pages for it. */
  where?: Where;
  /** Deletes all responses: there is no list to delete single ones from. Absent if the viewer may not delete. */
  deleteResponses?: (() => Promise<unknown>) | undefined;
}

/** Stored data of a user, counted when the section scrolls into view. */
export function StoredData({ title, description, of, load, where, deleteResponses }: Props) {
  const queryKey = ['kept', of];
  const { ref, inViewport } = useInViewport<HTMLDivElement>();
  const kept = useQuery({ queryKey, queryFn: ({ signal }) => load(signal), enabled: inViewport });
  const [deleting, setDeleting] = useState(false);
  const act = deleteResponses && (
    <Button size="compact-xs" variant="subtle" color="red" onClick={() => setDeleting(true)}>
      {t('Delete all')}
    </Button>
  );
  return (
    <Section title={title} description={description}>
      {kept.isPending && (
        <Box ref={ref} mih={240}>
          {kept.isFetching && <Skeleton height={240} />}
        </Box>
      )}
      {kept.error && !kept.data && (
        <ErrorState error={kept.error} title={t('Storage could not be calculated')} onRetry={() => kept.refetch()} />
      )}
      {kept.data && <Parts {...kept.data} act={act} where={where} />}
      <ConfirmDelete
        opened={deleting}
        onClose={() => setDeleting(false)}
        title={t('Delete all responses and conversations?')}
        confirmLabel={t('Delete all')}
        onConfirm={async () => {
          await deleteResponses?.();
          notifySuccess(t('Responses and conversations are being deleted'));
          await queryClient.invalidateQueries({ queryKey });
        }}
      >
        {t('This applies to all keys. Programs that continue one of them are told that it does not exist.')}
      </ConfirmDelete>
    </Section>
  );
}
