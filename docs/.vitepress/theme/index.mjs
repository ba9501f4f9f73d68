/** The default theme with the fonts of the reader's system, and diagrams. */
import theme from 'vitepress/theme-without-fonts';
import { defineDiagram } from './diagram.mjs';
import './style.css';

export default {
  extends: theme,
  enhanceApp() {
    if (!import.meta.env.SSR) defineDiagram();
  },
};
