/** A command of a shell that sends a request. The token of the person is a variable: commands are stored and shared. */
export function toCurl(address: string, isSignedIn: boolean): string {
  return toCurlOf({ method: 'GET', address, headers: [], body: '' }, isSignedIn);
}

export interface CurlRequest {
  readonly method: string;
  readonly address: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  /** Empty: none. */
  readonly body: string;
}

/** Nothing has a meaning between the quotation marks of a shell, but the mark itself. */
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The same for any request. */
export function toCurlOf({ method, address, headers, body }: CurlRequest, isSignedIn: boolean): string {
  const hasAccept = headers.some(({ name }) => name.toLowerCase() === 'accept');
  const all = hasAccept ? headers : [{ name: 'accept', value: 'application/fhir+json' }, ...headers];
  const flag = method === 'HEAD' ? ' -I' : method === 'GET' ? '' : ` -X ${method}`;
  const lines = all.map(({ name, value }) => ` -H ${quote(`${name}: ${value}`)}`).join('');
  const token = isSignedIn ? ` -H "authorization: Bearer $TOKEN"` : '';
  const data = body === '' ? '' : ` --data-binary ${quote(body)}`;
  return `curl -g${flag}${lines}${token} '${address.replaceAll("'", '%27')}'${data}`;
}
