/** SMART scopes in parts, as people choose them. */

export const CONTEXTS = ['patient', 'user', 'system'] as const;
export type Context = (typeof CONTEXTS)[number];

/** Interactions in the order in which a scope lists them. */
export const INTERACTIONS = ['c', 'r', 'u', 'd', 's'] as const;
export type Interaction = (typeof INTERACTIONS)[number];

export interface DataScope {
  readonly context: Context;
  /** A resource type, or `*`. */
  readonly type: string;
  readonly interactions: ReadonlySet<Interaction>;
  /** A search such as `category=laboratory`; empty: all resources of the type. */
  readonly condition: string;
}

const SCOPE = /^(patient|user|system)\/(\*|[A-Z][A-Za-z]*)\.([cruds]+|read|write|\*)(?:\?(.+))?$/;
/** Interactions of the first version of SMART. */
const FIRST_VERSION: Readonly<Record<string, string>> = { read: 'rs', write: 'cud', '*': 'cruds' };

/** The parts of a scope on data; undefined: it is another one, such as `openid`. */
export function readScope(scope: string): DataScope | undefined {
  const [, context, type = '', letters = '', condition = ''] = SCOPE.exec(scope) ?? [];
  const known = CONTEXTS.find((each) => each === context);
  if (known === undefined) return undefined;
  const allowed = FIRST_VERSION[letters] ?? letters;
  const interactions = new Set(INTERACTIONS.filter((each) => allowed.includes(each)));
  return { context: known, type, interactions, condition };
}

export function toScope({ context, type, interactions, condition }: DataScope): string {
  const letters = INTERACTIONS.filter((each) => interactions.has(each)).join('');
  const search = condition.trim().replace(/^\?/, '');
  return `${context}/${type}.${letters}${search === '' ? '' : `?${search}`}`;
}

/** The words of a text, each once, in its order. */
export function toWords(text: string): string[] {
  return [...new Set(text.split(/\s+/).filter((word) => word !== ''))];
}

/** Scopes that have no effect for a kind of client: programs act for themselves, people never as the system. */
export function uselessScopes(scopes: readonly string[], isForPeople: boolean): readonly string[] {
  return scopes.filter((scope) => {
    const context = readScope(scope)?.context;
    return isForPeople ? context === 'system' : context !== 'system';
  });
}
