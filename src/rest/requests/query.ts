import { parseQueryText, type QueryParameter } from '../../core';

export type Parameter = QueryParameter;

/** The parameters of an address or a form; those of the response's format are separate. */
export interface Query {
  /** Parameters other than `_format` and `_pretty`, in the order of the request. */
  readonly parameters: readonly Parameter[];
  /** `_format`; the last one applies. */
  readonly format: string | undefined;
  /** `_pretty=true`. */
  readonly pretty: boolean;
  /** `_format` and `_pretty` as the client sent them, for links to further pages. */
  readonly presentation: readonly Parameter[];
}

const EMPTY: Query = Object.freeze({ parameters: [], format: undefined, pretty: false, presentation: [] });

/** Reads the query of a request target (`/path?query`). Throws `invalidValue` for a malformed percent-encoding. */
export function readQuery(target: string): Query {
  const start = target.indexOf('?');
  if (start === -1) return EMPTY;
  const end = target.indexOf('#', start);
  return toQuery(parseQueryText(end === -1 ? target.slice(start + 1) : target.slice(start + 1, end)));
}

/** Separates the parameters of the response's format from the rest. */
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

/** Returns the parameters as a query text without `?`, percent-encoded where RFC 3986 requires it. */
export function formatParameters(parameters: readonly Parameter[]): string {
  return parameters.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');
}
