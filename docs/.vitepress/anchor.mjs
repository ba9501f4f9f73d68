/** Returns the anchor that GitHub gives to a heading, so that a link to it works there and on the site. */
export function toAnchor(heading) {
  return heading
    .toLowerCase()
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');
}
