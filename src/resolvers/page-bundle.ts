import type { DocumentContent, InvocationResult, SearchPage } from '../core/index';
import { toOutcome } from '../core/index';

/**
 * Returns the result of an operation as text. GraphQL has no addresses for the resources of a Bundle: the url of `next` is
 * the parameter `_cursor` of the next page.
 */
export function toResultText(result: InvocationResult): string {
  if ('text' in result) return result.text;
  if ('stored' in result) return result.stored.version.text;
  return 'page' in result ? toSearchset(result.page) : toDocument(result.document);
}

function toSearchset({ matches, included, issues, total, next }: SearchPage): string {
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

function toDocument({ identifier, timestamp, versions }: DocumentContent): string {
  const entries = versions.map(({ text }) => `{"resource":${text}}`);
  const name = `"identifier":{"system":"urn:ietf:rfc:3986","value":"${identifier}"}`;
  return `{"resourceType":"Bundle",${name},"type":"document","timestamp":"${timestamp}","entry":[${entries.join(',')}]}`;
}
