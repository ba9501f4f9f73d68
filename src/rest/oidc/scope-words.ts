/** Describes scopes for the user who allows them. */
const OTHERS: Readonly<Record<string, string>> = {
  openid: 'know who you are',
  profile: 'know who you are',
  fhirUser: 'know who you are',
  offline_access: 'go on having this access while you are away',
  online_access: 'go on having this access while you are signed in',
  launch: 'know what you are looking at',
  'launch/patient': 'know whose record this is about',
  administration: 'use your rights as an administrator or auditor',
};
const VERSION_1: Readonly<Record<string, string>> = { read: 'rs', write: 'cud', '*': 'cruds' };
const VERBS: Readonly<Record<string, string>> = {
  c: 'add',
  r: 'read',
  u: 'change',
  d: 'delete',
  s: 'search for',
};

/** Returns a description such as `read and search for Observation in this patient’s record`. */
export function describeScope(scope: string): string {
  const [, context, type = '', rights = '', query] =
    /^(patient|user)\/([A-Za-z]+|\*)\.([a-z]+|\*)(\?.*)?$/s.exec(scope) ?? [];
  if (context === undefined) return OTHERS[scope] ?? scope;
  const verbs = [...(VERSION_1[rights] ?? rights)].map((letter) => VERBS[letter] ?? letter);
  const last = verbs.pop() ?? '';
  const doing = verbs.length === 0 ? last : `${verbs.join(', ')} and ${last}`;
  const what = type === '*' ? 'everything' : type;
  const where = context === 'patient' ? 'in this patient’s record' : 'that you may see';
  return `${doing} ${what} ${where}${query === undefined ? '' : `, where ${query.slice(1)}`}`;
}
