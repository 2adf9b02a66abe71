import { t } from '../../language/words.ts';

/** Every setting of a run with its range and default; must match the service's. */
export interface RunConfig {
  max_iterations: number;
  max_time_secs: number;
  confidence_threshold: number;
  enable_checkpointing: boolean;
  checkpoint_interval: number;
  enable_smart_tasks: boolean;
  enable_adaptive_retry: boolean;
}

export const defaultConfig: RunConfig = {
  max_iterations: 10,
  max_time_secs: 600,
  confidence_threshold: 0.8,
  enable_checkpointing: true,
  checkpoint_interval: 1,
  enable_smart_tasks: true,
  enable_adaptive_retry: true,
};

/** Number fields may be empty while the user types. */
export type ConfigFields = { [Name in keyof RunConfig]: RunConfig[Name] extends number ? number | string : boolean };
export type ConfigFaults = Partial<Record<keyof RunConfig, string>>;

interface NumberField {
  name: 'max_iterations' | 'max_time_secs' | 'confidence_threshold' | 'checkpoint_interval';
  label: string;
  help: string;
  min: number;
  max: number;
  step: number;
  suffix?: string;
}

export const numberFields: NumberField[] = [
  {
    name: 'max_iterations',
    label: t('Iterations'),
    help: t('The run pauses after this many'),
    min: 1,
    max: 100,
    step: 1,
  },
  {
    name: 'max_time_secs',
    label: t('Time limit'),
    help: t('The run pauses after this time'),
    min: 1,
    max: 86_400,
    step: 60,
    suffix: t(' s'),
  },
  {
    name: 'confidence_threshold',
    label: t('Target confidence'),
    help: t('The run ends at this confidence, 0 to 1'),
    min: 0,
    max: 1,
    step: 0.05,
  },
  {
    name: 'checkpoint_interval',
    label: t('Checkpoint every'),
    help: t('Iterations between checkpoints'),
    min: 1,
    max: 100,
    step: 1,
  },
];

export const switchFields = [
  {
    name: 'enable_checkpointing',
    label: t('Write checkpoints'),
    help: t('A checkpoint is always written when the run stops'),
  },
  {
    name: 'enable_smart_tasks',
    label: t('Smart tasks'),
    help: t('Tasks can be split, merged, skipped or added during the run'),
  },
  {
    name: 'enable_adaptive_retry',
    label: t('Adaptive retry'),
    help: t('A retry changes the model or the instruction'),
  },
] as const;

/** Until the field is left, it holds a number such as `0.50` as text. */
const numberOf = (value: number | string): number => (value === '' ? Number.NaN : Number(value));

export function faultsOf(config: ConfigFields): ConfigFaults {
  const faults: ConfigFaults = {};
  for (const { name, min, max, step } of numberFields) {
    const value = numberOf(config[name]);
    const whole = step < 1 || Number.isInteger(value);
    if (!whole || !(value >= min && value <= max)) {
      faults[name] =
        step < 1
          ? t('Enter a number from {min} to {max}.', { min, max })
          : t('Enter a whole number from {min} to {max}.', { min, max });
    }
  }
  return faults;
}

/** Sends only changed fields: a resume keeps all others. */
export const changesOf = (before: ConfigFields, after: ConfigFields): Partial<RunConfig> =>
  Object.fromEntries(
    Object.entries(after)
      .map(([name, value]) => [name, typeof value === 'boolean' ? value : numberOf(value)] as const)
      .filter(([name, value]) => before[name as keyof RunConfig] !== value),
  ) as Partial<RunConfig>;
