import { Card, Group, Pagination, Skeleton, Stack, Title } from '@mantine/core';
import { IconVideo } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { t } from '../../language/words.ts';
import { usePage } from '../../use-url-state.ts';
import { CallbackSecret } from './callback-secret.tsx';
import { CreateVideo } from './create-video.tsx';
import { JobCard } from './job-card.tsx';
import { jobsQuery, pageSize } from './videos-api.ts';

const controlLabels = {
  first: t('First page'),
  previous: t('Previous page'),
  next: t('Next page'),
  last: t('Last page'),
};

function Jobs() {
  const [page, setPage] = usePage();
  const query = useQuery(jobsQuery(page));
  if (query.error && !query.data) {
    return (
      <ErrorState error={query.error} title={t('Your videos could not be loaded')} onRetry={() => query.refetch()} />
    );
  }
  if (!query.data) {
    return (
      <div className="svc-videos" aria-busy="true">
        {[1, 2, 3].map((key) => (
          <Skeleton key={key} height={300} />
        ))}
      </div>
    );
  }
  const { data, total } = query.data;
  if (total === 0) {
    return (
      <Card padding={0}>
        <EmptyState
          icon={IconVideo}
          title={t('No videos yet')}
          description={t(
            'Videos are generated in the background. You can leave this page; they appear here when they are ready.',
          )}
        />
      </Card>
    );
  }
  return (
    <>
      <ul className={query.isPlaceholderData ? 'svc-videos svc-stale' : 'svc-videos'} aria-label={t('Videos')}>
        {data.map((job) => (
          <JobCard key={job.id} job={job} />
        ))}
      </ul>
      {total > pageSize && (
        <Group justify="center" mt="lg">
          <Pagination
            value={page}
            total={Math.ceil(total / pageSize)}
            onChange={setPage}
            getItemProps={(number) => ({ 'aria-label': t('Page {number}', { number }) })}
            getControlProps={(control) => ({ 'aria-label': controlLabels[control] })}
          />
        </Group>
      )}
    </>
  );
}

export function VideosPage() {
  return (
    <>
      <PageHeader
        title={t('Videos')}
        description={t('Generate videos from text with any video model that is set up here.')}
      />
      <Stack gap="xl">
        <CreateVideo />
        <section>
          <Title order={2} mb="sm">
            {t('Your videos')}
          </Title>
          <Jobs />
        </section>
        <CallbackSecret />
      </Stack>
    </>
  );
}
