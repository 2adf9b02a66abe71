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
      'The model for each job. If you choose none, the operator’s choice or the best fit by price is used.',
    ),
    fields: [
      toggle('use_custom_models', t('Use my models'), t('When off, the choices below are kept but not used'), false),
      model('plan_model', t('Planning'), t('Splits a request into tasks')),
      model('easy_model', t('Easy tasks'), t('Look-ups, rewording, short answers, summaries')),
      model('medium_model', t('Medium tasks'), t('Most work, and tasks that failed as easy')),
      model('hard_model', t('Hard tasks'), t('Reasoning and code; the last resort for tasks that failed before')),
      model(
        'embedding_model_general',
        t('Text embeddings'),
        t('Finds past messages and knowledge by meaning'),
        'embedding',
      ),
      model(
        'embedding_model_code',
        t('Code embeddings'),
        t('The same for code; leave empty to use the text model'),
        'embedding',
      ),
      model('rerank_model', t('Reranking'), t('Sorts search results by relevance'), 'rerank'),
    ],
  },
  {
    key: 'memory',
    title: t('Memory'),
    fields: [
      count(
        'max_context_tokens',
        t('Context budget'),
        t('Maximum tokens of history and recalled content sent with a turn'),
        [256, 2_000_000],
        32_000,
        1_000,
      ),
      toggle(
        'auto_summarize',
        t('Summarise old messages'),
        t('Lowers the cost of long sessions; the messages themselves are kept'),
        true,
      ),
      count('summarize_threshold', t('Summarise after'), t('Messages since the last summary'), [2, 1_000], 20),
      toggle(
        'enable_embedding',
        t('Embed messages'),
        t('Lets later sessions find them by meaning; each turn makes one more call to the embedding model'),
        true,
      ),
      toggle(
        'enable_knowledge_extraction',
        t('Save facts to knowledge'),
        t('Extracts facts you state from every conversation, without asking each time'),
        false,
      ),
    ],
  },
  {
    key: 'recall',
    title: t('Recall'),
    fields: [
      toggle('enable_rerank', t('Rerank search results'), t('Better order at the cost of one more model call'), false),
      count(
        'rerank_top_n',
        t('Candidates to rerank'),
        t('Number of best candidates sent to the reranking model'),
        [1, 200],
        10,
      ),
    ],
  },
  {
    key: 'planning',
    title: t('Planning'),
    fields: [
      count('max_tasks_per_plan', t('Tasks per plan'), t('Maximum; fewer tasks cost less'), [1, 50], 8),
      toggle('enable_parallel_tasks', t('Run tasks in parallel'), t('Up to four independent tasks at a time'), true),
    ],
  },
  {
    key: 'answers',
    title: t('Answers'),
    fields: [
      {
        name: 'default_verbosity',
        label: t('Detail##verbosity'),
        help: t('Minimal returns only the answer, normal adds progress, verbose adds the result of every task'),
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
        ...{ name: 'max_output_tokens', label: t('Maximum output'), help: t('In tokens; leave empty for no limit') },
        ...{ kind: 'number', min: 1, max: 1_000_000, none: -1, initial: -1 },
      },
    ],
  },
];

/** The default value as text. */
export function initialText(field: Field): string {
  if (field.kind === 'switch') return field.initial ? t('on') : t('off');
  if (field.kind === 'model') return t('chosen automatically');
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
  // Until the field is left, it holds a number such as `007` as text.
  const number = value === '' ? Number.NaN : Number(value);
  if (Number.isInteger(number) && number >= min && number <= max) return undefined;
  return t('Enter a whole number from {min} to {max}.', rangeOf(field));
}
