import {
  alpha,
  type CSSVariablesResolver,
  createTheme,
  darken,
  type MantineColorsTuple,
  type MantineTheme,
  type NumberInputProps,
} from '@mantine/core';
import type { MouseEvent } from 'react';
import { t } from './language/words.ts';
import { deleteNothing, leaveNumber, pasteNumber, typeNumber, wholeNumber } from './number-entry.ts';

/** Also read by before-paint.ts. */
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

/** The default red is too light a background for white text. */
const red: MantineColorsTuple = [
  '#fef3f2',
  '#fee4e2',
  '#fecdca',
  '#fda29b',
  '#f97066',
  '#f04438',
  '#d92d20',
  '#b42318',
  '#912018',
  '#7a271a',
];

/** Slightly cool greys: the default dark set looks brownish next to indigo. */
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

const clearing = {
  defaultProps: {
    /** By default the clear button is hidden from screen readers, and they could not undo a choice. */
    clearButtonProps: { 'aria-label': t('Clear selection'), 'aria-hidden': false },
    /** Longer than any list that people scroll through. With the 11,000 members and keys of an organisation a letter took 0.7 s. */
    limit: 500,
  },
} as const;

/**
 * Selects the text on click, because typing starts a new search; appended to the chosen name it would match nothing.
 */
const choosing = {
  defaultProps: {
    ...clearing.defaultProps,
    onClick: ({ currentTarget: field }: MouseEvent<HTMLInputElement>) => field.readOnly || field.select(),
  },
};

export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 6, dark: 6 },
  colors: { indigo, red, dark },
  // Limited by the viewport width, so that spacing on a phone does not grow with a larger font size.
  spacing: { md: 'min(1rem, 4.1vw)', lg: 'min(1.25rem, 5.2vw)', xl: 'min(2rem, 8.3vw)' },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  autoContrast: true,
  fontFamily:
    'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif',
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
    // Alerts that are part of a page must not interrupt screen readers; alerts about a recent event set their own role.
    Alert: { defaultProps: { role: 'note' } },
    Card: { defaultProps: { withBorder: true, padding: 'lg' } },
    Modal: {
      defaultProps: {
        centered: true,
        closeButtonProps: { 'aria-label': t('Close') },
        overlayProps: { backgroundOpacity: 0.4 },
      },
    },
    // A plain object instead of `NumberInput.extend`, which would pull the component into the first page's bundle.
    NumberInput: {
      defaultProps: {
        // The comma is the thousands separator: read as a decimal point, `1,234.5` would become 1.2345.
        allowedDecimalSeparators: ['.'],
        thousandSeparator: ',',
        wrapperProps: { onKeyDownCapture: deleteNothing },
        onBeforeInputCapture: typeNumber,
        onPasteCapture: pasteNumber,
        onBlurCapture: leaveNumber,
        classNames: (_: unknown, { allowDecimal, decimalScale }: NumberInputProps) =>
          allowDecimal === false || decimalScale === 0 ? { input: wholeNumber } : {},
      },
    },
    PasswordInput: {
      defaultProps: { visibilityToggleButtonProps: { 'aria-label': t('Toggle password visibility') } },
    },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': t('Dismiss') } } },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 300 } },
    Badge: { defaultProps: { variant: 'light', radius: 'sm', tt: 'none', fw: 600 } },
    Select: choosing,
    MultiSelect: clearing,
    TagsInput: clearing,
    Autocomplete: clearing,
    // Mantine's focus placeholder has no role that is allowed inside a menu; the dropdown itself can take focus.
    Menu: { defaultProps: { shadow: 'md', radius: 'md', withInitialFocusPlaceholder: false } },
  },
});

/** How much to darken the darkest shade for text on the colour's own tint: for these colours it is too light. */
const textDarkened: Record<string, number> = { yellow: 0.35, lime: 0.25, orange: 0.2, green: 0.2 };

/** Light tinted backgrounds for both schemes, with a text contrast above 4.5:1 (WCAG 1.4.3). */
const tints = (theme: MantineTheme, scheme: 'light' | 'dark'): Record<string, string> =>
  Object.fromEntries(
    Object.entries(theme.colors).flatMap(([name, shades]) => {
      if (name === 'dark') return [];
      const variable = `--mantine-color-${name}-light`;
      return scheme === 'light'
        ? [
            [variable, alpha(shades[6], 0.09)],
            [`${variable}-hover`, alpha(shades[6], 0.14)],
            [`${variable}-color`, darken(shades[9], textDarkened[name] ?? 0.1)],
          ]
        : [
            [variable, alpha(shades[5], 0.16)],
            [`${variable}-hover`, alpha(shades[5], 0.22)],
            [`${variable}-color`, shades[2]],
          ];
    }),
  );

/**
 * The default colours of dimmed text, errors, placeholders and disabled controls stay below 4.5:1 on our backgrounds.
 */
export const cssVariables: CSSVariablesResolver = (theme) => ({
  variables: {},
  light: {
    ...tints(theme, 'light'),
    '--mantine-color-dimmed': '#5c6370',
    '--mantine-color-error': '#c92a2a',
    '--mantine-color-placeholder': '#6b7280',
    '--mantine-color-default-border': '#e2e4e9',
    '--svc-code-comment': '#5c6370',
    '--svc-code-keyword': '#4540c4',
    '--svc-code-string': '#0b6e4f',
    '--svc-code-number': '#9a4a00',
    '--svc-code-title': '#0b5cad',
    '--svc-code-deletion': '#b42318',
    '--mantine-color-disabled-color': '#5c6370',
    '--svc-outline': '#868d99',
    '--svc-page': '#fafafb',
    '--svc-surface': '#ffffff',
    '--svc-track': '#f1f3f5',
    '--svc-thumb': '#ffffff',
  },
  dark: {
    ...tints(theme, 'dark'),
    '--mantine-color-dimmed': '#9ba0ae',
    '--mantine-color-error': '#ff8787',
    '--mantine-color-placeholder': '#8a8f9d',
    '--mantine-color-anchor': '#a1a7f9',
    '--mantine-color-default-border': '#2d313a',
    '--mantine-color-body': '#191b21',
    '--svc-code-comment': '#9ba0ae',
    '--svc-code-keyword': '#a1a7f9',
    '--svc-code-string': '#7ddcb5',
    '--svc-code-number': '#f2b27a',
    '--svc-code-title': '#86c1ff',
    '--svc-code-deletion': '#ff9b93',
    '--mantine-color-disabled-color': '#9499a8',
    '--svc-outline': '#6d7282',
    '--svc-page': '#131519',
    '--svc-surface': '#191b21',
    '--svc-track': '#23262e',
    '--svc-thumb': '#40444f',
  },
});
