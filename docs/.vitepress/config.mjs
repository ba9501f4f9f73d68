/** The site of docs/: `npm run docs` shows it while you write, `npm run build:site` builds it. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { toAnchor } from './anchor.mjs';
import { showOutsideLinks } from './outside-links.mjs';
import { PARTS } from './pages.mjs';
import { showMissingPictures } from './pictures.mjs';

const docs = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** The first heading of a page, without Markdown. */
function titleOf(page) {
  const [, title = page] = /^# (.*)$/m.exec(readFileSync(path.join(docs, `${page}.md`), 'utf8')) ?? [];
  return title.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');
}

/** The mark, which the console has too. A text of its own, because a built site may have any base. */
const mark = `data:image/svg+xml;base64,${readFileSync(path.join(docs, '../console/src/favicon.svg')).toString('base64')}`;
/** Published elsewhere, the site has no server beside it. */
const isBesideServer = !process.argv.includes('--out');

const sidebar = PARTS.map(({ part, groups }) => ({
  text: part,
  // Opened by itself for a page of this part.
  collapsed: true,
  items: groups.map(({ group, folded = false, pages }) => ({
    text: group,
    collapsed: folded,
    items: pages
      .filter((page) => existsSync(path.join(docs, `${page}.md`)))
      .map((page) => ({ text: titleOf(page), link: `/${page}` })),
  })),
}));

/** The first page has its parts above its text; index.md itself stays readable on GitHub. */
const home = {
  layout: 'home',
  hero: {
    name: 'Andiron',
    text: 'FHIR R4 and R4B, many tenants, one server',
    tagline: 'REST, GraphQL and a console in the browser, on PostgreSQL and Redis',
    actions: [
      { theme: 'brand', text: 'Start', link: '/use/start' },
      { theme: 'alt', text: 'Reference', link: '/reference/rest' },
    ],
  },
  features: [
    { title: 'Use it', details: 'Requests, searches, GraphQL, recipes for clients', link: '/use/start' },
    { title: 'Run it', details: 'Install, operate, secure, back up, upgrade', link: '/run/deploy' },
    { title: 'Understand it', details: 'How it works, and why', link: '/understand/architecture' },
  ],
};

export default defineConfig({
  title: 'Andiron',
  description: 'A multi-tenant FHIR R4 and R4B server with a GraphQL front, on PostgreSQL and Redis',
  lang: 'en',
  base: '/docs/',
  // The server has addresses without .html; not every static file server does.
  cleanUrls: isBesideServer,
  cacheDir: path.resolve(docs, '../node_modules/.cache/vitepress'),
  // Pages link to a quick start on the reader's machine.
  ignoreDeadLinks: 'localhostLinks',
  srcExclude: ['.vitepress/**'],
  // Pages have no inline script with data, so that the Content-Security-Policy needs only the hashes of the fixed ones.
  metaChunk: true,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: mark }]],
  markdown: {
    // The theme's own has too little contrast.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify: toAnchor },
    config(markdown) {
      showOutsideLinks(markdown, docs);
      showMissingPictures(markdown);
    },
  },
  transformPageData(page) {
    if (page.relativePath === 'index.md') page.frontmatter = home;
  },
  vite: {
    logLevel: 'warn',
  },
  themeConfig: {
    logo: { src: mark, alt: '' },
    sidebar,
    nav: [
      ...PARTS.map(({ part, groups }) => ({
        text: part,
        link: `/${groups[0].pages[0]}`,
        activeMatch: `^/${groups[0].pages[0].split('/')[0]}/`,
      })),
      ...(isBesideServer ? [{ text: 'Console', link: '/../', target: '_self', noIcon: true }] : []),
    ],
    outline: [2, 3],
    search: { provider: 'local' },
  },
});
