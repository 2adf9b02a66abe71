import type { Result } from '../../api.ts';

export type Preferences = Required<Result<'/api/svc-ms/user/preferences', 'get'>>;
export type Name = keyof Preferences;
export type Value = Preferences[Name];

type Kind =
  | { kind: 'switch' }
  | { kind: 'model'; type: 'chat' | 'embedding' | 'rerank' }
  | { kind: 'number'; min: number; max: number; step?: number }
  | { kind: 'choice'; choices: { value: string; label: string }[] };

export type Field = { name: Name; label: string; help: string; initial: Value } & Kind;

interface FieldGroup {
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

/** Every preference with its range and default, as the service has them. */
export const groups: FieldGroup[] = [
  {
    title: 'Models',
    description: 'Which model does what. Where you choose none, the operator’s choice or the best fit by price counts.',
    fields: [
      toggle('use_custom_models', 'Use my models', 'Off, the choices below are kept but not used', false),
      model('plan_model', 'Planning', 'Splits a request into tasks'),
      model('easy_model', 'Easy tasks', 'Look-ups, rewording, short answers, summaries'),
      model('medium_model', 'Medium tasks', 'Most work, and what failed as easy'),
      model('hard_model', 'Hard tasks', 'Reasoning and code; the last resort for what failed before'),
      model('embedding_model_general', 'Embeddings, text', 'Finds past messages and knowledge by meaning', 'embedding'),
      model('embedding_model_code', 'Embeddings, code', 'The same for code; empty: as for text', 'embedding'),
      model('rerank_model', 'Reranking', 'Sorts what was found by how well it fits', 'rerank'),
    ],
  },
  {
    title: 'Memory',
    fields: [
      count(
        'max_context_tokens',
        'Context budget',
        'Most tokens of history and recall sent with a turn',
        [256, 2_000_000],
        32_000,
        1_000,
      ),
      toggle(
        'auto_summarize',
        'Summarise old messages',
        'Keeps long sessions cheap; the messages themselves stay',
        true,
      ),
      count('summarize_threshold', 'Summarise after', 'Messages since the last summary', [2, 1_000], 20),
      toggle(
        'enable_embedding',
        'Embed messages',
        'Lets later sessions find them by meaning; each turn asks the embedding model once more',
        true,
      ),
      toggle(
        'enable_knowledge_extraction',
        'Keep facts as knowledge',
        'Takes facts you state out of every conversation, without asking each time',
        false,
      ),
    ],
  },
  {
    title: 'Recall',
    fields: [
      toggle('enable_rerank', 'Rerank what is found', 'Better order for one more model call', false),
      count(
        'rerank_top_n',
        'Rerank how many',
        'The best candidates that are sent to the reranking model',
        [1, 200],
        10,
      ),
    ],
  },
  {
    title: 'Planning',
    fields: [
      count('max_tasks_per_plan', 'Tasks per plan', 'At most; fewer is cheaper', [1, 50], 8),
      toggle('enable_parallel_tasks', 'Run tasks side by side', 'Up to four that do not need each other', true),
    ],
  },
  {
    title: 'Answers',
    fields: [
      {
        name: 'default_verbosity',
        label: 'Detail',
        help: 'Minimal is the answer alone, normal tells of progress too, verbose adds every task’s result',
        kind: 'choice',
        choices: [
          { value: 'minimal', label: 'Minimal' },
          { value: 'normal', label: 'Normal' },
          { value: 'verbose', label: 'Verbose' },
        ],
        initial: 'normal',
      },
      count('max_output_tokens', 'Longest answer', 'Tokens; -1 for no limit', [-1, 1_000_000], -1),
    ],
  },
];

const numbers = new Intl.NumberFormat('en-US');

/** The default in words. */
export function initialText(field: Field): string {
  if (field.kind === 'switch') return field.initial ? 'on' : 'off';
  if (field.kind === 'model') return 'picked for you';
  if (field.name === 'max_output_tokens') return 'no limit';
  return field.kind === 'number' ? numbers.format(Number(field.initial)) : String(field.initial);
}

/** What it takes, in words; empty where the choices say it. */
export const rangeText = (field: Field): string =>
  field.kind === 'number' ? ` From ${numbers.format(field.min)} to ${numbers.format(field.max)}.` : '';

/** Why a number will not do; undefined when it will. */
export function faultOf(field: Field, value: number | string): string | undefined {
  if (field.kind !== 'number') return undefined;
  const { min, max } = field;
  const inside = typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
  // Zero lies in the range but would mean an answer of no tokens.
  if (inside && !(field.name === 'max_output_tokens' && value === 0)) return undefined;
  return `A whole number from ${numbers.format(min)} to ${numbers.format(max)}.`;
}
