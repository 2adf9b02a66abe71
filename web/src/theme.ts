import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

/** color-scheme.ts reads the same key. */
export const colorSchemeKey = 'svc-color-scheme';

const indigo: MantineColorsTuple = [
  '#eef0ff',
  '#dfe2fe',
  '#c3c8fc',
  '#a1a7f9',
  '#7f84f4',
  '#6366ec',
  '#4f4be0',
  '#4540c4',
  '#3a369e',
  '#33307d',
];

/** Slightly cool greys: the default dark set is brownish beside indigo. */
const dark: MantineColorsTuple = [
  '#d3d6de',
  '#b4b8c4',
  '#9499a8',
  '#6d7282',
  '#40444f',
  '#2d313a',
  '#23262e',
  '#191b21',
  '#131519',
  '#0d0f12',
];

export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 6, dark: 6 },
  colors: { indigo, dark },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  autoContrast: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.5rem', lineHeight: '1.3' },
      h2: { fontSize: '1.125rem', lineHeight: '1.4' },
      h3: { fontSize: '1rem', lineHeight: '1.45' },
    },
  },
  components: {
    Card: { defaultProps: { withBorder: true, padding: 'lg' } },
    Modal: { defaultProps: { centered: true, overlayProps: { backgroundOpacity: 0.4, blur: 2 } } },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 300 } },
    Menu: { defaultProps: { shadow: 'md', radius: 'md' } },
  },
});

/** The default dimmed grey and error red fall short of 4.5:1 contrast (WCAG 1.4.3). */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#5c6370',
    '--mantine-color-error': '#c92a2a',
    '--mantine-color-placeholder': '#6b7280',
    '--mantine-color-default-border': '#e2e4e9',
    '--svc-page': '#fafafb',
    '--svc-surface': '#ffffff',
  },
  dark: {
    '--mantine-color-dimmed': '#9ba0ae',
    '--mantine-color-error': '#ff8787',
    '--mantine-color-placeholder': '#8a8f9d',
    '--mantine-color-anchor': '#a1a7f9',
    '--mantine-color-default-border': '#2d313a',
    '--mantine-color-body': '#191b21',
    '--svc-page': '#131519',
    '--svc-surface': '#191b21',
  },
});
