import { Divider, NumberInput, Select, SimpleGrid, Switch, TextInput } from '@mantine/core';
import { ModelPicker } from '../../components/model-picker.tsx';
import { t } from '../../language/words.ts';
import { isChat, orchestrationModel } from '../../models.ts';
import type { Orchestration } from './settings.ts';

interface OrchestrationFieldsProps {
  value: Orchestration;
  onChange: (changes: Partial<Orchestration>) => void;
}

const memoryModes = [
  { value: 'full', label: t('Full: the whole history') },
  { value: 'summarized', label: t('Summarized: a summary and recent messages') },
  { value: 'selective', label: t('Selective: content related to the question') },
];
const verbosities = [
  { value: 'minimal', label: t('minimal') },
  { value: 'normal', label: t('normal') },
  { value: 'verbose', label: t('verbose') },
];
const difficulties = [
  { value: 'easy', label: t('easy') },
  { value: 'medium', label: t('medium') },
  { value: 'hard', label: t('hard') },
];

const switches: { name: 'includeReasoning' | 'vectorSearch' | 'extractKnowledge' | 'finalOnly'; label: string }[] = [
  { name: 'includeReasoning', label: t('Show the planning steps') },
  { name: 'vectorSearch', label: t('Search past sessions and knowledge') },
  { name: 'extractKnowledge', label: t('Save facts to knowledge') },
  { name: 'finalOnly', label: t('Final answer only') },
];

/** Edits the `svc_ms` object of a request. */
export function OrchestrationFields({ value, onChange }: OrchestrationFieldsProps) {
  const select = (name: 'memoryMode' | 'verbosity' | 'difficulty') => ({
    value: value[name] || null,
    onChange: (chosen: string | null) => onChange({ [name]: chosen ?? '' }),
    placeholder: t('Default'),
    clearable: true,
  });
  const text = (name: 'sessionId' | 'projectId') => ({
    value: value[name],
    onChange: (event: { currentTarget: HTMLInputElement }) => onChange({ [name]: event.currentTarget.value.trim() }),
  });
  return (
    <>
      <Divider label={t('Orchestration')} labelPosition="left" />
      <Select label={t('Memory')} data={memoryModes} {...select('memoryMode')} />
      <SimpleGrid cols={2}>
        <Select label={t('Verbosity')} data={verbosities} {...select('verbosity')} />
        <Select label={t('Difficulty')} data={difficulties} {...select('difficulty')} />
      </SimpleGrid>
      <TextInput
        label={t('Session id')}
        description={t('Leave empty for a separate session for this conversation')}
        placeholder={t('New session')}
        {...text('sessionId')}
      />
      <SimpleGrid cols={2}>
        <ModelPicker
          label={t('Force model')}
          placeholder={t('Chosen per task')}
          clearable
          fits={(model) => isChat(model) && model.id !== orchestrationModel}
          value={value.forceModel}
          onChange={(forceModel) => onChange({ forceModel })}
        />
        <TextInput label={t('Project')} placeholder={t('None')} {...text('projectId')} />
      </SimpleGrid>
      <NumberInput
        label={t('Context budget, tokens')}
        placeholder={t('Default')}
        min={256}
        max={2_000_000}
        step={1_000}
        allowDecimal={false}
        value={value.maxContextTokens}
        onChange={(maxContextTokens) => onChange({ maxContextTokens })}
      />
      {switches.map(({ name, label }) => (
        <Switch
          key={name}
          label={label}
          checked={value[name]}
          onChange={(event) => onChange({ [name]: event.currentTarget.checked })}
        />
      ))}
    </>
  );
}
