/** A command of a shell that requests an address. The token of the person is a variable: commands are stored and shared. */
export function toCurl(address: string, isSignedIn: boolean): string {
  const token = isSignedIn ? ` -H "authorization: Bearer $TOKEN"` : '';
  return `curl -g -H 'accept: application/fhir+json'${token} '${address.replaceAll("'", '%27')}'`;
}
