import { existsSync } from 'node:fs';
import path from 'node:path';

/**
 * Shows the text of a picture that is not there yet: browser tests make pictures, and need a build before that. `npm run
 * check:docs` reports a missing picture.
 */
export function showMissingPictures(markdown) {
  markdown.core.ruler.push('missing-pictures', ({ tokens, env }) => {
    for (const { children } of tokens) {
      for (const token of children ?? []) {
        if (token.type !== 'image' || /^(?:[a-z]+:|\/)/.test(token.attrGet('src'))) continue;
        const file = path.resolve(path.dirname(env.path), token.attrGet('src'));
        if (!existsSync(file)) Object.assign(token, { type: 'text', tag: '', children: null });
      }
    }
  });
}
