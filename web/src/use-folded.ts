import { useLocalStorage } from '@mantine/hooks';

const key = 'svc-folded-groups';

/** What is stored may be of an older version, or have been changed by hand. */
export function readFolded(stored: string | undefined): string[] {
  try {
    const value: unknown = JSON.parse(stored ?? '[]');
    return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
  } catch {
    return [];
  }
}

/** Whether a group of the sidebar is folded; remembered by this browser, in all its tabs. */
export function useFolded(group: string): [boolean, (folded: boolean) => void] {
  const [folded, setFolded] = useLocalStorage<string[]>({
    key,
    defaultValue: [],
    // At once, or everything would unfold for a moment.
    getInitialValueInEffect: false,
    deserialize: readFolded,
  });
  const fold = (is: boolean) =>
    setFolded((names) => [...names.filter((name) => name !== group), ...(is ? [group] : [])]);
  return [folded.includes(group), fold];
}
