import { Badge, Button, Card, Center, Group, Loader, Progress, Stack, Text, Title } from '@mantine/core';
import { IconDownload, IconX } from '@tabler/icons-react';
import { CopyButton } from '../../components/copy-button.tsx';
import { notifyError, notifySuccess } from '../../components/notify.ts';
import { TimeAgo } from '../../components/time-ago.tsx';
import { serverText } from '../../language/server-texts.ts';
import { t } from '../../language/words.ts';
import { useAct } from '../../use-act.ts';
import { cancelVideo, contentAddress, isRunning, reloadVideos, type VideoJob, type VideoStatus } from './videos-api.ts';

const looks: Record<VideoStatus, { label: string; color: string }> = {
  pending: { label: t('Waiting'), color: 'gray' },
  in_progress: { label: t('Generating'), color: 'indigo' },
  completed: { label: t('Done'), color: 'teal' },
  failed: { label: t('Failed'), color: 'red' },
  cancelled: { label: t('Cancelled'), color: 'gray' },
  expired: { label: t('Expired'), color: 'orange' },
};

/** Why there is no video to play. */
const reasons: Partial<Record<VideoStatus, string>> = {
  failed: t('The video failed. Nothing was charged.'),
  cancelled: t('The video was cancelled. Nothing was charged.'),
  expired: t('The video was not ready in time. Nothing was charged.'),
};

const nameOf = ({ prompt, id }: VideoJob): string => prompt.slice(0, 80) || id;

function Screen({ job }: { job: VideoJob }) {
  const urls = job.unsigned_urls ?? [];
  if (urls.length > 0) {
    return urls.map((url, index) => (
      // biome-ignore lint/a11y/useMediaCaption: generated videos have no captions
      <video
        key={url}
        className="svc-video"
        // The fragment makes every browser show a frame before playback.
        src={`${contentAddress(job.id, index)}#t=0.01`}
        controls
        preload="metadata"
        playsInline
        aria-label={t('Video: {name}', { name: nameOf(job) })}
      />
    ));
  }
  return (
    <Center className="svc-video" p="md">
      {isRunning(job.status) ? (
        <Stack align="center" gap="xs" w="70%">
          <Loader size="sm" aria-hidden />
          <Progress value={job.progress} w="100%" aria-label={t('{progress} % complete', { progress: job.progress })} />
          <Text size="sm" c="dimmed" className="svc-number">
            {job.status === 'pending' ? t('Queued') : t('{progress} %', { progress: job.progress })}
          </Text>
        </Stack>
      ) : (
        <Stack gap={4} align="center" ta="center">
          {job.error && (
            <Text size="sm" c="var(--mantine-color-error)" className="svc-anywhere">
              {serverText(job.error)}
            </Text>
          )}
          <Text size="sm" c="dimmed">
            {reasons[job.status]}
          </Text>
        </Stack>
      )}
    </Center>
  );
}

function Acts({ job }: { job: VideoJob }) {
  const cancel = useAct({
    mutationFn: () => cancelVideo(job.id),
    onSuccess: () => notifySuccess(t('Video cancelled')),
    onError: notifyError,
    onSettled: reloadVideos,
  });
  if (isRunning(job.status)) {
    return (
      <Button
        size="xs"
        variant="default"
        loading={cancel.isPending}
        leftSection={<IconX size={14} aria-hidden />}
        onClick={() => cancel.mutate()}
      >
        {t('Cancel')}
      </Button>
    );
  }
  if (job.status !== 'completed') return null;
  return (job.unsigned_urls ?? []).map((url, index) => (
    <Button
      key={url}
      size="xs"
      variant="default"
      component="a"
      href={contentAddress(job.id, index)}
      download={`${job.id}-${index}`}
      leftSection={<IconDownload size={14} aria-hidden />}
    >
      {t('Download')}
    </Button>
  ));
}

export function JobCard({ job }: { job: VideoJob }) {
  const { label, color } = looks[job.status];
  const cost = job.usage?.cost;
  return (
    <Card component="li" padding={0} aria-label={nameOf(job)}>
      <Screen job={job} />
      <Stack gap="xs" p="md" flex={1}>
        <Group justify="space-between" wrap="nowrap">
          <div role="status">
            <Badge color={color}>{label}</Badge>
            {/* Screen readers announce the status without its context, so include the name. */}
            <span className="svc-hidden">{nameOf(job)}</span>
          </div>
          <Text size="xs" c="dimmed">
            <TimeAgo at={job.created_at} />
          </Text>
        </Group>
        <Title order={3} size="sm" fw={500} lineClamp={3} className="svc-anywhere">
          {job.prompt || t('Generated from an image')}
        </Title>
        <Text size="xs" c="dimmed">
          {[
            job.model,
            t('{seconds} s', { seconds: job.duration }),
            cost !== undefined && (cost > 0 ? `$${cost}` : t('free')),
          ]
            .filter(Boolean)
            .join(' · ')}
        </Text>
        <Group justify="space-between" mt="auto">
          <Group gap={4}>
            <Text size="xs" c="dimmed" ff="monospace">
              {job.id.slice(0, 14)}…
            </Text>
            <CopyButton value={job.id} label={t('Copy job id {id}', { id: job.id })} />
          </Group>
          <Acts job={job} />
        </Group>
      </Stack>
    </Card>
  );
}
