import { labelOf, type Option } from './option-groups.ts';
import { helpOf } from './option-units.ts';

/** Those that have every word in their name, their key or what is said of them, as the page shows it. */
export function optionsWith(options: Option[], asked: string): Option[] {
  const words = asked.toLowerCase().split(/\s+/).filter(Boolean);
  return options.filter((option) => {
    const text = `${labelOf(option.key)} ${option.key} ${helpOf(option)}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
