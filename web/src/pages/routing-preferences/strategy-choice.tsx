import { Radio, Stack } from '@mantine/core';
import { type Strategy, strategies } from './strategies.ts';

interface StrategyChoiceProps {
  value: Strategy | null;
  onChange: (strategy: Strategy | null) => void;
  /** What no choice means here. */
  noneLabel: string;
  noneHint: string;
}

const none = 'none';

export function StrategyChoice({ value, onChange, noneLabel, noneHint }: StrategyChoiceProps) {
  return (
    <Radio.Group
      label="Strategy"
      value={value ?? none}
      onChange={(chosen) => onChange(chosen === none ? null : (chosen as Strategy))}
    >
      <Stack gap="xs" mt="xs">
        <Radio value={none} label={noneLabel} description={noneHint} />
        {strategies.map(({ value: name, label, hint }) => (
          <Radio key={name} value={name} label={label} description={hint} />
        ))}
      </Stack>
    </Radio.Group>
  );
}
