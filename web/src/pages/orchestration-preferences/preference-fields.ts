import type { Result } from '../../api.ts';
import { formatNumber } from '../../format.ts';
import { t } from '../../language/words.ts';

export type Preferences = Required<Result<'/api/svc-ms/user/preferences', 'get'>>;
export type Name = keyof Preferences;
export type Value = Preferences[Name];

type Kind =
  | { kind: 'switch' }
  | { kind: 'model'; type: 'chat' | 'embedding' | 'rerank' }
  | {
      kind: 'number';
      min: number;
      max: number;
      step?: number;
      /** The value that the service reads as "no number"; the field is shown empty for it. */
      none?: number;
    }
  | { kind: 'choice'; choices: { value: string; label: string }[]; initialWords: string };

export type Field = { name: Name; label: string; help: string; initial: Value } & Kind;

interface FieldGroup {
  key: string;
  title: string;
  description?: string;
  fields: Field[];
}

const model = (name: Name, label: string, help: string, type: 'chat' | 'embedding' | 'rerank' = 'chat'): Field => ({
  name,
  label,
  help,
  kind: 'model',
  type,
  initial: '',
});
const toggle = (name: Name, label: string, help: string, initial: boolean): Field => ({
  name,
  label,
  help,
  kind: 'switch',
  initial,
});
const count = (name: Name, label: string, help: string, range: [number, number], initial: number, step = 1): Field => ({
  name,
  label,
  help,
  kind: 'number',
  min: range[0],
  max: range[1],
  step,
  initial,
});

/** Every preference with its range and default; must match the service's. */
export const groups: FieldGroup[] = [
  {
    key: 'models',
    title: t('Models'),
    description: t(
      'Which model does what. Where you choose none, the operator’s choice or the best fit by price counts.',
    ),
    fields: [
      toggle('use_custom_models', t('Use my models'), t('Off, the choices below are kept but not used'), false),
      model('plan_model', t('Planning'), t('Splits a request into tasks')),
      model('easy_model', t('Easy tasks'), t('Look-ups, rewording, short answers, summaries')),
      model('medium_model', t('Medium tasks'), t('Most work, and what failed as easy')),
      model('hard_model', t('Hard tasks'), t('Reasoning and code; the last resort for what failed before')),
      model(
        'embedding_model_general',
        t('Embeddings, text'),
        t('Finds past messages and knowledge by meaning'),
        'embedding',
      ),
      model('embedding_model_code', t('Embeddings, code'), t('The same for code; empty: as for text'), 'embedding'),
      model('rerank_model', t('Reranking'), t('Sorts what was found by how well it fits'), 'rerank'),
    ],
  },
  {
    key: 'memory',
    title: t('Memory'),
    fields: [
      count(
        'max_context_tokens',
        t('Context budget'),
        t('Most tokens of history and recall sent with a turn'),
        [256, 2_000_000],
        32_000,
        1_000,
      ),
      toggle(
        'auto_summarize',
        t('Summarise old messages'),
        t('Keeps long sessions cheap; the messages themselves stay'),
        true,
      ),
      count('summarize_threshold', t('Summarise after'), t('Messages since the last summary'), [2, 1_000], 20),
      toggle(
        'enable_embedding',
        t('Embed messages'),
        t('Lets later sessions find them by meaning; each turn asks the embedding model once more'),
        true,
      ),
      toggle(
        'enable_knowledge_extraction',
        t('Keep facts as knowledge'),
        t('Takes facts you state out of every conversation, without asking each time'),
        false,
      ),
    ],
  },
  {
    key: 'recall',
    title: t('Recall'),
    fields: [
      toggle('enable_rerank', t('Rerank what is found'), t('Better order for one more model call'), false),
      count(
        'rerank_top_n',
        t('Rerank how many'),
        t('The best candidates that are sent to the reranking model'),
        [1, 200],
        10,
      ),
    ],
  },
  {
    key: 'planning',
    title: t('Planning'),
    fields: [
      count('max_tasks_per_plan', t('Tasks per plan'), t('At most; fewer is cheaper'), [1, 50], 8),
      toggle('enable_parallel_tasks', t('Run tasks side by side'), t('Up to four that do not need each other'), true),
    ],
  },
  {
    key: 'answers',
    title: t('Answers'),
    fields: [
      {
        name: 'default_verbosity',
        label: t('Detail##verbosity'),
        help: t('Minimal is the answer alone, normal tells of progress too, verbose adds every task’s result'),
        kind: 'choice',
        choices: [
          { value: 'minimal', label: t('Minimal') },
          { value: 'normal', label: t('Normal') },
          { value: 'verbose', label: t('Verbose') },
        ],
        initial: 'normal',
        initialWords: t('normal'),
      },
      {
        ...{ name: 'max_output_tokens', label: t('Maximum output'), help: t('Tokens; empty for no limit') },
        ...{ kind: 'number', min: 1, max: 1_000_000, none: -1, initial: -1 },
      },
    ],
  },
];

/** The default value as text. */
export function initialText(field: Field): string {
  if (field.kind === 'switch') return field.initial ? t('on') : t('off');
  if (field.kind === 'model') return t('picked for you');
  if (field.kind === 'number' && field.none === field.initial) return t('no limit');
  return field.kind === 'number' ? formatNumber(Number(field.initial)) : field.initialWords;
}

const rangeOf = ({ min, max }: { min: number; max: number }) => ({ min: formatNumber(min), max: formatNumber(max) });

/** Purpose, default and, for numbers, the allowed range. Choices already show what is allowed. */
export function helpText(field: Field): string {
  const values = { help: field.help, initial: initialText(field) };
  return field.kind === 'number'
    ? t('{help}. Default: {initial}. From {min} to {max}.', { ...values, ...rangeOf(field) })
    : t('{help}. Default: {initial}.', values);
}

/** Why a number is invalid; undefined if it is valid. */
export function faultOf(field: Field, value: number | string): string | undefined {
  if (field.kind !== 'number') return undefined;
  const { min, max, none } = field;
  if (value === '' && none !== undefined) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return undefined;
  return t('Enter a whole number from {min} to {max}.', rangeOf(field));
}
