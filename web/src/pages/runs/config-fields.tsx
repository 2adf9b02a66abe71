import { NumberInput, SimpleGrid, Stack, Switch } from '@mantine/core';
import { type ConfigFaults, type ConfigFields as Fields, numberFields, switchFields } from './run-config.ts';

interface ConfigFieldsProps {
  value: Fields;
  faults: ConfigFaults;
  onChange: (changes: Partial<Fields>) => void;
}

export function ConfigFields({ value, faults, onChange }: ConfigFieldsProps) {
  return (
    <Stack>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        {numberFields.map(({ name, label, help, min, max, step, suffix }) => (
          <NumberInput
            key={name}
            label={label}
            description={help}
            min={min}
            max={max}
            step={step}
            suffix={suffix}
            clampBehavior="none"
            allowDecimal={step < 1}
            disabled={name === 'checkpoint_interval' && !value.enable_checkpointing}
            value={value[name]}
            onChange={(number) => onChange({ [name]: number })}
            error={faults[name]}
          />
        ))}
      </SimpleGrid>
      {switchFields.map(({ name, label, help }) => (
        <Switch
          key={name}
          label={label}
          description={help}
          checked={value[name]}
          onChange={(event) => onChange({ [name]: event.currentTarget.checked })}
        />
      ))}
    </Stack>
  );
}
