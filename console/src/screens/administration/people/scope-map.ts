/** The meaning of the values of an issuer's claim, as lines `value = scope scope`. */

export type ScopeMap = Record<string, string[]>;

export function readScopeMap(text: string): ScopeMap {
  const lines = text.split('\n').map((line) => line.trim());
  const pairs = lines.flatMap((line): [string, string[]][] => {
    const [, value = '', scopes = ''] = /^(.*?)\s*=\s*(.*)$/.exec(line) ?? [];
    return value === '' ? [] : [[value, scopes.split(/\s+/).filter((scope) => scope !== '')]];
  });
  return Object.fromEntries(pairs);
}

export function printScopeMap(map: ScopeMap): string {
  return Object.entries(map)
    .map(([value, scopes]) => `${value} = ${scopes.join(' ')}`)
    .join('\n');
}
