import { expect, test } from 'bun:test';
import { AppError } from '../lib/errors.ts';
import { parseSvcMs } from './params.ts';
import { changePreferences, defaultPreferences, withDefaults } from './preferences.ts';
import { resolveSettings } from './settings.ts';

const thrown = (run: () => unknown): AppError => {
  try {
    run();
  } catch (error) {
    if (error instanceof AppError) return error;
  }
  throw new Error('expected an AppError');
};

test('an absent, null or empty svc_ms gives the defaults', () => {
  for (const value of [undefined, null, {}, { force_model: null }]) {
    expect(parseSvcMs(value)).toEqual({
      memory_mode: 'summarized',
      include_reasoning: false,
      remember: true,
      vector_top_k: 30,
      rerank_threshold: 0.5,
      final_only: false,
    });
  }
});

test.each([
  ['session_id', 'a b'],
  ['session_id', ''],
  ['session_id', '.'],
  ['session_id', '..'],
  ['session_id', 7],
  ['memory_mode', 'some'],
  ['verbosity', 'loud'],
  ['include_reasoning', 'yes'],
  ['use_vector_search', 1],
  ['vector_top_k', 0],
  ['vector_top_k', 1.5],
  ['rerank_threshold', 1.1],
  ['max_context_tokens', -5],
  ['force_model', ''],
  ['task_difficulty', 'epic'],
  ['extract_knowledge', 'no'],
  ['final_only', 0],
  ['project_id', 5],
  ['temperature', 3],
  ['top_p', -0.1],
  ['tools', {}],
  ['tool_choice', 'maybe'],
])('an invalid %s (%p) is a 400 that names it', (name, value) => {
  const error = thrown(() => parseSvcMs({ [name]: value }));
  expect(error.status).toBe(400);
  expect(error.extras.param).toBe(`svc_ms.${name}`);
  expect(error.message).toContain(name);
});

test('svc_ms must be an object', () => {
  expect(thrown(() => parseSvcMs([])).extras.param).toBe('svc_ms');
  expect(thrown(() => parseSvcMs('x')).extras.param).toBe('svc_ms');
});

test('the request takes precedence over the preference, and the preference over the default', () => {
  const mine = withDefaults({
    default_verbosity: 'verbose',
    max_context_tokens: 9000,
    enable_knowledge_extraction: true,
  });
  expect(resolveSettings(parseSvcMs({}), mine)).toMatchObject({
    verbosity: 'verbose',
    maxContextTokens: 9000,
    extractKnowledge: true,
  });
  const asked = parseSvcMs({ verbosity: 'minimal', max_context_tokens: 500, extract_knowledge: false });
  expect(resolveSettings(asked, mine)).toMatchObject({
    verbosity: 'minimal',
    maxContextTokens: 500,
    extractKnowledge: false,
  });
  expect(resolveSettings(parseSvcMs({}), defaultPreferences)).toMatchObject({
    verbosity: 'normal',
    maxContextTokens: 32_000,
  });
});

const anyModel = () => true;

test('preferences have the documented defaults', () => {
  expect(defaultPreferences).toEqual({
    use_custom_models: false,
    plan_model: '',
    easy_model: '',
    medium_model: '',
    hard_model: '',
    embedding_model_general: '',
    embedding_model_code: '',
    rerank_model: '',
    enable_rerank: false,
    rerank_top_n: 10,
    max_context_tokens: 32_000,
    auto_summarize: true,
    enable_embedding: true,
    enable_knowledge_extraction: false,
    summarize_threshold: 20,
    max_tasks_per_plan: 8,
    enable_parallel_tasks: true,
    default_verbosity: 'normal',
    max_output_tokens: -1,
  });
});

test('an update keeps fields it does not name, null resets, and unknown fields are ignored', () => {
  const stored = { rerank_top_n: 5, easy_model: 'a/b' };
  const next = changePreferences(stored, { rerank_top_n: null, auto_summarize: false, role: 100 }, anyModel);
  expect(next).toEqual({ easy_model: 'a/b', auto_summarize: false });
  expect(stored).toEqual({ rerank_top_n: 5, easy_model: 'a/b' });
});

test.each([
  ['use_custom_models', 'true'],
  ['plan_model', 3],
  ['rerank_top_n', 0],
  ['max_context_tokens', 1e12],
  ['summarize_threshold', 1],
  ['max_tasks_per_plan', 0],
  ['default_verbosity', 'x'],
  ['max_output_tokens', 0],
  ['max_output_tokens', -2],
])('an invalid preference %s (%p) is a 400 that names it', (name, value) => {
  const error = thrown(() => changePreferences({}, { [name]: value }, anyModel));
  expect(error.status).toBe(400);
  expect(error.extras.param).toBe(name);
});

test('a model must exist and have the right type', () => {
  const isModel = (id: string, type: string) => id === 'v/embed' && type === 'embedding';
  expect(changePreferences({}, { embedding_model_code: 'v/embed', hard_model: '' }, isModel)).toEqual({
    embedding_model_code: 'v/embed',
    hard_model: '',
  });
  expect(thrown(() => changePreferences({}, { hard_model: 'v/embed' }, isModel)).extras.param).toBe('hard_model');
  expect(thrown(() => changePreferences({}, [], isModel)).status).toBe(400);
});
