import { Select, SimpleGrid } from '@mantine/core';
import { DollarInput } from '../../components/dollar-input.tsx';
import { t } from '../../language/words.ts';
import { approveWords, type RunLimitFaults, type RunLimits } from './run-limits.ts';

interface RunLimitFieldsProps {
  value: RunLimits;
  faults: RunLimitFaults;
  onChange: (value: RunLimits) => void;
}

export function RunLimitFields({ value, faults, onChange }: RunLimitFieldsProps) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <DollarInput
        label={t('Cost limit')}
        description={t('The run pauses before the next call; leave empty for no limit')}
        step={0.5}
        clampBehavior="none"
        value={value.maxCost}
        onChange={(maxCost) => onChange({ ...value, maxCost })}
        error={faults.maxCost}
      />
      <Select
        label={t('Tool calls')}
        description={t('Whether calls need approval')}
        data={approveWords}
        allowDeselect={false}
        value={value.approve}
        onChange={(approve) => approve && onChange({ ...value, approve: approve as RunLimits['approve'] })}
      />
    </SimpleGrid>
  );
}
