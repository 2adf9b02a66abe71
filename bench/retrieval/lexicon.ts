/** Groups of synonyms; a question may use another word than the message it asks about. */
export const objects: string[][] =
  `car automobile vehicle; flat apartment lodging; bicycle bike cycle; laptop notebook computer;
sofa couch settee; coat jacket parka; dog puppy hound; phone handset mobile; painting picture canvas; boat ship vessel;
rug carpet mat; lamp light lantern; medicine drug remedy; contract agreement deal; invoice bill statement; salary pay wages;
holiday vacation getaway; wedding marriage ceremony; exam test assessment; garden yard lawn; house home residence;
shoes footwear trainers; ring jewel band; camera lens recorder; stove cooker oven; fence barrier railing; roof ceiling rooftop;
meeting appointment conference; password passphrase secret; server machine host; report document paper; visa permit licence;
ticket pass voucher; loan credit mortgage; doctor physician surgeon; lawyer attorney solicitor; shop store boutique;
song tune melody; book novel volume; cake pastry dessert`
    .split(';')
    .map((group) => group.trim().split(' '));

/** Base, past and -ing form of each word of a group. */
export const actions: [base: string, past: string, going: string][][] =
  `buy bought buying, purchase purchased purchasing, acquire acquired acquiring;
repair repaired repairing, fix fixed fixing, mend mended mending; lose lost losing, misplace misplaced misplacing, mislay mislaid mislaying;
sell sold selling, offload offloaded offloading, vend vended vending; borrow borrowed borrowing, lend lent lending, loan loaned loaning;
clean cleaned cleaning, wash washed washing, scrub scrubbed scrubbing; paint painted painting, decorate decorated decorating, colour coloured colouring;
cancel cancelled cancelling, revoke revoked revoking, annul annulled annulling; choose chose choosing, pick picked picking, select selected selecting;
insure insured insuring, protect protected protecting, cover covered covering; hide hid hiding, stash stashed stashing, conceal concealed concealing;
deliver delivered delivering, bring brought bringing, ship shipped shipping; replace replaced replacing, swap swapped swapping, exchange exchanged exchanging;
inspect inspected inspecting, check checked checking, examine examined examining; order ordered ordering, request requested requesting, book booked booking;
break broke breaking, damage damaged damaging, ruin ruined ruining; rent rented renting, lease leased leasing, hire hired hiring;
plan planned planning, arrange arranged arranging, organise organised organising`
    .split(';')
    .map((group) => group.split(',').map((word) => word.trim().split(' ') as [string, string, string]));

export const persons: string[][] =
  `sister sibling; colleague coworker; neighbour tenant; boss manager supervisor; uncle relative;
grandmother granny; trainer coach instructor; landlord owner proprietor; nephew kid; accountant bookkeeper; dentist; plumber;
teacher tutor; cousin kinsman; flatmate roommate; client customer; editor publisher; carpenter joiner; nurse carer; pilot captain`
    .split(';')
    .map((group) => group.trim().split(' '));

export const names =
  `Marta Oskar Ingrid Pavel Leila Tomas Wanda Yusuf Greta Hugo Nadia Felix Rosa Emil Clara Ivan Petra Samir Linnea Bruno Dora
Karim Vera Anton Sofia Mikkel Elena Jonas Amira Rolf`.split(/\s+/);

export const places =
  `Lyon Aarhus Porto Gdansk Ghent Turin Graz Malmo Bergen Cork Leeds Bilbao Split Brno Tartu Basel Nantes Bremen Utrecht
Vilnius Patras Lugano Odense Tampere`.split(/\s+/);

export const times =
  `in early spring, last October, before the storm, on a Sunday, two years ago, during the strike, right after Easter, in a hurry,
over the weekend, at the end of the quarter, one rainy evening, around midsummer`
    .split(',')
    .map((time) => time.trim());

export const details =
  `for 320 euros, with a long guarantee, against all advice, without telling anybody, through an old friend, at half the price,
by mistake, after weeks of thinking, with great care, for the second time, on the advice of a stranger, paying in cash`
    .split(',')
    .map((detail) => detail.trim());

export const smallTalk = [
  'By the way, {place} looks lovely {time}.',
  'Can you remind me to call {name} about the {object}?',
  'The weather was dreadful and the train to {place} was late again.',
  'I have been thinking about the {object} a lot lately.',
  'What would you cook for six people, one of them vegetarian?',
  'My {person} says hello, we talked for an hour {time}.',
  'Is it normal to {action} a {object} oneself?',
  '{name} never wants to {action} anything, it drives me mad.',
  'I read an article about people who {action} an old {object} {detail}.',
  'Thanks, that helps. Let us go on tomorrow.',
  'Honestly, {place} has the best {object} I have ever seen.',
  'Do you know a good word for somebody who is always late?',
];

export const replies = [
  'Noted, I will keep that in mind.',
  'That sounds like quite a story! Anything you would like me to do about it?',
  'Good to know. Shall I add it to your list?',
  'I see. How did that make you feel?',
  'Understood. Tell me when there is more.',
  'All right, thank you for telling me.',
];
