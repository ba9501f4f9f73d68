/** One search parameter in the form of REST: name with its modifier, value without percent-encoding. */
export type SearchPair = readonly [name: string, value: string];
