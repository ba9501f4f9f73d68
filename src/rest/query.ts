import { parseQueryText, type QueryParameter } from '../core';

export type Parameter = QueryParameter;

/** The parameters of an address or a form, those that concern only the form of the answer apart. */
export interface Query {
  /** What is left after `_format` and `_pretty`, in the order of the request. */
  readonly parameters: readonly Parameter[];
  /** `_format`; the last one counts. */
  readonly format: string | undefined;
  /** `_pretty=true`. */
  readonly pretty: boolean;
  /** `_format` and `_pretty` as they were sent, for links to further pages. */
  readonly presentation: readonly Parameter[];
}

const EMPTY: Query = Object.freeze({ parameters: [], format: undefined, pretty: false, presentation: [] });

/** The query of a request target (`/path?query`); throws `invalidValue` for a malformed percent-encoding. */
export function readQuery(target: string): Query {
  const start = target.indexOf('?');
  if (start === -1) return EMPTY;
  const end = target.indexOf('#', start);
  return toQuery(parseQueryText(end === -1 ? target.slice(start + 1) : target.slice(start + 1, end)));
}

/** Sorts the parameters that name the form of the answer from the rest. */
export function toQuery(all: readonly Parameter[]): Query {
  if (all.length === 0) return EMPTY;
  const parameters: Parameter[] = [];
  const presentation: Parameter[] = [];
  let format: string | undefined;
  let pretty = false;
  for (const parameter of all) {
    const [name, value] = parameter;
    if (name === '_format') format = value === '' ? format : value;
    else if (name === '_pretty') pretty = value === 'true';
    else {
      parameters.push(parameter);
      continue;
    }
    presentation.push(parameter);
  }
  return { parameters, format, pretty, presentation };
}

function encode(text: string): string {
  const encoded = encodeURIComponent(text);
  if (encoded.length === text.length) return encoded;
  return encoded.replaceAll('%3A', ':').replaceAll('%2C', ',').replaceAll('%24', '$$').replaceAll('%2F', '/');
}

/** The parameters as a query text without `?`, percent-encoded where RFC 3986 needs it. */
export function formatParameters(parameters: readonly Parameter[]): string {
  return parameters.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');
}
