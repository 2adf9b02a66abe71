import { Button, Card, Group, Skeleton, Stack, Text, Textarea } from '@mantine/core';
import { IconVideo } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { ModelPicker } from '../../components/model-picker.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { Section } from '../../components/section.tsx';
import { formatUsd } from '../../format.ts';
import { useIdempotent } from '../../idempotent-post.ts';
import { serverText } from '../../language/server-texts.ts';
import { t } from '../../language/words.ts';
import { isAdmin, useUser } from '../../session.ts';
import { useAct } from '../../use-act.ts';
import {
  bodyOf,
  costOf,
  emptyVideo,
  type FrameType,
  faultsOf,
  fitting,
  type VideoFaults,
  type VideoFields,
  withFrame,
} from './video-fields.ts';
import { MoreOptions, ShapeOptions } from './video-options.tsx';
import { createVideo, reloadVideos, type VideoModel, videoModelsQuery } from './videos-api.ts';

function Estimate({ fields, model }: { fields: VideoFields; model: VideoModel }) {
  const cost = costOf(fields, model);
  const words =
    cost === null
      ? t('{price} per second', { price: formatUsd(model.pricing.per_second) })
      : cost === 0
        ? t('Free')
        : t('About {cost}, charged only when the video is ready', { cost: formatUsd(cost) });
  return (
    <Text size="sm" c="dimmed" role="status">
      {words}
    </Text>
  );
}

function Form({ models }: { models: VideoModel[] }) {
  const [modelId, setModelId] = useState(models[0]!.id);
  const model = models.find(({ id }) => id === modelId) ?? models[0]!;
  const [fields, setFields] = useState(emptyVideo);
  const [faults, setFaults] = useState<VideoFaults>({});
  // An image takes a while to read, and a video to be started: what was typed meanwhile stays.
  const set = (changes: Partial<VideoFields>) => setFields((before) => ({ ...before, ...changes }));
  const setFrame = (type: FrameType, url: string | null) =>
    setFields((before) => ({ ...before, frames: withFrame(before.frames, type, url) }));
  const send = useIdempotent(createVideo);
  const create = useAct({
    mutationFn: (sent: VideoFields) => send(bodyOf(sent, model)),
    onSuccess: async (_, sent) => {
      notifySuccess(t('The video is being generated'));
      setFields((now) => ({
        ...now,
        ...(now.prompt === sent.prompt && { prompt: '' }),
        ...(now.frames === sent.frames && { frames: {} }),
      }));
      await reloadVideos();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = faultsOf(fields);
    setFaults(found);
    if (Object.keys(found).length === 0) create.mutate(fields);
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <ModelPicker
          label={t('Model')}
          description={serverText(model.description) || undefined}
          fits={({ id }) => models.some((one) => one.id === id)}
          besides={models.map(({ id }) => id)}
          value={model.id}
          onChange={(id) => {
            const next = models.find((one) => one.id === id) ?? model;
            setModelId(next.id);
            setFields(fitting(fields, next));
          }}
        />
        <Textarea
          label={t('Prompt##for a model')}
          placeholder={t('A paper boat drifts down a rainy street at dusk, seen from above')}
          autosize
          minRows={3}
          maxRows={10}
          maxLength={32_000}
          value={fields.prompt}
          onChange={(event) => set({ prompt: event.currentTarget.value })}
          error={faults.prompt}
        />
        <ShapeOptions model={model} fields={fields} faults={faults} set={set} />
        <MoreOptions model={model} fields={fields} faults={faults} set={set} setFrame={setFrame} />
        {create.error && <ErrorState error={create.error} title={t('The video was not started')} />}
        <Group justify="space-between">
          <Estimate fields={fields} model={model} />
          <Button
            type="submit"
            loading={create.isPending}
            leftSection={<IconVideo size={16} stroke={1.7} aria-hidden />}
          >
            {t('Create video')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function NoModels() {
  const admin = isAdmin(useUser());
  return (
    <Card padding={0}>
      <EmptyState
        icon={IconVideo}
        title={t('No video model is available')}
        description={
          admin
            ? t('Add a provider that generates videos under Channels, or turn on the built-in one.')
            : t('Ask an administrator to add a provider that generates videos.')
        }
      />
    </Card>
  );
}

/** Offers only the options that the selected model reports. */
export function CreateVideo() {
  const query = useQuery(videoModelsQuery);
  if (query.error && !query.data) {
    return (
      <ErrorState error={query.error} title={t('Video models could not be loaded')} onRetry={() => query.refetch()} />
    );
  }
  if (query.data?.length === 0) return <NoModels />;
  return (
    <Section title={t('Create a video')}>
      {query.data ? <Form models={query.data} /> : <Skeleton height={300} aria-busy="true" />}
    </Section>
  );
}
