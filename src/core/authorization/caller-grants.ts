/** The grants of a caller: what its scopes, and the rules of its policies, give of each type (docs/run/access-rules.md). */
import { FhirError } from '../errors';
import { compartmentCriterion } from '../search/parameters/compartment';
import { parseCriterion } from '../search/criteria';
import type { Criterion } from '../search/predicate';
import type { SearchTypeContext } from '../search/types/search-type';
import type { Access } from '../context';
import { ElementRules } from './elements';
import { ACCESS, conditionsOf as conditionsOfSide, type Grant, type GrantSide, isBound } from './grant';
import type { Policy, PolicyRule } from './policy';
import { AUDIT_EVENT, PATIENT } from '../fhir/type-names';
import { isStaff } from './person';
import { referenceAccessOf, referencedCriteria } from './referenced';
import { ANY_TYPE, type Right, WRITING } from './right';
import { parseScope, type Scope } from './scope';
import { patientInContext, reachOf, type Reach } from './user-reach';

/** Types that determine which records a person may access; such a person must not write them. */
export const DECIDING: readonly string[] = ['Person', 'RelatedPerson', 'Group'];
export const READING: readonly Right[] = ['r', 's'];

/** Scopes with which a client learns who the user is, and reads that resource. */
const IDENTITY: readonly string[] = ['fhirUser', 'profile'];

/** Elements that nobody reads by a grant that is bound to patients. */
const SECRETS: readonly string[] = [
  'Endpoint.header',
  'Subscription.channel.header',
  'Subscription.channel.endpoint',
];

/** A tenant's rules for all of its clients. */
export interface TenantRules {
  readonly policies: readonly Policy[];
  /** Types that references of records open by the tenant's setting. */
  readonly openedTypes: readonly string[];
}

/** Undefined: the scope or rule grants nothing. */
type Alternative = Grant | undefined;

/** A criterion of a rule of a policy, with its grant. */
export interface RuleSource {
  readonly policy: string;
  /** The place of the rule in its policy, from 0. */
  readonly rule: number;
  /** Undefined: the rule has no criteria. */
  readonly query: PolicyRule['anyOf'][number] | undefined;
  readonly grant: Alternative;
}

export interface GrantSources {
  readonly scopes: readonly { readonly text: string; readonly grant: Alternative }[];
  /** Undefined: the caller has no policies, so that scopes alone decide. */
  readonly rules: readonly RuleSource[] | undefined;
}

/** Pure. The criteria of grants become conditions of searches. */
export class CallerGrants {
  readonly elements: ElementRules;
  /** Conditions by right and type; `null`: the right holds for no resource of the type. */
  readonly #conditions: Readonly<Record<Right, Map<string, readonly Criterion[] | null>>> = {
    c: new Map(),
    r: new Map(),
    u: new Map(),
    d: new Map(),
    s: new Map(),
  };
  readonly #boundSides = new Map<string, readonly GrantSide[]>();
  readonly scopes: readonly Scope[];
  /** The records that `user/` scopes cover. */
  readonly reach: Reach;
  readonly policies: readonly Policy[];
  readonly #openedTypes: readonly string[];

  constructor(
    readonly access: Access,
    /** With all search parameters of the space. */
    private readonly full: SearchTypeContext,
    { policies, openedTypes }: TenantRules,
  ) {
    this.scopes = access.scopes.flatMap((text) => parseScope(text) ?? []);
    this.reach = reachOf(access);
    this.policies = policies.filter(({ name }) => access.policies.includes(name));
    this.#openedTypes = openedTypes;
    const secrets = SECRETS.filter((path) => this.#keepsSecrets(path.slice(0, path.indexOf('.'))));
    this.elements = new ElementRules(full.definitions, this.policies, secrets);
  }

  /**
   * The grants for a write that are bound to patients, with those that may allow it in their place: by scopes, and by
   * policies. One of each side must allow the write. Empty: no grant that decides is bound.
   */
  boundSides(type: string, right: Right): readonly GrantSide[] {
    const key = `${right} ${type}`;
    let sides = this.#boundSides.get(key);
    if (sides === undefined) {
      sides = type === AUDIT_EVENT && right !== 'c' ? [] : this.#sidesOf(type, right).filter(isBound);
      this.#boundSides.set(key, sides);
    }
    return sides;
  }

  /**
   * Each scope, and each rule of a policy, that is about the right and the type, with its grant; undefined: it grants nothing. For
   * explanations: what they say is decided by the same grants as requests are.
   */
  sources(type: string, right: Right): GrantSources {
    const scopes = this.access.scopes.flatMap((text) => {
      const scope = parseScope(text);
      if (scope === undefined || !this.#isAbout(scope, type, right)) return [];
      return [{ text, grant: this.grantOf(scope, type, right) }];
    });
    const itself = this.#itself(type, right);
    return {
      scopes: itself === undefined ? scopes : [...scopes, { text: IDENTITY.join(' or '), grant: itself }],
      rules: this.access.policies.length === 0 ? undefined : this.#sourcesOfRules(type, right),
    };
  }

  conditionsOf(type: string, right: Right): readonly Criterion[] | null {
    const compiled = this.#conditions[right];
    let conditions = compiled.get(type);
    if (conditions === undefined) {
      conditions = this.#compile(type, right);
      compiled.set(type, conditions);
    }
    return conditions;
  }

  #compile(type: string, right: Right): readonly Criterion[] | null {
    if (type === AUDIT_EVENT && right !== 'c')
      return this.access.isAuditor && (right === 'r' || right === 's') ? [] : null;
    const conditions: Criterion[] = [];
    for (const side of this.#sidesOf(type, right)) {
      const ofSide = conditionsOfSide(side);
      if (ofSide === null) return null;
      conditions.push(...ofSide);
    }
    return conditions;
  }

  #sidesOf(type: string, right: Right): readonly GrantSide[] {
    const byScopes = [...this.scopesOf(type, right), this.#itself(type, right)];
    const sides = this.access.policies.length === 0 ? [byScopes] : [byScopes, this.#rulesOf(type, right)];
    return sides.map((side) => side.filter((grant) => grant !== undefined));
  }

  scopesOf(type: string, right: Right): Alternative[] {
    return this.scopesFor(type, right).map((scope) => this.grantOf(scope, type, right));
  }

  grantOf({ context, criteria }: Scope, type: string, right: Right): Alternative {
    if (this.wouldWiden(type, right, context)) return undefined;
    const patients = this.recordsOf(context);
    const within = this.#within(type, right, patients);
    const parsed = this.#parse(type, criteria);
    if (within === undefined || parsed === undefined) return undefined;
    return { criteria: [...within, ...parsed], patients };
  }

  /** The condition that a resource is the user, whom clients with the scope of the user's identity may read. */
  #itself(type: string, right: Right): Alternative {
    const [ownType, id] = this.access.user?.split('/') ?? [];
    if (right !== 'r' || type !== ownType || id === undefined) return undefined;
    if (!this.access.scopes.some((scope) => IDENTITY.includes(scope))) return undefined;
    return { criteria: [{ name: ACCESS, anyOf: [{ index: 'key', keys: [this.full.keyOf(type, id)] }] }] };
  }

  scopesFor(type: string, right: Right): Scope[] {
    return this.scopes.filter((scope) => this.#isAbout(scope, type, right));
  }

  #isAbout(scope: Scope, type: string, right: Right): boolean {
    return (scope.type === ANY_TYPE || scope.type === type) && scope.rights.has(right);
  }

  /** True if this write could let a person extend access to records. It is allowed for staff and for programs. */
  wouldWiden(type: string, right: Right, context: Scope['context']): boolean {
    if (!DECIDING.includes(type) || !WRITING.includes(right)) return false;
    const { user } = this.access;
    return !isStaff(user) && (user !== undefined || context !== 'system');
  }

  /** Ids of the Patients to whose records a scope of this context is limited; undefined: it has no such limit. */
  recordsOf(context: Scope['context']): readonly string[] | undefined {
    if (context === 'system') return undefined;
    if (context === 'patient') return patientInContext(this.access);
    if (this.reach.kind === 'tenant') return undefined;
    return this.reach.kind === 'patients' ? this.reach.ids : [];
  }

  /**
   * The condition that a resource belongs to one of the records; for reading and searching types that belong to none,
   * that a resource of the records refers to it that the caller may read. Undefined: no resource of the type can.
   */
  #within(
    type: string,
    right: Right,
    patients: readonly string[] | undefined,
  ): readonly Criterion[] | undefined {
    if (patients === undefined) return [];
    const belonging = this.#belonging(type, patients);
    if (belonging !== undefined || !READING.includes(right)) return belonging && [belonging];
    if (this.isClosed(type)) return undefined;
    const visible = { ...this.full, definitions: this.elements.definitions };
    const referenced = referencedCriteria(visible, type, patients, (source) => {
      const readable = this.conditionsOf(source, 'r');
      const inRecord = this.#belonging(source, patients);
      if (readable === null || inRecord === undefined) return undefined;
      const isSame = readable.length === 1 && JSON.stringify(readable[0]) === JSON.stringify(inRecord);
      return isSame ? readable : [inRecord, ...readable];
    });
    return referenced?.map((criterion) => ({ ...criterion, name: ACCESS }));
  }

  /** True where references of records would open the type only by a setting that the tenant has not. */
  isClosed(type: string): boolean {
    return (
      referenceAccessOf(this.full.definitions, type) === 'bySetting' && !this.#openedTypes.includes(type)
    );
  }

  /** The condition that a resource is in the compartment of one of the patients; undefined: none of the type is. */
  #belonging(type: string, patients: readonly string[]): Criterion | undefined {
    const criteria = patients.flatMap(
      (id) => compartmentCriterion(this.full, { type: PATIENT, id }, type) ?? [],
    );
    return criteria.length === 0
      ? undefined
      : { name: ACCESS, anyOf: criteria.flatMap(({ anyOf }) => anyOf) };
  }

  /** Ids of the Patients to whose records a scope of the caller is bound; undefined: none is. */
  get boundTo(): readonly string[] | undefined {
    const bound = this.scopes.flatMap(({ context }) => this.recordsOf(context) ?? []);
    return this.scopes.some((scope) => this.#isBoundScope(scope)) ? [...new Set(bound)] : undefined;
  }

  /** True where the caller has a grant that is bound to patients. */
  get isForPatients(): boolean {
    return (
      this.scopes.some((scope) => this.#isBoundScope(scope)) ||
      this.policies.some(({ rules }) => rules.some((rule) => this.#isBoundRule(rule)))
    );
  }

  #isBoundScope({ context }: Scope): boolean {
    return this.recordsOf(context) !== undefined;
  }

  #isBoundRule({ anyOf: queries }: PolicyRule): boolean {
    const isBoundQuery = (query: PolicyRule['anyOf'][number]): boolean =>
      this.#recordsOfRule(query.map(([, value]) => value)) !== undefined;
    return queries.length > 0 && queries.every(isBoundQuery);
  }

  /** True where the caller has grants that are bound to patients, and no other by which it reads the type. */
  #keepsSecrets(type: string): boolean {
    const reads = (types: readonly string[], rights: ReadonlySet<Right>): boolean =>
      (types.includes(ANY_TYPE) || types.includes(type)) && READING.some((right) => rights.has(right));
    const byScopes =
      this.scopes.some((scope) => this.#isBoundScope(scope)) &&
      !this.scopes.some((scope) => !this.#isBoundScope(scope) && reads([scope.type], scope.rights));
    const rules = this.policies.flatMap(({ rules: ofPolicy }) => ofPolicy);
    return (
      byScopes ||
      (rules.some((rule) => this.#isBoundRule(rule)) &&
        !rules.some((rule) => !this.#isBoundRule(rule) && reads(rule.types, rule.rights)))
    );
  }

  #rulesOf(type: string, right: Right): Alternative[] {
    return this.#sourcesOfRules(type, right).map(({ grant }) => grant);
  }

  #sourcesOfRules(type: string, right: Right): RuleSource[] {
    return this.policies.flatMap(({ name: policy, rules }) =>
      rules.flatMap(({ types, rights, anyOf: queries }, rule): RuleSource[] => {
        const isAbout = (types.includes(ANY_TYPE) || types.includes(type)) && rights.has(right);
        if (!isAbout) return [];
        if (queries.length === 0) return [{ policy, rule, query: undefined, grant: { criteria: [] } }];
        return queries.map((query) => {
          const filled = query.map(([name, value]) => [name, this.#fill(value)] as const);
          const criteria = this.#parse(type, filled);
          const patients = this.#recordsOfRule(query.map(([, value]) => value));
          return { policy, rule, query, grant: criteria && { criteria, patients } };
        });
      }),
    );
  }

  /** Ids of the Patients to whose records criteria with such values bind; undefined: to none. */
  #recordsOfRule(values: readonly string[]): readonly string[] | undefined {
    if (values.some((value) => value.includes('{patient}'))) return patientInContext(this.access);
    return values.some((value) => value.includes('{user}')) ? this.recordsOf('user') : undefined;
  }

  /** The value with its placeholders replaced; undefined where the token has no such user or patient. */
  #fill(value: string): string | undefined {
    const { user, patient } = this.access;
    const filled = value
      .replaceAll('{user}', user ?? '\0')
      .replaceAll('{patient}', patient === undefined ? '\0' : `${PATIENT}/${patient}`);
    return filled.includes('\0') ? undefined : filled;
  }

  /** Parses criteria for the type; criteria that are invalid for it grant nothing. */
  #parse(
    type: string,
    criteria: readonly (readonly [string, string | undefined])[],
  ): readonly Criterion[] | undefined {
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
