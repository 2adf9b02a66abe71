import { pickOf, randomOf, shuffled } from '../kit/random.ts';
import type { Said } from './conversations.ts';
import { extras, type Pursuit, pursuits, reactions, smallTalk, speakers, traits, whens } from './talk-lexicon.ts';

export const kinds = ['one fact', 'several facts', 'time', 'inference'] as const;
export type Kind = (typeof kinds)[number];

/** A message by its session and index. */
export type Place = [session: number, at: number];

export interface TalkQuestion {
  kind: Kind;
  text: string;
  /** All of them are needed to answer. */
  evidence: Place[];
}

export interface Talks {
  sessions: Said[][];
  questions: TalkQuestion[];
}

interface Event {
  who: string;
  pursuit: Pursuit;
  result: string;
  when: string;
  /** As it is told and as it is asked about. */
  extra: [told: string, asked: string];
  place: Place;
}

const sessionCount = 36;
/** Events per speaker and pursuit. */
const eventsEach = 2;
const asked: Record<Kind, number> = { 'one fact': 50, 'several facts': 40, time: 40, inference: 28 };
/** Further questions of the kind `time`, which name a day. */
const askedByDay = 20;
/** Days between two sessions. */
const days = 5;
const timeOf = (session: number): number => Date.UTC(2025, 0, 4 + session * days, 18);

/** Two people who talk over months, and questions about what they told each other, mostly in other words. */
export function talksOf(seed: number): Talks {
  const random = randomOf('talks', seed);
  const [one, other] = shuffled(speakers, random) as [string, string];
  const sessions: Said[][] = Array.from({ length: sessionCount }, () => []);
  const partnerOf = (who: string) => (who === one ? other : one);
  const say = (session: number, who: string, text: string): Place => {
    // A chat has two roles; the name in the text tells who speaks, as in any transcript.
    const role = who === one ? 'user' : 'assistant';
    return [session, sessions[session]!.push({ role, text: `${who}: ${text}`, at: timeOf(session) }) - 1];
  };
  const chatter = (session: number) => {
    const who = random() < 0.5 ? one : other;
    const text = pickOf(smallTalk, random).replace('{name}', () => pickOf(pickOf(pursuits, random).names, random));
    say(session, who, text);
    if (random() < 0.5) say(session, partnerOf(who), pickOf(reactions, random));
  };
  const works: (() => void)[] = [];
  const events: Event[] = [];
  const said: { who: string; text: string; place: Place }[] = [];
  for (const who of [one, other]) {
    for (const pursuit of pursuits) {
      for (const result of shuffled(pursuit.results, random).slice(0, eventsEach)) {
        works.push(() => {
          const session = Math.floor(random() * sessionCount);
          const [when, extra] = [pickOf(whens, random), pickOf(extras, random)];
          if (random() < 0.6) chatter(session);
          const place = tell({ who, partner: partnerOf(who), pursuit, result, when, extra }, random, (by, text) =>
            say(session, by, text),
          );
          events.push({ who, pursuit, result, when, extra, place });
        });
      }
    }
    for (const [text, heard, question] of traits) {
      works.push(() => {
        const session = Math.floor(random() * sessionCount);
        chatter(session);
        said.push({ who, text: question, place: say(session, who, text) });
        say(session, partnerOf(who), heard);
      });
    }
  }
  for (const work of shuffled(works, random)) work();
  const questions = [
    ...facts(events, random),
    ...several(events, random),
    ...times(events, random),
    ...said.map(({ who, text, place }): TalkQuestion => {
      return { kind: 'inference', text: text.replace('{who}', who), evidence: [place] };
    }),
  ];
  const chosen = kinds.flatMap((kind) =>
    shuffled(
      questions.filter((question) => question.kind === kind),
      random,
    ).slice(0, asked[kind]),
  );
  const dated = shuffled(events, random).slice(0, askedByDay);
  return { sessions, questions: [...chosen, ...byDay(dated, random)] };
}

type Telling = Omit<Event, 'place'> & { partner: string };

/** As people talk: the topic is often only named in the message before or after. */
function tell(event: Telling, random: () => number, say: (who: string, text: string) => Place): Place {
  const { who, partner, pursuit, result, when } = event;
  const [extra] = event.extra;
  const name = () => pickOf(pursuit.names, random);
  const reaction = () => pickOf(reactions, random);
  const way = Math.floor(random() * 4);
  if (way === 0) {
    const place = say(who, `I was at ${name()} ${when} and came home with ${result}, ${extra}.`);
    say(partner, reaction());
    return place;
  }
  if (way === 1) {
    say(partner, `How is the ${name()} going, ${who}?`);
    const place = say(who, `You will laugh: ${result}, ${when}, ${extra}.`);
    say(partner, reaction());
    return place;
  }
  if (way === 2) {
    const place = say(who, `Guess what I got out of it ${when}: ${result}! And ${extra}.`);
    say(partner, `From your ${name()}? ${reaction()}`);
    return place;
  }
  say(partner, `Still busy with ${name()}, ${who}?`);
  say(who, 'Oh, do not ask.');
  say(partner, reaction());
  return say(who, `All right: ${result}, ${extra}. That was ${when}.`);
}

const ofEach = (events: Event[]) => Map.groupBy(events, ({ who, pursuit }) => `${who}|${pursuit.names[0]}`);

/** The detail distinguishes events of the same pursuit. */
const facts = (events: Event[], random: () => number): TalkQuestion[] =>
  events.map(({ who, pursuit, extra: [, asked], place }) => {
    const name = pickOf(pursuit.names, random);
    const ways = [`What did ${who} get from ${name}, ${asked}?`, `What came of it when ${who} did ${name} ${asked}?`];
    return { kind: 'one fact', text: pickOf(ways, random), evidence: [place] };
  });

const several = (events: Event[], random: () => number): TalkQuestion[] =>
  [...ofEach(events).values()].map((own) => ({
    kind: 'several facts',
    text: `What has come of the ${pickOf(own[0]!.pursuit.names, random)} of ${own[0]!.who} so far, all in all?`,
    evidence: own.map(({ place }) => place),
  }));

const times = (events: Event[], random: () => number): TalkQuestion[] =>
  events.map(({ who, pursuit, result, extra: [, asked], place }) => {
    const name = pickOf(pursuit.names, random);
    const thing = result.split(' ').at(-1)!;
    const ways = [
      `When was it that ${who} did ${name}, ${asked}?`,
      `On which day did ${who} come by the ${thing} at ${name}?`,
    ];
    return { kind: 'time', text: pickOf(ways, random), evidence: [place] };
  });

/** Half of them name the day, half the month; the topic is mostly in other words. */
const byDay = (events: Event[], random: () => number): TalkQuestion[] =>
  events.map(({ who, pursuit, place }, i) => {
    const [month, day, year] = new Date(timeOf(place[0])).toLocaleDateString('en-US', inWords).split(/,? /);
    const when = i % 2 ? `in ${month} ${year}` : `on ${day} ${month} ${year}`;
    return {
      kind: 'time',
      text: `What came of the ${pickOf(pursuit.names, random)} that ${who} told of ${when}?`,
      evidence: [place],
    };
  });

const inWords = { year: 'numeric', month: 'long', day: 'numeric', timeZone: 'UTC' } as const;
