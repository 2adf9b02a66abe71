import { Code, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconListSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { BackLink } from '../../components/back-link.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { t } from '../../language/words.ts';
import { useNamed } from '../../page-name.ts';
import { parentKindOf } from '../../requests.ts';
import type { Search } from '../../search-params.ts';
import { isAdmin, useUser } from '../../session.ts';
import { About } from './request-about.tsx';
import { ContentOfRequest } from './request-content.tsx';
import { CallsOfRequest, CostOfRequest, DecisionsOfRequest, FailureOfRequest } from './request-parts.tsx';
import { type RequestDetail, requestQuery } from './requests-query.ts';

const back = <BackLink to="/requests">{t('All requests')}</BackLink>;

function Unknown() {
  const admin = isAdmin(useUser());
  return (
    <EmptyState
      icon={IconListSearch}
      title={t('No record of this request')}
      description={
        admin
          ? t(
              'It did not call a model, or it is older than the retention period. Look for this id in the log of the service.',
            )
          : t(
              'It did not call a model, is not yours, or is older than the retention period. The operator of this service can find it in the log by this id.',
            )
      }
    />
  );
}

const titleOf = (id: string, detail: RequestDetail | null | undefined): string => {
  if (!detail?.calls) return t('Request');
  const word = parentKindOf(id);
  return `${word[0]!.toUpperCase()}${word.slice(1)}`;
};

/** All details of one request. Ids from errors and from `x-request-id` lead here. */
export function RequestPage() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const { at } = useSearch({ strict: false }) as Search;
  const query = useQuery(requestQuery(useUser(), id, [at ?? ''].flat()[0]!));
  const detail = query.data;
  useNamed(id);
  return (
    <>
      <PageHeader
        // An element instead of a string, because a string title would replace the id as the page's name.
        title={<span>{titleOf(id, detail)}</span>}
        description={
          <Group gap={4} component="span">
            <Code className="svc-anywhere">{id}</Code>
            <CopyButton value={id} label={t('Copy request id')} />
          </Group>
        }
        actions={back}
      />
      {query.error && detail === undefined && <ErrorState error={query.error} onRetry={() => query.refetch()} />}
      {query.isPending && <Skeleton height={240} />}
      {detail === null && <Unknown />}
      {detail && (
        <Stack gap="lg">
          <About detail={detail} />
          {detail.failure && <FailureOfRequest failure={detail.failure} />}
          {detail.content && <ContentOfRequest content={detail.content} />}
          {detail.calls && <CallsOfRequest id={id} calls={detail.calls} />}
          {detail.logs.map((log) => (
            <CostOfRequest key={log.id} log={log} />
          ))}
          <DecisionsOfRequest decisions={detail.decisions} />
          {detail.decisions.length === 0 && !detail.calls && (
            <Text size="sm" c="dimmed">
              {t('No provider was chosen for this request.')}
            </Text>
          )}
        </Stack>
      )}
    </>
  );
}
