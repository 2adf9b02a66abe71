import { pickOf, randomOf, shuffled } from '../kit/random.ts';
import { actions, details, names, objects, persons, places, replies, smallTalk, times } from './lexicon.ts';

export interface Said {
  role: 'user' | 'assistant';
  text: string;
  /** Unix milliseconds. */
  at?: number;
}

export interface Question {
  text: string;
  /** Session and index of the single message that answers the question. */
  session: number;
  at: number;
}

export interface Conversations {
  sessions: Said[][];
  questions: Question[];
}

/** A unique event: who did what with which thing, and where. No two share person, action and thing. */
interface Fact {
  person: number;
  name: string;
  action: number;
  object: number;
  place: string;
  time: string;
  detail: string;
}

const sessionCount = 120;
/** Only some facts are asked about; the others share their words and act as distractors. */
const factCount = 760;
const questionCount = 300;
/** Share of facts told as an answer to a question, so that their words are in the message before. */
const answeredShare = 0.2;
/** How the wording varies: any synonym instead of the most common word, or a typo. */
const synonymShare = 0.5;
const typoShare = 0.1;

/** One user's conversations, and questions about them in other words. */
export function conversationsOf(seed: number): Conversations {
  const random = randomOf('conversations', seed);
  const facts = factsOf(random);
  const sessions: Said[][] = Array.from({ length: sessionCount }, () => []);
  const told = facts.map((fact) => {
    const session = Math.floor(random() * sessionCount);
    const turns = sessions[session]!;
    if (random() < 0.35)
      turns.push({ role: 'user', text: chatter(random) }, { role: 'assistant', text: pickOf(replies, random) });
    const at = tell(turns, fact, random);
    turns.push({ role: 'assistant', text: pickOf(replies, random) });
    return { fact, session, at };
  });
  const asked = shuffled(told, random).slice(0, questionCount);
  return { sessions, questions: asked.map(({ fact, session, at }) => ({ text: ask(fact, random), session, at })) };
}

function factsOf(random: () => number): Fact[] {
  const taken = new Set<string>();
  const facts: Fact[] = [];
  while (facts.length < factCount) {
    const person = Math.floor(random() * persons.length);
    const action = Math.floor(random() * actions.length);
    const object = Math.floor(random() * objects.length);
    const key = `${person}|${action}|${object}`;
    if (taken.has(key)) continue;
    taken.add(key);
    // A person has the same name throughout, so that a question can use it.
    const name = names[person]!;
    const [place, time, detail] = [pickOf(places, random), pickOf(times, random), pickOf(details, random)];
    facts.push({ person, name, action, object, place, time, detail });
  }
  return facts;
}

/** Adds the fact to the conversation and returns the index of its message. */
function tell(turns: Said[], fact: Fact, random: () => number): number {
  const { name, place, time, detail } = fact;
  const person = usual(persons[fact.person]!, random);
  const [base, past] = usual(actions[fact.action]!, random);
  const object = usual(objects[fact.object]!, random);
  if (random() < answeredShare) {
    turns.push({ role: 'assistant', text: `Where did your ${person} ${name} ${base} the ${object}?` });
    return turns.push({ role: 'user', text: `In ${place}, ${detail}, ${time}.` }) - 1;
  }
  const ways = [
    `My ${person} ${name} ${past} the ${object} in ${place} ${time}, ${detail}.`,
    `You should know that ${time} the ${object} was ${past} by ${name}, my ${person}, near ${place} ${detail}.`,
    `${name} told me about ${place}: that is where my ${person} ${past} a ${object} ${detail}.`,
    `I still laugh about it: ${detail} ${name}, my ${person}, ${past} that ${object}, of all places in ${place}.`,
  ];
  return turns.push({ role: 'user', text: pickOf(ways, random) }) - 1;
}

/** Often the first word of a group, which is the most common one. */
const usual = <T>(words: readonly T[], random: () => number): T =>
  random() < synonymShare ? pickOf(words, random) : words[0]!;

function ask(fact: Fact, random: () => number): string {
  const forms = usual(actions[fact.action]!, random);
  const who = random() < 0.5 ? fact.name : `my ${usual(persons[fact.person]!, random)}`;
  const object = usual(objects[fact.object]!, random);
  const ways = [
    `Where did ${who} ${forms[0]} the ${object}?`,
    `Which town was it that ${who} was ${forms[2]} ${object}s in?`,
    `The ${object} that ${who} ${forms[1]}: what place was that?`,
    `Do you remember the city where the ${object} got ${forms[1]} by ${who}?`,
    `I forgot the location of ${who} ${forms[2]} a ${object}, please look it up.`,
  ];
  return pickOf(ways, random)
    .split(' ')
    .map((word) => (word.length >= 5 && random() < typoShare ? misspelt(word, random) : word))
    .join(' ');
}

function misspelt(word: string, random: () => number): string {
  const at = 1 + Math.floor(random() * (word.length - 3));
  const ways = [
    () => word.slice(0, at) + word[at + 1] + word[at] + word.slice(at + 2),
    () => word.slice(0, at) + word.slice(at + 1),
    () => word.slice(0, at) + word[at] + word.slice(at),
  ];
  return pickOf(ways, random)();
}

function chatter(random: () => number): string {
  const fill: Record<string, () => string> = {
    place: () => pickOf(places, random),
    time: () => pickOf(times, random),
    name: () => pickOf(names, random),
    detail: () => pickOf(details, random),
    object: () => pickOf(pickOf(objects, random), random),
    person: () => pickOf(pickOf(persons, random), random),
    action: () => pickOf(pickOf(actions, random), random)[0],
  };
  return pickOf(smallTalk, random).replace(/\{(\w+)\}/g, (_, slot: string) => fill[slot]!());
}
