import { NumberInput, Select, SimpleGrid, Stack, Switch, TextInput } from '@mantine/core';
import { t } from '../../language/words.ts';
import { FrameInput } from './frame-input.tsx';
import { type FrameType, framesOf, offered, usualSeconds, type VideoFaults, type VideoFields } from './video-fields.ts';
import type { VideoModel } from './videos-api.ts';

interface OptionsProps {
  model: VideoModel;
  fields: VideoFields;
  faults: VideoFaults;
  set: (changes: Partial<VideoFields>) => void;
}

type Chosen = 'aspectRatio' | 'resolution' | 'size';

function Choice({
  label,
  list,
  name,
  fields,
  set,
}: Omit<OptionsProps, 'model' | 'faults'> & { label: string; list: string[] | null; name: Chosen }) {
  if (!list) return null;
  return (
    <Select
      label={label}
      placeholder={t('Automatic')}
      data={list}
      value={fields[name] || null}
      onChange={(value) => set({ [name]: value ?? '' })}
      clearable
      clearButtonProps={{ 'aria-label': t('{label}: automatic', { label }) }}
    />
  );
}

function Duration({ model, fields, faults, set }: OptionsProps) {
  const list = offered(model.supported_durations);
  const usual = usualSeconds(model);
  if (list) {
    return (
      <Select
        label={t('Duration')}
        placeholder={usual === undefined ? t('Automatic') : t('{seconds} s', { seconds: usual })}
        data={list.map((seconds) => ({ value: seconds, label: t('{seconds} s', { seconds }) }))}
        value={fields.duration === '' ? null : String(fields.duration)}
        onChange={(value) => set({ duration: value ?? '' })}
        clearable
        clearButtonProps={{ 'aria-label': t('Duration: automatic') }}
        error={faults.duration}
      />
    );
  }
  return (
    <NumberInput
      label={t('Duration')}
      placeholder={t('Automatic')}
      suffix={t('{seconds} s', { seconds: '' })}
      min={1}
      allowDecimal={false}
      value={fields.duration}
      onChange={(duration) => set({ duration })}
      error={faults.duration}
    />
  );
}

/** Format and duration. */
export function ShapeOptions(props: OptionsProps) {
  const { model, fields, set } = props;
  const sizes = offered(model.supported_sizes);
  return (
    <SimpleGrid cols={{ base: 2, sm: 4 }}>
      <Choice
        label={t('Aspect ratio')}
        name="aspectRatio"
        list={offered(model.supported_aspect_ratios)}
        fields={fields}
        set={set}
      />
      {sizes ? (
        <Choice label={t('Size##in pixels')} name="size" list={sizes} fields={fields} set={set} />
      ) : (
        <Choice
          label={t('Resolution')}
          name="resolution"
          list={offered(model.supported_resolutions)}
          fields={fields}
          set={set}
        />
      )}
      <Duration {...props} />
      {model.seed && (
        <NumberInput
          label={t('Seed')}
          placeholder={t('Random')}
          allowDecimal={false}
          hideControls
          value={fields.seed}
          onChange={(seed) => set({ seed })}
        />
      )}
    </SimpleGrid>
  );
}

interface MoreOptionsProps extends OptionsProps {
  setFrame: (type: FrameType, url: string | null) => void;
}

/** Options that only some models support, and the callback. */
export function MoreOptions({ model, fields, faults, set, setFrame }: MoreOptionsProps) {
  return (
    <Stack>
      {framesOf(model).map((type) => (
        <FrameInput
          key={type}
          type={type}
          held={fields.frames[type] !== undefined}
          onChange={(url) => setFrame(type, url)}
        />
      ))}
      {model.generate_audio && (
        <Switch
          label={t('With sound')}
          checked={fields.audio}
          onChange={(event) => set({ audio: event.currentTarget.checked })}
        />
      )}
      <TextInput
        label={t('Callback address')}
        description={t('Optional; called when the video is ready or has failed')}
        placeholder="https://example.com/hooks/video"
        type="url"
        value={fields.callbackUrl}
        onChange={(event) => set({ callbackUrl: event.currentTarget.value.trim() })}
        error={faults.callbackUrl}
      />
    </Stack>
  );
}
