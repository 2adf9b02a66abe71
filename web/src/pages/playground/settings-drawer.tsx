import { Anchor, Button, Group, NumberInput, Select, SimpleGrid, Stack, Switch, Textarea } from '@mantine/core';
import { SideDialog } from '../../components/dialog.tsx';
import { rich, t } from '../../language/words.ts';
import { OrchestrationFields } from './orchestration-fields.tsx';
import { PresetField } from './preset-field.tsx';
import { defaultSettings, exampleTools, numberFaults, type RangedName, readTools, type Settings } from './settings.ts';

interface SettingsDrawerProps {
  opened: boolean;
  onClose: () => void;
  /** Whether one of the models is the orchestration model, which has its own parameters. */
  orchestrated: boolean;
  settings: Settings;
  onChange: (settings: Settings) => void;
}

interface FieldsProps {
  settings: Settings;
  set: (changes: Partial<Settings>) => void;
}

function SamplingFields({ settings, set }: FieldsProps) {
  const faults: Partial<Record<RangedName | 'seed', string>> = numberFaults(settings);
  const number = (name: RangedName | 'seed') => ({
    value: settings[name],
    onChange: (value: number | string) => set({ [name]: value }),
    placeholder: t('Default'),
    // Show an error for an invalid number instead of changing it.
    clampBehavior: 'none' as const,
    error: faults[name],
  });
  return (
    <SimpleGrid cols={2}>
      <NumberInput label={t('Temperature')} min={0} max={2} step={0.1} decimalScale={2} {...number('temperature')} />
      <NumberInput label="Top P" min={0} max={1} step={0.05} decimalScale={2} {...number('topP')} />
      <NumberInput label={t('Max tokens')} min={1} step={256} allowDecimal={false} {...number('maxTokens')} />
      <NumberInput label={t('Seed')} allowDecimal={false} thousandSeparator={false} {...number('seed')} />
    </SimpleGrid>
  );
}

function ToolFields({ settings, set }: FieldsProps) {
  const { fault, tools } = readTools(settings.tools);
  return (
    <>
      <Textarea
        label={t('Tools')}
        description={rich('Functions the model may call, as JSON. <example>Insert an example</example>', {
          example: (text) => (
            <Anchor component="button" type="button" size="xs" onClick={() => set({ tools: exampleTools })}>
              {text}
            </Anchor>
          ),
        })}
        autosize
        minRows={4}
        maxRows={16}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '0.8125rem' } }}
        value={settings.tools}
        onChange={(event) => set({ tools: event.currentTarget.value })}
        error={fault}
      />
      {tools.length > 0 && (
        <Select
          label={t('Tool choice')}
          data={[
            { value: 'auto', label: t('The model decides') },
            { value: 'required', label: t('Must call a tool') },
            { value: 'none', label: t('Must not call a tool') },
          ]}
          allowDeselect={false}
          value={settings.toolChoice}
          onChange={(toolChoice) => set({ toolChoice: toolChoice ?? 'auto' })}
        />
      )}
    </>
  );
}

/** Parameters sent with every message; changes apply from the next one. */
export function SettingsDrawer({ opened, onClose, orchestrated, settings, onChange }: SettingsDrawerProps) {
  const set = (changes: Partial<Settings>) => onChange({ ...settings, ...changes });
  return (
    <SideDialog
      opened={opened}
      onClose={onClose}
      title={t('Parameters')}
      closeButtonProps={{ 'aria-label': t('Close parameters') }}
    >
      <Stack>
        <PresetField system={settings.system} onChoose={(system) => set({ system })} />
        <Textarea
          label={t('System prompt')}
          placeholder={t('You are a helpful assistant.')}
          autosize
          minRows={3}
          maxRows={12}
          value={settings.system}
          onChange={(event) => set({ system: event.currentTarget.value })}
        />
        <SamplingFields settings={settings} set={set} />
        <Switch
          label={t('JSON mode')}
          description={t('The answer is a JSON object; mention JSON in the prompt')}
          checked={settings.jsonMode}
          onChange={(event) => set({ jsonMode: event.currentTarget.checked })}
        />
        <Switch
          label={t('Stream the answer')}
          checked={settings.stream}
          onChange={(event) => set({ stream: event.currentTarget.checked })}
        />
        <ToolFields settings={settings} set={set} />
        {orchestrated && (
          <OrchestrationFields
            value={settings.orchestration}
            onChange={(orchestration) => set({ orchestration: { ...settings.orchestration, ...orchestration } })}
          />
        )}
        <Group justify="space-between">
          <Button variant="subtle" color="gray" size="sm" onClick={() => onChange(defaultSettings)}>
            {t('Reset')}
          </Button>
          <Button size="sm" onClick={onClose}>
            {t('Done##verb')}
          </Button>
        </Group>
      </Stack>
    </SideDialog>
  );
}
