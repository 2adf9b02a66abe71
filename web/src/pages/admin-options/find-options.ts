import { labelOf, type Option } from './option-groups.ts';
import { helpOf } from './option-units.ts';

/** Options that contain every search word in their label, key or description as shown on the page. */
export function optionsWith(options: Option[], asked: string): Option[] {
  const words = asked.toLowerCase().split(/\s+/).filter(Boolean);
  return options.filter((option) => {
    const text = `${labelOf(option.key)} ${option.key} ${helpOf(option)}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
