/** Names of search parameters as they stand before the equals sign: `_has:Type:parameter:name`, `parameter:Type.name`, `code:modifier`. */
export type SearchName =
  | {
      readonly kind: 'has';
      readonly source: string;
      readonly code: string;
      readonly rest: string | undefined;
    }
  | {
      readonly kind: 'chain';
      readonly code: string;
      readonly target: string | undefined;
      readonly rest: string;
    }
  | { readonly kind: 'value'; readonly code: string; readonly modifier: string | undefined };

/** Parameters whose value is one text or expression, in which commas do not separate alternatives. */
export const EXPRESSION_PARAMETERS: ReadonlySet<string> = new Set(['_filter', '_text', '_content']);

/** Splits the first link from a name (search.html#chaining, #has). `rest` is the name for the resources behind the link. */
export function splitSearchName(name: string): SearchName {
  if (name.startsWith('_has:')) {
    const [, source = '', code = '', ...rest] = name.split(':');
    return { kind: 'has', source, code, rest: rest.length === 0 ? undefined : rest.join(':') };
  }
  const dot = name.indexOf('.');
  const link = dot === -1 ? name : name.slice(0, dot);
  const colon = link.indexOf(':');
  const code = colon === -1 ? link : link.slice(0, colon);
  const after = colon === -1 ? undefined : link.slice(colon + 1);
  return dot === -1
    ? { kind: 'value', code, modifier: after }
    : { kind: 'chain', code, target: after, rest: name.slice(dot + 1) };
}
