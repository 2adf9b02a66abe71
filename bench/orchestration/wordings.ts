import type { Difficulty } from '../../server/src/orchestra/params.ts';
import type { Kind } from '../../server/src/orchestra/patterns.ts';

/** Wordings of each kind of work that sound easy, medium or hard; `{x}` and `{y}` are things. */
export const wordings: Record<Exclude<Kind, 'chat'>, Record<Difficulty, string[]>> = {
  question: {
    easy: [
      'What is {x}?',
      'Who looks after {x} in a small firm?',
      'Is {x} the same as {y}?',
      'When would somebody need {x}?',
    ],
    medium: [
      'Why does {x} behave differently once {y} is involved?',
      'How does {x} influence {y}, and what should a beginner watch out for when both change at once?',
      'Can you explain how {x} works to somebody who only knows {y}?',
    ],
    hard: [
      'Under which conditions can {x} contradict {y}, and which of the common explanations of it fail in the limit?',
      'What follows for {x} if every assumption usually made about {y} is dropped one by one?',
      'Explain in depth why {x} cannot be derived from {y} alone.',
    ],
  },
  code: {
    easy: [
      'Give me a Python one-liner that prints {x}.',
      'Rename the variable in this code so that it says {x}.',
      'What does this SQL about {x} return?',
    ],
    medium: [
      'Write a Python function that reads {x} from a file and groups it by {y}.',
      'Add unit tests to the JavaScript module that handles {x}.',
      'Refactor this class so that {x} no longer depends on {y}.',
    ],
    hard: [
      'Find the race condition in this code: {x} and {y} are updated by two threads and sometimes one update is lost.',
      'Implement a lock-free cache for {x} in Rust with bounded memory and show that no reader ever sees a torn {y}.',
      'Our API for {x} dead-locks under load together with {y}; find out why and fix it without losing throughput.',
    ],
  },
  math: {
    easy: ['What is 12 * 7 for {x}?', 'Calculate 15 % of the price of {x}.', 'How many days lie between {x} and {y}?'],
    medium: [
      'Solve the equation for {x} when {y} doubles every year.',
      'Compute the probability that {x} comes before {y} in a random order.',
      'Find the derivative of the cost of {x} with respect to {y}.',
    ],
    hard: [
      'Prove that the sequence given by {x} converges whenever {y} is bounded.',
      'Show that no algorithm decides {x} in less than linear time, with a rigorous argument on {y}.',
      'Derive a closed form for the expected number of {x} before the first {y}, and prove it by induction.',
    ],
  },
  writing: {
    easy: [
      'Rephrase this sentence about {x} politely.',
      'Write a one-line email that confirms {x}.',
      'Proofread this note on {x}.',
    ],
    medium: [
      'Write an email to a client who waits for {x} because of {y}.',
      'Draft a short blog article on {x} for readers who care about {y}.',
      'Compose a speech of two minutes about {x}.',
    ],
    hard: [
      'Write an essay that argues for {x} against the strongest objections drawn from {y}, each answered with sources.',
      'Write the opening chapter of a story in which {x} is told from three contradicting views and {y} is never named.',
      'Draft a comprehensive policy on {x} that holds under the law on {y} in several countries.',
    ],
  },
  extraction: {
    easy: [
      'List all names in this note on {x}.',
      'Extract the date of {x} as JSON.',
      'Label this message as {x} or {y}.',
    ],
    medium: [
      'Extract every agreement about {x} from these minutes, with who is in charge of {y}.',
      'Parse these free-form orders of {x} to JSON with quantity, unit and {y}.',
      'Classify these complaints on {x} by their cause, several causes allowed.',
    ],
    hard: [
      'Identify every implicit obligation regarding {x} in this contract, including those that follow only from {y} by reference.',
      'Extract a consistent timeline of {x} from these contradicting witness reports on {y} and mark what cannot be true.',
      'Find all places where the definitions of {x} and {y} conflict across the annexes.',
    ],
  },
  translation: {
    easy: ['Translate "{x}" into French.', 'How do you say {x} in German? Translate it.', 'Translate the word {x}.'],
    medium: [
      'Translate this letter on {x} into Spanish and keep its friendly tone.',
      'Translate the manual section on {x} into Italian with the terms of {y}.',
      'Translate this review of {x} into Japanese for a shop page.',
    ],
    hard: [
      'Translate this poem on {x} into French, keeping metre and rhyme and the double meaning of {y}.',
      'Translate this patent claim on {x} into German so that its scope with regard to {y} stays exactly the same.',
      'Translate the satire on {x} into English, with its allusions to {y} made understandable without footnotes.',
    ],
  },
  summary: {
    easy: [
      'Summarize this note on {x} in a sentence.',
      'Give me the gist of the message on {x}.',
      'TL;DR of {x} please.',
    ],
    medium: [
      'Summarize this report on {x} for a manager who only decides on {y}.',
      'Condense these two pages on {x} to five key points.',
      'Recap the discussion of {x} and what remains open about {y}.',
    ],
    hard: [
      'Summarize these studies on {x}, reconcile their contradicting findings on {y} and weigh their methods.',
      'Condense this ruling on {x} so that a lawyer can see which part of the reasoning on {y} is binding.',
      'Summarize the whole debate on {x} without taking a side and without losing any premise concerning {y}.',
    ],
  },
  analysis: {
    easy: [
      'Compare the price of {x} with {y}.',
      'Review this short text on {x}.',
      'Recommend {x} or {y} for a beginner.',
    ],
    medium: [
      'Analyze why sales of {x} fell after {y} changed.',
      'Evaluate the pros and cons of {x} for a team that already has {y}.',
      'Assess the risks of {x} in the next quarter.',
    ],
    hard: [
      'Design a strategy for moving {x} to {y} without an interruption, with the failure modes of each phase.',
      'Analyze the distributed trade-offs between {x} and {y} when the network splits, and recommend what to give up.',
      'Critique the causal claim that {x} leads to {y}: confounders, selection, and what evidence would settle it.',
    ],
  },
};

export const things =
  `the ledger, the harbour, an invoice, the garden plan, the night shift, a rental contract, the backup, the bakery,
the festival, the water pump, the library card, a train ticket, the insurance, the newsletter, the greenhouse, the parcel,
the museum tour, the school board, the wind turbine, the bicycle lane, the vaccine, the orchestra, the recipe, the river,
the warehouse, the tax form, the photo archive, the choir, the vineyard, the customs form, the lighthouse, the workshop,
the tenant, the ferry, the exam, the quarry, the beehive, the loan, the patent, the well`
    .split(/,\s*/)
    .map((thing) => thing.trim());
