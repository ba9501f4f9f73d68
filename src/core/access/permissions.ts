import { FhirError, fhirError } from '../errors';
import { compartmentCriterion } from '../search/compartment';
import { parseCriterion } from '../search/criteria';
import { allOf, oneOf } from '../search/criteria/connectives';
import type { Criterion } from '../search/predicate';
import type { SearchTypeContext } from '../search/types/search-type';
import type { Access } from './access';
import { ElementRules } from './elements';
import type { Policy } from './policy';
import { AUDIT_EVENT } from './audit-space';
import { ANY_TYPE, type Right } from './right';
import { parseScope, type Scope } from './scope';

/** Name of the criteria that access adds to what is asked. */
export const ACCESS = 'access';

const PATIENT = 'Patient';
/** Users who have the rights of their own record, and no others. */
const OWN_RECORD: ReadonlySet<string> = new Set([PATIENT, 'RelatedPerson']);

let made = 0;

/** What a grant asks of a resource: all of its criteria; none: nothing. Undefined: it grants nothing. */
type Alternative = readonly Criterion[] | undefined;

/**
 * What one who asks may do in a space, of which everything else is made: what a grant asks of resources is a condition of
 * searches (docs/access.md, Rules). A resource is reached where one of the scopes and, if there are policies, one rule of
 * one of them allow it.
 */
export class Permissions {
  /** Tells them from all others that this process has made. */
  readonly number = ++made;
  readonly elements: ElementRules;
  /** By right and type; `null`: nothing of the type. */
  readonly #conditions: Readonly<Record<Right, Map<string, readonly Criterion[] | null>>> = {
    c: new Map(),
    r: new Map(),
    u: new Map(),
    d: new Map(),
    s: new Map(),
  };
  readonly #scopes: readonly Scope[];
  readonly #policies: readonly Policy[];

  constructor(
    readonly access: Access,
    /** Equal for those that allow the same. */
    readonly key: string,
    /** With all search parameters of the space. */
    private readonly full: SearchTypeContext,
    policies: readonly Policy[],
  ) {
    this.#scopes = access.scopes.flatMap((text) => parseScope(text) ?? []);
    this.#policies = policies.filter(({ name }) => access.policies.includes(name));
    this.elements = new ElementRules(full.definitions, this.#policies);
  }

  /** Whether some resource of the type may be reached so. */
  allows(type: string, right: Right): boolean {
    return this.#conditionsOf(type, right) !== null;
  }

  /** Whether every resource of the type may be, with all of its elements. */
  allowsAll(type: string, right: Right): boolean {
    return this.#conditionsOf(type, right)?.length === 0 && !this.elements.hides(type);
  }

  /** What a resource must meet to be reached so; empty: nothing. Throws `forbidden`, naming the missing scope. */
  conditions(type: string, right: Right): readonly Criterion[] {
    const conditions = this.#conditionsOf(type, right);
    if (conditions === null) throw this.missing(type, right);
    return conditions;
  }

  /** What searches are parsed with: only what may be found, by what may be asked. */
  restrict(full: SearchTypeContext): SearchTypeContext {
    return {
      ...full,
      definitions: this.elements.definitions,
      restriction: (type) => this.conditions(type, 's'),
      hidesElements: (type) => (type === undefined ? this.elements.hidesAny : this.elements.hides(type)),
      requireAll: (type, what) => this.requireAll(type, 's', what),
    };
  }

  /** Throws `forbidden`, naming the missing scope. */
  require(type: string, right: Right): void {
    this.conditions(type, right);
  }

  /** Throws `forbidden` where nothing at all may be read or found. */
  requireSomething(): void {
    const isSomething = this.full.definitions.resourceTypes.some(
      (type) => this.allows(type, 'r') || this.allows(type, 's'),
    );
    if (!isSomething) throw this.missing(ANY_TYPE, 's');
  }

  /** Throws `forbidden` where none of the rights is had; it names the first. */
  requireOne(type: string, ...rights: readonly [Right, ...Right[]]): void {
    if (!rights.some((right) => this.allows(type, right))) throw this.missing(type, rights[0]);
  }

  /** Throws `forbidden` where not every resource of the type may be reached. */
  requireAll(type: string, right: Right, what: string): void {
    this.require(type, right);
    if (this.allowsAll(type, right)) return;
    const reason = `${what} needs every ${type}, and the grants of this client reach some of them, or some of their elements`;
    throw fhirError('forbidden', { reason });
  }

  /** Whether every resource of every type may be reached so, with all of its elements; but for AuditEvents. */
  allowsEverything(right: Right): boolean {
    const { resourceTypes } = this.full.definitions;
    return (
      !this.elements.hidesAny &&
      resourceTypes.every((type) => type === AUDIT_EVENT || this.allowsAll(type, right))
    );
  }

  /** Throws `forbidden` where some resource of some type may not be reached. */
  requireEverything(right: Right, what: string): void {
    if (this.allowsEverything(right)) return;
    throw fhirError('forbidden', { reason: `${what} needs the scope system/*.${right}, without conditions` });
  }

  /** Throws `forbidden` where elements of the type are hidden. */
  requireElements(type: string, what: string): void {
    if (!this.elements.hides(type)) return;
    const reason = `${what} needs all elements of ${type}, and the policies of this client hide some`;
    throw fhirError('forbidden', { reason });
  }

  /** Throws `forbidden` where the policies do not name the operation. */
  requireOperation(code: string): void {
    if (this.access.policies.length === 0) return;
    const allowed = this.#policies.some(
      ({ operations }) =>
        operations === undefined || operations.includes(code) || operations.includes(ANY_TYPE),
    );
    if (!allowed)
      throw fhirError('forbidden', { reason: `No policy of this client allows the operation $${code}` });
  }

  /** Throws `forbidden` for a client that may not do anything at all. */
  requireAnything(): void {
    if (this.#scopes.length === 0 && !this.access.isAuditor) throw this.missing(ANY_TYPE, 's');
  }

  missing(type: string, right: Right): FhirError {
    const { scopes, policies } = this.access;
    const needed = `${this.#scopes[0]?.context ?? 'system'}/${type}.${right}`;
    const reason =
      type === AUDIT_EVENT
        ? 'Records of audit are read by auditors, and changed by nobody'
        : policies.length > 0 && this.#scopesOf(type, right).some((alternative) => alternative !== undefined)
          ? `The policies of this client do not allow ${needed}`
          : scopes.length === 0
            ? `This client has no scopes: the scope ${needed} is missing`
            : `The scope ${needed} is missing`;
    return fhirError('forbidden', { reason });
  }

  #conditionsOf(type: string, right: Right): readonly Criterion[] | null {
    const known = this.#conditions[right];
    let conditions = known.get(type);
    if (conditions === undefined) {
      conditions = this.#compile(type, right);
      known.set(type, conditions);
    }
    return conditions;
  }

  #compile(type: string, right: Right): readonly Criterion[] | null {
    if (type === AUDIT_EVENT && right !== 'c')
      return this.access.isAuditor && (right === 'r' || right === 's') ? [] : null;
    const byScopes = anyOf(this.#scopesOf(type, right));
    if (byScopes === null) return null;
    if (this.access.policies.length === 0) return byScopes;
    const byPolicies = anyOf(this.#rulesOf(type, right));
    return byPolicies === null ? null : [...byScopes, ...byPolicies];
  }

  #scopesOf(type: string, right: Right): Alternative[] {
    return this.#scopes
      .filter((scope) => (scope.type === ANY_TYPE || scope.type === type) && scope.rights.has(right))
      .map(({ context, criteria }) => {
        const within = this.#recordOf(type, context);
        const parsed = this.#parse(type, criteria);
        return within === undefined || parsed === undefined ? undefined : [...within, ...parsed];
      });
  }

  /** That it is of the record that the context of a scope is about. Undefined: no resource of the type ever is. */
  #recordOf(type: string, context: Scope['context']): Alternative {
    const { patient, user } = this.access;
    if (context === 'system') return [];
    if (context === 'patient')
      return patient === undefined ? undefined : this.#within(type, PATIENT, patient);
    const [userType = '', id] = user?.split('/') ?? [];
    if (!OWN_RECORD.has(userType)) return [];
    return id === undefined ? undefined : this.#within(type, userType, id);
  }

  #within(type: string, owner: string, id: string): Alternative {
    const criterion = compartmentCriterion(this.full, { type: owner, id }, type);
    return criterion && [{ ...criterion, name: ACCESS }];
  }

  #rulesOf(type: string, right: Right): Alternative[] {
    return this.#policies
      .flatMap(({ rules }) => rules)
      .filter(({ types, rights }) => (types.includes(ANY_TYPE) || types.includes(type)) && rights.has(right))
      .flatMap(({ anyOf: queries }): Alternative[] =>
        queries.length === 0
          ? [[]]
          : queries.map((query) => {
              const filled = query.map(([name, value]) => [name, this.#fill(value)] as const);
              return this.#parse(type, filled);
            }),
      );
  }

  /** Undefined where it names somebody of whom the token says nothing. */
  #fill(value: string): string | undefined {
    const { user, patient } = this.access;
    const filled = value
      .replaceAll('{user}', user ?? '\0')
      .replaceAll('{patient}', patient === undefined ? '\0' : `${PATIENT}/${patient}`);
    return filled.includes('\0') ? undefined : filled;
  }

  /** What is not understood of the type grants nothing. */
  #parse(type: string, criteria: readonly (readonly [string, string | undefined])[]): Alternative {
    const parsed: Criterion[] = [];
    for (const [name, value] of criteria) {
      try {
        const criterion = value === undefined ? undefined : parseCriterion(this.full, type, name, value);
        if (criterion === undefined) return undefined;
        parsed.push(criterion);
      } catch (error) {
        if (error instanceof FhirError) return undefined;
        throw error;
      }
    }
    return parsed;
  }
}

/** One of them is met. Null: there is none that grants anything. */
function anyOf(alternatives: readonly Alternative[]): readonly Criterion[] | null {
  const granting = alternatives.filter((alternative) => alternative !== undefined);
  const [only, ...others] = granting;
  if (only === undefined) return null;
  if (granting.some(({ length }) => length === 0)) return [];
  if (others.length === 0) return only.map((criterion) => ({ ...criterion, name: ACCESS }));
  return [{ ...oneOf(granting.map(allOf)), name: ACCESS }];
}
