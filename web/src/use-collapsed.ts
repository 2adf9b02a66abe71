import { useLocalStorage } from '@mantine/hooks';

const key = 'svc-folded-groups';

/** The stored value may come from an older version or have been edited by hand. */
export function readCollapsed(stored: string | undefined): string[] {
  try {
    const value: unknown = JSON.parse(stored ?? '[]');
    return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
  } catch {
    return [];
  }
}

/** Whether a group of the sidebar is collapsed; stored in this browser and shared by its tabs. */
export function useCollapsed(group: string): [boolean, (folded: boolean) => void] {
  const [folded, setFolded] = useLocalStorage<string[]>({
    key,
    defaultValue: [],
    // Read during the first render, or all groups would expand for a moment.
    getInitialValueInEffect: false,
    deserialize: readCollapsed,
  });
  const fold = (is: boolean) =>
    setFolded((names) => [...names.filter((name) => name !== group), ...(is ? [group] : [])]);
  return [folded.includes(group), fold];
}
