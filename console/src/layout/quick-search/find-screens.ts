/** The screens that a person finds by their names. */
import { generatePath } from 'react-router';
import type { LinkTarget, Section } from '../current-screen';

export interface FoundScreen {
  readonly title: string;
  /** The section that the screen belongs to; undefined: the screen is the section itself. */
  readonly section?: string;
  readonly path: string;
}

/** A pattern is an address once tenant and release are known. */
const OTHER_PARAMETERS = /:(?!tenant\b|release\b)|\*/;

function screensOf({ link, screens }: Section, target: LinkTarget): readonly FoundScreen[] {
  const root = link?.path(target);
  if (link === undefined || root === undefined) return [];
  const named = screens.flatMap(({ path, title = '' }) => {
    if (title === '' || OTHER_PARAMETERS.test(path)) return [];
    const address = generatePath(path, { ...target.space });
    // Of two administrations the person has the one that the link leads to.
    return address.startsWith(`${root}/`) ? [{ title, section: link.title, path: address }] : [];
  });
  return [{ title: link.title, path: root }, ...named];
}

/** True: a word of the name begins like this, so that "obs" is no part of "Jobs". */
const begins = (name: string, word: string): boolean =>
  name
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .some((part) => part.startsWith(word));

/** The screens whose name, or that of their section, has all the words; without words those of the navigation. */
export function findScreens(
  sections: readonly Section[],
  target: LinkTarget,
  text: string,
): readonly FoundScreen[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const all = sections.flatMap((section) => screensOf(section, target));
  if (words.length === 0) return all.filter(({ section }) => section === undefined);
  return all.filter(({ title, section = '' }) => {
    // A screen is not found by its section alone: each would be.
    return (
      words.every((word) => begins(`${title} ${section}`, word)) && words.some((word) => begins(title, word))
    );
  });
}
