import { Progress, Skeleton, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Result } from '../api.ts';
import { formatBytes } from '../format.ts';
import { t } from '../language/words.ts';
import { ErrorState } from './error-state.tsx';
import { Section } from './section.tsx';

type KeptSum = Result<'/api/user/self/kept', 'get'>;

const words: Record<KeptSum['parts'][number]['name'], string> = {
  responses: t('Responses and conversations'),
  files: t('Files, with results of batches'),
  batches: t('Batches'),
  sessions: t('Sessions and runs'),
  knowledge: t('Knowledge'),
  memory: t('What finds sessions and knowledge again'),
  chats: t('Chats and prompts of the playground'),
  contents: t('Prompts and answers of requests'),
};

function Parts({ bytes, most_bytes: most, parts }: KeptSum) {
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
          aria-label={t('Share that is used')}
        />
      )}
      <Table aria-label={t('What takes how much')}>
        <Table.Tbody>
          {parts.map(({ name, bytes: size }) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" fw={400}>
                {words[name]}
              </Table.Th>
              <Table.Td ta="end" className="svc-number">
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
  /** Whose it is, for the cache. */
  of: string;
  load(signal: AbortSignal): Promise<KeptSum>;
}

/** What is kept for somebody, counted when it is looked at. */
export function Kept({ title, description, of, load }: Props) {
  const kept = useQuery({ queryKey: ['kept', of], queryFn: ({ signal }) => load(signal) });
  return (
    <Section title={title} description={description}>
      {kept.isPending && <Skeleton height={240} />}
      {kept.error && !kept.data && (
        <ErrorState error={kept.error} title={t('It could not be counted')} onRetry={() => kept.refetch()} />
      )}
      {kept.data && <Parts {...kept.data} />}
    </Section>
  );
}
