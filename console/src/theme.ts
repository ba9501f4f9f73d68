import { createTheme, Menu, type CSSVariablesResolver } from '@mantine/core';

/** Data is in any script: a text has the direction of its own first letter, and does not turn what stands beside it. */
const ANY_DIRECTION = { defaultProps: { dir: 'auto' } };
const LIST = { defaultProps: { dir: 'auto', withScrollArea: false } };

/** Colors with enough contrast for small text on both backgrounds (WCAG 2.2, level AA). */
export const theme = createTheme({
  primaryColor: 'orange',
  primaryShade: 9,
  autoContrast: true,
  colors: {
    // Mantine's, with a darker last shade.
    orange: [
      '#fff4e6',
      '#ffe8cc',
      '#ffd8a8',
      '#ffc078',
      '#ffa94d',
      '#ff922b',
      '#fd7e14',
      '#f76707',
      '#d9480f',
      '#b5390a',
    ],
  },
  fontFamily: 'var(--andiron-font)',
  fontFamilyMonospace: 'var(--andiron-font-code)',
  defaultRadius: 'sm',
  components: {
    // A value that does not fit ends with a sign.
    Input: { styles: { input: { textOverflow: 'ellipsis' } } },
    // The list itself scrolls, which the keyboard reaches through its field.
    Autocomplete: LIST,
    MultiSelect: LIST,
    Select: LIST,
    // A menu has nothing but its items.
    Menu: Menu.extend({ defaultProps: { withInitialFocusPlaceholder: false } }),
    Anchor: ANY_DIRECTION,
    Text: ANY_DIRECTION,
    Textarea: ANY_DIRECTION,
    TextInput: ANY_DIRECTION,
    Title: ANY_DIRECTION,
  },
});

/** Mantine's become paler under the pointer where the last shade is in use. */
const FILLED_HOVER = {
  '--mantine-color-orange-filled-hover': '#962f08',
  '--mantine-color-red-filled-hover': '#a61e1e',
};

/** Mantine's own have too little contrast. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    ...FILLED_HOVER,
    '--mantine-color-orange-light-hover': '#ffe3c2',
    '--mantine-color-dimmed': '#5c636a',
    '--mantine-color-error': '#b02020',
    '--mantine-color-placeholder': '#6c757d',
    '--mantine-color-green-light-color': '#226e31',
    '--mantine-color-red-light-color': '#b02020',
    '--mantine-color-teal-light-color': '#066648',
    '--mantine-color-yellow-light-color': '#854700',
  },
  dark: {
    ...FILLED_HOVER,
    '--mantine-color-dimmed': '#a8a8a8',
    '--mantine-color-error': '#ff8787',
    '--mantine-color-placeholder': '#929292',
  },
});
