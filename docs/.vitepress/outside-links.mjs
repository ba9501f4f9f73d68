/**
 * Links to files that are not pages of the site (sources, CHANGELOG.md …). On GitHub they work as they are. On the site
 * they lead to the repository if package.json names one, else they are plain text with the path as its title. A link to a
 * folder of pages leads to its first page.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PAGES } from './pages.mjs';

function repositoryOf(root) {
  const { repository } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const address = typeof repository === 'string' ? repository : repository?.url;
  return address?.replace(/^git\+/, '').replace(/\.git$/, '');
}

/** The path in the repository of a relative link that leads to no page of the site; else undefined. */
function toOutsidePath(href, page, docs) {
  if (/^(?:[a-z][a-z+.-]*:|#|\/)/i.test(href)) return undefined;
  const target = path.resolve(path.dirname(page), href.split('#')[0]);
  const isPage = target.startsWith(`${docs}${path.sep}`) && target.endsWith('.md');
  return isPage ? undefined : path.relative(path.dirname(docs), target);
}

/** Changes the address of a link; true: the link becomes plain text. */
function redirect(link, outside, repository) {
  const page = PAGES.find((each) => `docs/${each}`.startsWith(`${outside}/`));
  if (page !== undefined) link.attrSet('href', `/${page}`);
  else if (repository !== undefined) link.attrSet('href', `${repository}/blob/HEAD/${outside}`);
  else Object.assign(link, { type: 'outside_open', tag: 'span', attrs: [['title', outside]] });
  return link.tag === 'span';
}

export function showOutsideLinks(markdown, docs) {
  const repository = repositoryOf(path.dirname(docs));
  markdown.core.ruler.push('outside-links', ({ tokens, env }) => {
    for (const { children } of tokens) {
      // The closing token of a link is the next one: links have no links in them.
      let isText = false;
      for (const token of children ?? []) {
        if (token.type === 'link_open') {
          const outside = toOutsidePath(token.attrGet('href'), env.path, docs);
          isText = outside !== undefined && redirect(token, outside, repository);
        } else if (token.type === 'link_close' && isText) {
          Object.assign(token, { type: 'outside_close', tag: 'span' });
        }
      }
    }
  });
}
