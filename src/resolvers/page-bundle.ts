import type { SearchPage } from '../core/index';
import { toOutcome } from '../core/index';

/**
 * A page that an operation answered with, as a searchset Bundle (https://hl7.org/fhir/R4/bundle.html#searchset) without
 * absolute addresses: the url of `next` is the parameter `_cursor` that asks for the next page.
 */
export function toBundleText({ matches, included, issues, total, next }: SearchPage): string {
  const entries = [
    ...matches.map(({ text }) => `{"resource":${text},"search":{"mode":"match"}}`),
    ...included.map(({ text }) => `{"resource":${text},"search":{"mode":"include"}}`),
    ...(issues.length === 0 ? [] : [`{"resource":${toOutcome(issues)},"search":{"mode":"outcome"}}`]),
  ];
  let text = '{"resourceType":"Bundle","type":"searchset"';
  if (total !== undefined) text += `,"total":${total}`;
  if (next !== undefined) text += `,"link":[{"relation":"next","url":"?_cursor=${next}"}]`;
  if (entries.length > 0) text += `,"entry":[${entries.join(',')}]`;
  return `${text}}`;
}
