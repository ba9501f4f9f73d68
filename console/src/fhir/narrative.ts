/** Makes the narrative of a record safe to show: no scripts, no styles, nothing that is loaded from elsewhere. */
import DOMPurify from 'dompurify';
import { PREFIX, resourcePath, type Space } from '../place';
import { isWebAddress, parseReference } from './reference';

const FORBIDDEN_TAGS = [
  'style',
  'form',
  'input',
  'button',
  'textarea',
  'select',
  'video',
  'audio',
  'svg',
  'math',
];

function secureLink(link: HTMLAnchorElement, space: Space): void {
  const address = link.getAttribute('href') ?? '';
  const target = parseReference(address, '');
  if (target.kind === 'record') {
    link.setAttribute('href', `${PREFIX}${resourcePath(space, target.type, target.id, target.versionId)}`);
  } else if (isWebAddress(address)) {
    link.setAttribute('target', '_blank');
    link.setAttribute('rel', 'noopener noreferrer');
  } else if (!address.startsWith('#')) {
    link.removeAttribute('href');
  }
}

/** The HTML of a narrative that can be put into the page. */
export function safeNarrative(div: string, space: Space): string {
  const fragment = DOMPurify.sanitize(div, {
    USE_PROFILES: { html: true },
    FORBID_TAGS: FORBIDDEN_TAGS,
    FORBID_ATTR: ['style', 'srcset', 'background', 'poster'],
    SANITIZE_NAMED_PROPS: true,
    RETURN_DOM_FRAGMENT: true,
  });
  for (const link of fragment.querySelectorAll('a')) secureLink(link, space);
  for (const image of fragment.querySelectorAll('img'))
    // An image of elsewhere is not loaded; its words remain.
    if (!(image.getAttribute('src') ?? '').startsWith('data:image/')) image.replaceWith(image.alt);
  const holder = document.createElement('div');
  holder.append(fragment);
  return holder.innerHTML;
}
