import { fhirError, type FhirError } from '../errors';
import type { Criterion } from '../search/predicate';
import type { SearchTypeContext } from '../search/types/search-type';
import type { Access } from '../context';
import { CallerGrants, DECIDING, type GrantSources, READING, type TenantRules } from './caller-grants';
import type { ElementRules } from './elements';
import type { GrantSide } from './grant';
import { AUDIT_EVENT } from '../fhir/type-names';
import { RECORD_OPENS } from './referenced';
import { ANY_TYPE, type Right } from './right';
import { ADMINISTRATION, OTHER_SCOPES, parseScope } from './scope';

/** A person who only administers. */
const NO_IDENTITY =
  'Your account has no identity in FHIR (fhirUser), so that it reaches no records: an administrator can add one to it';

let made = 0;

/**
 * A caller's effective permissions in a space; every other check derives from them. The criteria of grants become
 * conditions of searches (docs/run/access-rules.md). A resource is accessible where one scope allows it and, if the client
 * has policies, one rule of one policy does too.
 */
export class Permissions {
  /** Unique in this process. */
  readonly number = ++made;
  readonly elements: ElementRules;
  readonly #grants: CallerGrants;

  constructor(
    readonly access: Access,
    /** Equal for equal permissions. */
    readonly key: string,
    /** With all search parameters of the space. */
    private readonly full: SearchTypeContext,
    rules: TenantRules,
  ) {
    this.#grants = new CallerGrants(access, full, rules);
    this.elements = this.#grants.elements;
  }

  /** True if the right may hold for some resources of the type. */
  allows(type: string, right: Right): boolean {
    return this.#grants.conditionsOf(type, right) !== null;
  }

  /** True if the right holds for all resources of the type, with all their elements. */
  allowsAll(type: string, right: Right): boolean {
    return this.#grants.conditionsOf(type, right)?.length === 0 && !this.elements.hides(type);
  }

  /** Conditions on resources of the type for the right; empty: none. Throws `forbidden`, naming the missing scope. */
  conditions(type: string, right: Right): readonly Criterion[] {
    const conditions = this.#grants.conditionsOf(type, right);
    if (conditions === null) throw this.missing(type, right);
    return conditions;
  }

  /** True if a scope of the caller can allow anything, whatever the policies say. */
  isUsable(text: string): boolean {
    const scope = parseScope(text);
    const { isAdministrator, isAuditor } = this.access;
    if (text === ADMINISTRATION) return isAdministrator || isAuditor;
    if (scope === undefined) return OTHER_SCOPES.includes(text);
    const { resourceTypes } = this.full.definitions;
    return resourceTypes
      .filter((type) => scope.type === ANY_TYPE || scope.type === type)
      .some((type) =>
        [...scope.rights].some((right) =>
          type === AUDIT_EVENT && right !== 'c'
            ? isAuditor
            : this.#grants.grantOf(scope, type, right) !== undefined,
        ),
      );
  }

  /**
   * The grants for a write that are bound to patients, with those that may allow it in their place: by scopes, and by
   * policies. One of each side must allow the write. Empty: no grant that decides is bound.
   */
  boundSides(type: string, right: Right): readonly GrantSide[] {
    return this.#grants.boundSides(type, right);
  }

  /**
   * Each scope, and each rule of a policy, that is about the right and the type, with its grant; undefined: it grants nothing. For
   * explanations: what they say is decided by the same grants as requests are.
   */
  sources(type: string, right: Right): GrantSources {
    return this.#grants.sources(type, right);
  }

  /** The context for parsing searches: only allowed search parameters, with the conditions of the grants. */
  restrict(full: SearchTypeContext): SearchTypeContext {
    return {
      ...full,
      definitions: this.elements.definitions,
      restriction: (type) => this.conditions(type, 's'),
      hidesElements: (type) => (type === undefined ? this.elements.hidesByPolicy : this.elements.hides(type)),
      secrets: this.elements.secrets,
      requireAll: (type, what) => this.requireAll(type, 's', what),
    };
  }

  /** Throws `forbidden`, naming the missing scope. */
  require(type: string, right: Right): void {
    this.conditions(type, right);
  }

  /** Throws `forbidden` where the caller may neither read nor search any type. */
  requireSomething(): void {
    const isSomething = this.full.definitions.resourceTypes.some(
      (type) => this.allows(type, 'r') || this.allows(type, 's'),
    );
    if (!isSomething) throw this.missing(ANY_TYPE, 's');
  }

  /** Throws `forbidden` where the caller has none of the rights; the error names the first. */
  requireOne(type: string, ...rights: readonly [Right, ...Right[]]): void {
    if (!rights.some((right) => this.allows(type, right))) throw this.missing(type, rights[0]);
  }

  /** Throws `forbidden` unless the right holds for all resources of the type. */
  requireAll(type: string, right: Right, what: string): void {
    this.require(type, right);
    if (this.allowsAll(type, right)) return;
    const reason = `${what} needs every ${type}, but the grants of this client include only some of them, or some of their elements`;
    throw fhirError('forbidden', { reason });
  }

  /** True if the right holds for all resources of all types except AuditEvent, with all their elements. */
  allowsEverything(right: Right): boolean {
    const { resourceTypes } = this.full.definitions;
    return (
      !this.elements.hidesAny &&
      resourceTypes.every((type) => type === AUDIT_EVENT || this.allowsAll(type, right))
    );
  }

  /** Throws `forbidden` unless the right holds for all resources of all types. */
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

  /** Throws `forbidden` where no policy of the client allows the operation. */
  requireOperation(code: string): void {
    if (this.access.policies.length === 0) return;
    const allowed = this.#grants.policies.some(
      ({ operations }) =>
        operations === undefined || operations.includes(code) || operations.includes(ANY_TYPE),
    );
    if (!allowed)
      throw fhirError('forbidden', { reason: `No policy of this client allows the operation $${code}` });
  }

  /** Throws `forbidden` for a client without any permission. */
  requireAnything(): void {
    const isSomething = this.#grants.scopes.some(
      ({ context }) => this.#grants.recordsOf(context)?.length !== 0,
    );
    if (!isSomething && !this.access.isAuditor) throw this.missing(ANY_TYPE, 's');
  }

  missing(type: string, right: Right): FhirError {
    return fhirError('forbidden', { reason: this.#reasonAgainst(type, right) });
  }

  #reasonAgainst(type: string, right: Right): string {
    const { scopes, policies, account, user } = this.access;
    const needed = `${this.#grants.scopes[0]?.context ?? (account === undefined ? 'system' : 'user')}/${type}.${right}`;
    if (type === AUDIT_EVENT)
      return 'Only auditors and administrators can read audit records, and no client can change them';
    if (scopes.length === 0) return `This client has no scopes: the scope ${needed} is missing`;
    const { scopes: ofTypes, reach } = this.#grants;
    if (account !== undefined && ofTypes.length === 0) {
      if (user === undefined) return NO_IDENTITY;
      // The sign-in leaves out scopes by which the person reaches nothing.
      if (reach.kind === 'nothing') return reach.reason;
    }
    const held = type === ANY_TYPE ? this.#grants.scopes : this.#grants.scopesFor(type, right);
    if (held.some(({ context }) => this.#grants.wouldWiden(type, right, context)))
      return `${DECIDING.join(', ')} say whose records people reach: by patient/ and user/ scopes only a Practitioner or PractitionerRole writes them`;
    if (this.#grants.reach.kind === 'nothing' && held.some(({ context }) => context === 'user'))
      return this.#grants.reach.reason;
    if (READING.includes(right) && held.length > 0 && this.#grants.isClosed(type))
      return `The setting ${RECORD_OPENS} of this tenant does not open ${type} to grants for patients`;
    if (
      policies.length > 0 &&
      this.#grants.scopesOf(type, right).some((alternative) => alternative !== undefined)
    )
      return `The policies of this client do not allow ${needed}${this.#missingPolicies()}`;
    return `The scope ${needed} is missing`;
  }

  /** A client may name a policy before the tenant has it, and after it is removed. */
  #missingPolicies(): string {
    const missing = this.access.policies.filter(
      (policy) => !this.#grants.policies.some(({ name }) => name === policy),
    );
    return missing.length === 0 ? '' : `: the tenant has no policy ${missing.join(', ')}`;
  }

  /** Ids of the Patients to whose records a scope of the caller is bound; undefined: none is. */
  get boundTo(): readonly string[] | undefined {
    return this.#grants.boundTo;
  }

  /** True where the caller has a grant that is bound to patients. */
  get isForPatients(): boolean {
    return this.#grants.isForPatients;
  }
}
