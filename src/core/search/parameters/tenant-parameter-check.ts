/**
 * Checks a SearchParameter of a tenant before it is stored. One that cannot be indexed and searched as it says is
 * rejected (https://hl7.org/fhir/R4/searchparameter.html).
 */
import { toIssue, type ErrorKey, type Issue } from '../../errors';
import type { Definitions, SearchParameterComponent, SearchParameterKind } from '../../fhir/definitions';
import { isJsonObject, type JsonObject, type JsonValue } from '../../fhir/json';
import { shorten } from '../../fhir/json/fault';
import {
  inspectPath,
  JsonNameError,
  PathAllowance,
  PathBudgetError,
  PathError,
  PathSyntaxError,
  UnsupportedPathError,
  type PathProperties,
} from '../../fhir/path';
import { isComponentKind, areEquivalent, splitUnion } from './parameter';
import { hasRowsOf } from '../rows/row-types';
import { isStorable, type ComponentKind } from '../rows/composite';
import { expressionFor, isElement } from './tenant-parameter-expression';
import {
  FIRST_TENANT_NUMBER,
  toDefinition,
  type SpaceParameters,
  type TenantParameter,
  type TenantParameterDefinition,
} from './tenant-parameter';

/**
 * Limits on the active SearchParameters of a space, and on those of one resource type, each with a bit in its heads.
 */
const MAX_OWNERS = 200;
const MAX_OF_TYPE = 64;
/** Limit on pairs of a resource type and a parameter; one that is based on Resource counts once for each type. */
const MAX_PAIRS = 2_000;
/** The longest expression of FHIR's own has some 1,200 characters, for all its resource types together. */
const MAX_EXPRESSION = 4_000;
const MAX_COMPONENTS = 3;
/** Limit on the characters of the expressions of one resource type, which are compiled at once: some 20 ms. */
const MAX_CHARACTERS_OF_TYPE = 40_000;
/** Limits on the steps of compiling one expression: by its characters, and for patterns of some 200 states. */
const STEPS_OF_CHARACTER = 5;
const STEPS_OF_PATTERNS = 5_000;

const ROOT = 'SearchParameter';
/** Excludes the characters with a meaning in parameter names: `:` before modifiers, `.` in chains. */
const CODE = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** A pair of a resource type and a parameter for registration; `resource_type` is the number of the type. */
export interface ParameterPair {
  readonly resource_type: number;
  readonly code: string;
  readonly url: string;
  readonly definition: TenantParameterDefinition;
}

export interface CheckedParameter {
  /** Empty for a parameter that is not active, which has no rows. */
  readonly pairs: readonly ParameterPair[];
  /** Reasons why it cannot be stored: it is not FHIRPath, contradicts itself or exceeds a limit; 422 each. */
  readonly issues: readonly Issue[];
  /** Reasons why it is stored without being searchable, at all or for some of its types. */
  readonly warnings: readonly Issue[];
}

/**
 * Checks `resource`, structurally a SearchParameter. Only an active one is checked completely; the expressions of
 * another one (a draft, a retired one) must be FHIRPath. A sound parameter that the server cannot search is stored with
 * a warning, because implementation guides contain such parameters. `others`: all of the space. Cost: below a
 * millisecond for a few types.
 */
export function checkTenantParameter(
  definitions: Definitions,
  id: string,
  resource: JsonObject,
  others: SpaceParameters | undefined,
): CheckedParameter {
  const check = new Check(definitions, id, resource, others?.list ?? []);
  if (resource['status'] === 'active') check.checkActive();
  else check.checkSyntax();
  const { issues, warnings } = check;
  return { pairs: issues.length > 0 ? [] : check.pairs, issues, warnings };
}

class Check {
  readonly pairs: ParameterPair[] = [];
  readonly issues: Issue[] = [];
  readonly warnings: Issue[] = [];

  constructor(
    private readonly definitions: Definitions,
    private readonly id: string,
    private readonly resource: JsonObject,
    private readonly others: readonly TenantParameter[],
  ) {}

  private refuse(reason: string, place: string, key: ErrorKey = 'ruleViolated'): void {
    this.issues.push(toIssue(key, { reason }, place === '' ? ROOT : `${ROOT}.${place}`));
  }

  /** Adds a warning for a parameter that is valid FHIR but cannot be searched here. */
  private leave(reason: string, place: string): void {
    const diagnostics = `${reason}; it is stored, but searches do not use it`;
    this.warnings.push({
      severity: 'warning',
      code: 'not-supported',
      diagnostics,
      expression: `${ROOT}.${place}`,
    });
  }

  checkSyntax(): void {
    const parts: readonly (readonly [JsonValue | undefined, string])[] = [
      [this.resource['expression'], 'expression'],
      ...objectsOf(this.resource['component']).map(
        ({ expression }, index) => [expression, `component[${index}].expression`] as const,
      ),
    ];
    for (const [expression, place] of parts) {
      if (typeof expression !== 'string') continue;
      try {
        inspectPath(expression, { definitions: this.definitions });
      } catch (error) {
        if (!(error instanceof PathError)) throw error;
        if (error instanceof PathSyntaxError)
          this.refuse(`The expression is not FHIRPath: ${error.message}`, place);
      }
    }
  }

  checkActive(): void {
    const kind = this.readKind();
    const code = this.readCode();
    const { expression, url, xpathUsage } = this.resource;
    if (xpathUsage !== undefined && xpathUsage !== 'normal')
      this.leave(`Search parameters of the usage '${textOf(xpathUsage)}' are not supported`, 'xpathUsage');
    if (typeof expression !== 'string')
      this.leave('A search parameter must have an expression', 'expression');
    else if (expression.length > MAX_EXPRESSION)
      this.refuse(
        `An expression may have at most ${MAX_EXPRESSION} characters, not ${expression.length}`,
        'expression',
      );
    else if (kind !== undefined && code !== undefined && typeof url === 'string') {
      const definition = this.readDefinition(kind, expression);
      const types = this.readTypes();
      // Other faults would only be repeated for each type.
      if (this.issues.length === 0 && this.warnings.length === 0)
        for (const { type, isNamed } of types) this.addPair(type, { isNamed, code, url, whole: definition });
      this.checkLimits();
    }
  }

  private readKind(): SearchParameterKind | undefined {
    const { type } = this.resource;
    if (isSearchable(type)) return type;
    this.leave(
      `Search parameters of the type '${textOf(type)}' are not supported: an expression does not define what they match`,
      'type',
    );
    return undefined;
  }

  private readCode(): string | undefined {
    const { code } = this.resource;
    if (typeof code === 'string' && CODE.test(code)) return code;
    this.leave(
      'The code of a search parameter of a tenant must have 1 to 64 of A-Z a-z 0-9 - _ and begin with a letter: it is the name in searches',
      'code',
    );
    return undefined;
  }

  /** Returns the concrete types; `isNamed`: named itself, and not as a kind of Resource or DomainResource. */
  private readTypes(): readonly { readonly type: string; readonly isNamed: boolean }[] {
    const { definitions } = this;
    const types = new Map<string, boolean>();
    for (const [index, base] of listOf(this.resource['base']).entries()) {
      const name = textOf(base);
      const structure = definitions.structure(name);
      if (definitions.isResourceType(name)) types.set(name, true);
      else if (structure?.kind === 'resource' && structure.isAbstract) {
        for (const type of definitions.resourceTypes)
          if (definitions.conformsTo(type, name) && !types.has(type)) types.set(type, false);
      } else
        this.refuse(
          `'${shorten(name)}' is not a resource type of FHIR ${definitions.fhirVersion}`,
          `base[${index}]`,
        );
    }
    return [...types].map(([type, isNamed]) => ({ type, isNamed }));
  }

  /** Returns the part that is the same for all types, with the whole expression. */
  private readDefinition(kind: SearchParameterKind, expression: string): TenantParameterDefinition {
    const { target, multipleOr, multipleAnd, comparator, modifier } = this.resource;
    const targets = listOf(target).map(textOf);
    for (const [index, type] of targets.entries()) {
      if (!this.definitions.isResourceType(type))
        this.refuse(
          `'${shorten(type)}' is not a resource type of FHIR ${this.definitions.fhirVersion}`,
          `target[${index}]`,
        );
    }
    return {
      kind,
      expression,
      targets: kind === 'reference' && targets.length === 0 ? this.definitions.resourceTypes : targets,
      components: kind === 'composite' ? this.readComponents() : [],
      multipleOr: multipleOr !== false,
      multipleAnd: multipleAnd !== false,
      comparators: listOf(comparator).map(textOf),
      modifiers: listOf(modifier).map(textOf),
    };
  }

  private readComponents(): readonly SearchParameterComponent[] {
    const components: SearchParameterComponent[] = [];
    const given = objectsOf(this.resource['component']);
    if (given.length < 2 || given.length > MAX_COMPONENTS)
      this.refuse(`A composite search parameter has 2 or ${MAX_COMPONENTS} components`, 'component');
    for (const [index, { definition, expression }] of given.entries()) {
      const url = textOf(definition).replace(/\|.*$/, '');
      const found = this.findByUrl(url);
      if (found === undefined)
        this.leave(`The search parameter ${shorten(url)} does not exist`, `component[${index}].definition`);
      else if (typeof expression !== 'string' || expression.length > MAX_EXPRESSION)
        this.refuse(
          `A component must have an expression of at most ${MAX_EXPRESSION} characters`,
          `component[${index}].expression`,
        );
      else components.push({ ...found, url, expression });
    }
    const kinds: ComponentKind[] = [];
    for (const { kind } of components) if (isComponentKind(kind)) kinds.push(kind);
    if (components.length === given.length && !(kinds.length === given.length && isStorable(kinds)))
      this.leave(
        `Composites of ${components.map(({ kind }) => kind).join(', ')} are not supported: the first part must be a token, reference or uri, and the others must not be composites`,
        'component',
      );
    return components;
  }

  /** Finds a search parameter of the space that is not being removed, or one of the release. */
  private findByUrl(url: string): { readonly code: string; readonly kind: SearchParameterKind } | undefined {
    const own = this.others.find((other) => other.url === url && other.state !== 'removing');
    if (own !== undefined) return { code: own.code, kind: own.definition.kind };
    return this.definitions.allSearchParameters.find((parameter) => parameter.url === url);
  }

  private addPair(
    type: string,
    {
      isNamed,
      code,
      url,
      whole,
    }: {
      readonly isNamed: boolean;
      readonly code: string;
      readonly url: string;
      readonly whole: TenantParameterDefinition;
    },
  ): void {
    const { definitions } = this;
    const expression = expressionFor(definitions, type, whole.expression);
    if (expression === undefined) {
      if (isNamed)
        this.refuse(`The expression selects nothing of ${type}, which is one of the bases`, 'expression');
      return;
    }
    const definition = { ...whole, expression };
    const builtIn = definitions.searchParameters(type).get(code);
    if (builtIn !== undefined) {
      const pair = { number: FIRST_TENANT_NUMBER, type, slot: 0, code, url, definition };
      // Implementation guides repeat parameters of FHIR, which need no registration.
      if (areEquivalent(toDefinition(definitions, pair), builtIn)) return;
      this.leave(
        `FHIR ${definitions.fhirVersion} has a search parameter '${code}' of ${type} that means something else`,
        'code',
      );
      return;
    }
    const other = this.others.find(
      (each) =>
        each.type === type && each.code === code && each.owner !== this.id && each.state !== 'removing',
    );
    if (other !== undefined) {
      this.leave(`SearchParameter/${other.owner} already has the code '${code}' of ${type}`, 'code');
      return;
    }
    const number = definitions.typeNumber(type);
    if (number === undefined || !this.checkExpressions(type, definition)) return;
    this.pairs.push({ resource_type: number, code, url, definition });
  }

  private get found(): number {
    return this.issues.length + this.warnings.length;
  }

  private checkExpressions(
    type: string,
    { kind, expression, components }: TenantParameterDefinition,
  ): boolean {
    const before = this.found;
    if (kind !== 'composite') {
      this.checkTypes(kind, this.inspect(expression, type, 'expression'), type, 'expression');
      return this.found === before;
    }
    for (const branch of splitUnion(expression).map((part) => part.trim())) {
      if (!isElement(this.definitions, branch)) {
        this.leave(
          `The expression of a composite must have plain paths, such as Observation or Observation.component; '${shorten(branch)}' is not one`,
          'expression',
        );
        continue;
      }
      for (const [index, component] of components.entries()) {
        const place = `component[${index}].expression`;
        const ofResource = component.expression.startsWith(OF_RESOURCE);
        const nature = ofResource
          ? this.inspect(component.expression.slice(OF_RESOURCE.length), type, place)
          : this.inspect(component.expression, branch, place);
        this.checkTypes(component.kind, nature, type, place);
      }
    }
    return this.found === before;
  }

  private inspect(expression: string, rootType: string, place: string): PathProperties | undefined {
    const { definitions } = this;
    try {
      const allowance = new PathAllowance(expression.length * STEPS_OF_CHARACTER + STEPS_OF_PATTERNS);
      const nature = inspectPath(expression, {
        definitions,
        rootType,
        isStrict: true,
        isFromClient: true,
        allowance,
      });
      if (nature.isTimeless) return nature;
      this.leave('The expression uses the current time: its result must depend on the resource alone', place);
    } catch (error) {
      if (!(error instanceof PathError)) throw error;
      const reason = `The expression cannot be used on ${rootType}: ${error.message}`;
      if (error instanceof PathBudgetError) this.refuse(reason, place, 'tooCostly');
      else if (error instanceof JsonNameError || error instanceof UnsupportedPathError)
        this.leave(reason, place);
      else this.refuse(reason, place);
    }
    return undefined;
  }

  private checkTypes(
    kind: SearchParameterKind,
    nature: PathProperties | undefined,
    type: string,
    place: string,
  ): void {
    const types = nature?.types;
    if (types === undefined || types.includes('Extension')) return;
    if (types.some((name) => hasRowsOf(this.definitions, kind, name))) return;
    const found = types.length === 0 ? 'nothing' : `values of the type ${types.join(', ')}`;
    this.refuse(`The expression returns ${found} for ${type}, which a ${kind} parameter cannot index`, place);
  }

  private checkLimits(): void {
    const others = this.others.filter(({ owner, state }) => owner !== this.id && state !== 'removing');
    if (this.pairs.length === 0) return;
    if (new Set(others.map(({ owner }) => owner)).size >= MAX_OWNERS)
      this.refuse(`At most ${MAX_OWNERS} search parameters may be active`, '', 'tooCostly');
    if (others.length + this.pairs.length > MAX_PAIRS)
      this.refuse(
        `Active search parameters may have at most ${MAX_PAIRS} pairs of a resource type and a code`,
        'base',
        'tooCostly',
      );
    for (const { resource_type: number, definition } of this.pairs) {
      const type = this.definitions.typeName(number);
      const ofType = others.filter((other) => other.type === type);
      if (ofType.length >= MAX_OF_TYPE) {
        const reason = `At most ${MAX_OF_TYPE} search parameters of ${type ?? ''} may be active`;
        this.refuse(reason, 'base', 'tooCostly');
      }
      const characters = ofType.reduce(
        (sum, other) => sum + lengthOf(other.definition),
        lengthOf(definition),
      );
      if (characters > MAX_CHARACTERS_OF_TYPE) {
        const reason = `The expressions of the active search parameters of ${type ?? ''} may have at most ${MAX_CHARACTERS_OF_TYPE} characters together, not ${characters}`;
        this.refuse(reason, 'expression', 'tooCostly');
      }
    }
  }
}

/** Returns the number of compiled characters; those of a component count for each branch of the whole expression. */
function lengthOf({ expression, components }: TenantParameterDefinition): number {
  const ofComponents = components.reduce((sum, component) => sum + component.expression.length, 0);
  return expression.length + (ofComponents === 0 ? 0 : ofComponents * splitUnion(expression).length);
}

const OF_RESOURCE = '%resource.';

const SEARCHABLE: readonly SearchParameterKind[] = [
  'number',
  'date',
  'string',
  'token',
  'reference',
  'composite',
  'quantity',
  'uri',
];

function isSearchable(type: JsonValue | undefined): type is SearchParameterKind {
  return SEARCHABLE.some((kind) => kind === type);
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return listOf(value).filter(isJsonObject);
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
