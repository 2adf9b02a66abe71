/** Topics people talk about: names for them, results, and their category. */
export interface Pursuit {
  kind: string;
  names: string[];
  results: string[];
}

const pursuit = (line: string): Pursuit => {
  const [kind, names, results] = line.split(':').map((part) => part.trim());
  const list = (text: string) => text.split(',').map((word) => word.trim());
  return { kind: kind!, names: list(names!), results: list(results!) };
};

export const pursuits: Pursuit[] = `craft: pottery, ceramics, clay work: a blue bowl, a crooked vase, six mugs
craft: knitting, needlework, woollens: a striped scarf, two mittens, a baby blanket
craft: carpentry, woodworking, joinery: a pine shelf, a wobbly stool, a bird house
craft: sewing, dressmaking, tailoring: a linen skirt, a patched coat, new curtains
sport: climbing, bouldering, scaling cliffs: the yellow route, an overhang, a sprained wrist
sport: rowing, sculling, the regatta: a bronze medal, blistered palms, a lost oar
sport: fencing, swordplay, foils: the first bout won, a bent blade, a bruise
sport: jogging, running, the marathon: forty kilometres, a sore knee, a new personal best
music: violin, fiddle, strings: a slow waltz, a snapped string, the second movement
music: choir, singing, chorus: a solo part, a sore throat, the alto line
music: drums, percussion, drumming: angry neighbours, a cracked cymbal, a steady beat
music: piano, keyboard, keys: a nocturne, an out of tune octave, the left hand alone
food: baking, bread making, sourdough: a burnt loaf, forty rolls, a lively starter
food: brewing, beer making, the homebrew: a bitter stout, three exploded bottles, a pale ale
food: pickling, preserving, fermenting: sour plums, a jar of kimchi, too much dill
food: cheese making, the dairy course, curds: a rubbery gouda, fresh ricotta, a mouldy rind
nature: beekeeping, apiary, hives: nine jars of honey, a swollen eyelid, a lost queen
nature: birdwatching, ornithology, birding: a kingfisher, two owls, an empty notebook
nature: gardening, allotment, vegetable patch: giant marrows, slugs everywhere, the first radish
nature: foraging, mushroom picking, wild food: a basket of chanterelles, a stomach ache, some nettles
stage: theatre, acting, drama group: the butler's role, a forgotten line, standing applause
stage: dancing, tango, ballroom: a stepped on toe, the turn at last, new shoes
stage: magic, conjuring, card tricks: a vanished coin, a suspicious uncle, the cut deck
stage: stand-up, comedy, open mic night: one long silence, a big laugh, a heckler`
  .split('\n')
  .map(pursuit);

/** A remark, the partner's reaction, and a question whose answer follows from both. */
export const traits: [said: string, heard: string, asked: string][] = [
  ['Anything with fur makes my eyes water for days.', 'So no pets for you.', 'Could {who} share a flat with pets?'],
  ['I get dizzy on the second rung.', 'Then I will climb the ladder.', 'Would {who} change a bulb on a ladder?'],
  ['I am useless after nine in the evening.', 'No late film, then.', 'Is a midnight film a good idea with {who}?'],
  ['I have not touched meat since school.', 'Fine, no steak for you.', 'Would a steak house suit {who}?'],
  ['My licence ran out and I never missed it.', 'I drive anyway.', 'Can {who} drive on a road trip?'],
  ['Half of what I earn goes home.', 'Your family is lucky.', 'Does {who} support the family with money?'],
  ['Small ones turn my stomach inside out.', 'We skip the boat.', 'Should {who} book a trip by boat?'],
  ['I read the last page first.', 'You are the first who likes spoilers.', 'Does {who} mind spoilers?'],
  ['We had four at the table, all at once.', 'So many languages!', 'Might {who} interpret between languages?'],
  ['The doctor wants me off salt.', 'I keep the crisps to myself.', 'Are crisps a fitting gift for {who}?'],
  ['I leave when somebody brings a microphone.', 'Karaoke is not for all.', 'Would {who} like a karaoke evening?'],
  ['I keep every slip since I was nineteen.', 'And your taxes are in order.', 'Would {who} be good at doing taxes?'],
  ['Mine is off from Friday until Sunday.', 'A phone needs rest too.', 'Does {who} answer the phone on a Saturday?'],
  ['I melt above twenty-five degrees.', 'No desert trip, noted.', 'Would {who} be happy on a trip to the desert?'],
];

export const speakers = 'Ana Ben Chiara Deniz Elif Farid Gosia Henk Ines Jakub'.split(' ');

export const whens = [
  'yesterday',
  'last Tuesday',
  'the day before yesterday',
  'two weeks ago',
  'on Sunday',
  'last month',
];

/** A detail of an event, as it is told and as it is asked about. */
export const extras: [told: string, asked: string][] = [
  ['for eighty euros', 'for all that money, eighty or so'],
  ['with a stranger called Pim', 'together with that Pim'],
  ['in the old mill', 'over at the mill'],
  ['and it rained all the time', 'in spite of the rain'],
  ['without any help', 'with nobody helping'],
  ['thanks to a leaflet at the baker', 'because of some leaflet'],
  ['after three failed tries', 'having tried in vain before'],
  ['while the power was out', 'in the dark, without power'],
];

export const smallTalk = [
  'How was your week?',
  'The trains were a mess again today.',
  'Sorry, I was on the phone. Where were we?',
  'I slept badly, so forgive me if I am slow.',
  'Did you see the game? I missed the end of it.',
  'We should really meet for coffee one of these days.',
  'My inbox is a disaster, three hundred unread.',
  'Somebody at work keeps talking about {name}, no idea why.',
  'I thought of {name} when I walked past the shop on the corner.',
  'They closed the street again, and nobody knows for how long.',
];

export const reactions = [
  'No way, tell me everything!',
  'That is so like you.',
  'I would have paid to see that.',
  'Good for you, honestly.',
  'Oh dear. And then?',
];
