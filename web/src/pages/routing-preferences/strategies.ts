/** The four ways of choosing, in words. */
export const strategies = [
  { value: 'balanced', label: 'Balanced', hint: 'Success, speed and price together, by the model’s weights' },
  { value: 'performance', label: 'Performance', hint: 'Reliable and fast first; price counts nothing' },
  { value: 'cost', label: 'Cost', hint: 'Cheap first, as long as it answers' },
  { value: 'round_robin', label: 'Round robin', hint: 'Each provider in turn' },
] as const;

export type Strategy = (typeof strategies)[number]['value'];
