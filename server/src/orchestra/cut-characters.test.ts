import { describe, expect, test } from 'bun:test';
import { revisionMessages } from './autonomous/revise-prompt.ts';
import { instruct, newState, newTask, shortfallsOf } from './autonomous/state.ts';
import { fitMessages } from './fit-window.ts';
import { groundedFacts } from './knowledge-facts.ts';
import { parsePlan } from './plan.ts';
import { extractionMessages } from './prompts/memory-work.ts';
import { plannerMessages } from './prompts/plan.ts';
import { chatModel } from './scripted.fixture.ts';
import { fitResultsTo } from './task/results.ts';

const planTask = { id: 't', title: 'T', instruction: 'do it', difficulty: 'easy' as const, depends_on: [] };
const choosing = { models: [chatModel('m', 1, { contextLength: 2000 })] } as never;
const facts = (content: string) =>
  JSON.stringify({ facts: [{ category: 'c', title: 't', content: 'x', keywords: [], quote: content }] });

/** What cuts a text, given one of characters that take two code units. */
const cutters: Record<string, (text: string) => unknown> = {
  'messages that fit': (content) => fitMessages([{ role: 'user', content }], 501),
  'results that fit': (text) =>
    fitResultsTo([{ title: 'T', text }], 'm', 3001, { choosing, count: async (t) => t.length }),
  'what the memory is made of': (content) => extractionMessages([{ role: 'user', content }]),
  'a plan that is asked for again': (answer) =>
    plannerMessages({ request: 'r', context: [], maxTasks: 3, tools: [], last: { answer, faults: [] } }),
  'a plan that is revised': (text) =>
    revisionMessages({
      goal: 'g',
      missing: [text],
      maxTasks: 3,
      tasks: [{ ...newTask(planTask), text, feedback: text }],
    }),
  'a title that is missing': (instruction) => parsePlan(JSON.stringify({ tasks: [{ id: 'a', instruction }] }), 3),
  'an instruction as what is missing': (text) => {
    const state = { ...newState(), phase: 'finish' as const };
    instruct(state, text);
    return state.missing;
  },
  shortfalls: (text) => shortfallsOf({ ...newState(), missing: [text] }),
  'a quote': (text) => groundedFacts(facts(text), [{ id: 1, text }]),
};

/** Vendors refuse a request with half a character as invalid JSON. */
describe('no character is cut in half by', () => {
  test.each(Object.keys(cutters))('%s', async (name) => {
    for (const before of ['', 'a', 'ab', 'abc']) {
      const made: unknown[] = [];
      JSON.stringify(await cutters[name]!(`${before}${'😀'.repeat(5000)}`), (_, value) => made.push(value) && value);
      const texts = made.filter((one) => typeof one === 'string');
      expect(texts.filter((text) => !text.isWellFormed())).toEqual([]);
    }
  });
});
