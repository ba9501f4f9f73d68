import { createTheme } from '@mantine/core';

/** Colors with enough contrast for small text on both backgrounds (WCAG 2.2, level AA). */
export const theme = createTheme({
  primaryColor: 'orange',
  primaryShade: { light: 9, dark: 7 },
  autoContrast: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace',
  defaultRadius: 'sm',
});
