/** A tenant's policies: types, interactions, criteria on resources, and elements. */
import { type PolicyDefinition } from '../api/policy';
import { fhirError } from '../errors';
import { parseQueryText, type QueryParameter } from '../fhir/query-text';
import { parseRights, type Right } from './right';

export interface PolicyRule {
  /** `*`: all. */
  readonly types: readonly string[];
  readonly rights: ReadonlySet<Right>;
  /** A resource must meet all parameters of one query; empty: all resources. `{user}` and `{patient}` come from the token. */
  readonly anyOf: readonly (readonly QueryParameter[])[];
}

export interface Policy {
  readonly name: string;
  readonly rules: readonly PolicyRule[];
  /** Codes without `$`; undefined: all. The rules still apply to the reads and writes of operations. */
  readonly operations?: readonly string[] | undefined;
  /** `Type.element`, `Type.element.element`. */
  readonly hidden: readonly string[];
  readonly readOnly: readonly string[];
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const MEMBERS: ReadonlySet<string> = new Set(['rules', 'operations', 'hidden', 'readOnly']);
const RULE_MEMBERS: ReadonlySet<string> = new Set(['types', 'interactions', 'criteria']);
/** Limit of each list. */
const MOST = 200;

/** Throws `invalidValue`. */
export function requirePolicyName(name: string): void {
  if (NAME.test(name)) return;
  throw fhirError('invalidValue', { reason: 'The name of a policy has 1 to 64 of A-Z a-z 0-9 . _ -' });
}

/** Parses the stored policies of a tenant. */
export function parsePolicies(text: string): readonly Policy[] {
  const all: unknown = JSON.parse(text);
  return Object.entries(asObject(all, '')).map(([name, definition]) => readPolicy(name, definition).policy);
}

/** Validates a policy; returns its definition and the parsed policy. Throws `invalidValue`, with the path of the error. */
export function readPolicy(
  name: string,
  given: unknown,
): { readonly definition: PolicyDefinition; readonly policy: Policy } {
  const members = asObject(given, '');
  requireMembers(members, MEMBERS, 'A policy', '');
  const { rules } = members;
  if (!Array.isArray(rules) || rules.length > MOST)
    throw refused(`"rules" is a list of at most ${MOST} rules`, 'rules');
  const list = (member: string): readonly string[] | undefined =>
    members[member] === undefined ? undefined : texts(member, members[member]);
  const [operations, hidden, readOnly] = [list('operations'), list('hidden'), list('readOnly')];
  const definition = {
    rules: rules.map((rule: unknown, index) => readRule(rule, `rules[${index}]`)),
    ...(operations && { operations }),
    ...(hidden && { hidden }),
    ...(readOnly && { readOnly }),
  };
  return { definition, policy: parsePolicy(name, definition) };
}

function readRule(rule: unknown, place: string): PolicyDefinition['rules'][number] {
  const members = asObject(rule, place);
  requireMembers(members, RULE_MEMBERS, 'A rule', place);
  const { types, interactions, criteria } = members;
  if (typeof interactions !== 'string' || parseRights(interactions) === undefined)
    throw refused('"interactions" is some of the letters cruds, in that order', `${place}.interactions`);
  return {
    types: texts(`${place}.types`, types),
    interactions,
    ...(criteria === undefined ? {} : { criteria: texts(`${place}.criteria`, criteria) }),
  };
}

function parsePolicy(name: string, definition: PolicyDefinition): Policy {
  const { rules, operations, hidden = [], readOnly = [] } = definition;
  return { name, rules: rules.map(parseRule), operations: operations?.map(withoutDollar), hidden, readOnly };
}

function parseRule(
  { types, interactions, criteria = [] }: PolicyDefinition['rules'][number],
  index: number,
): PolicyRule {
  const anyOf = criteria.map((text, place) => {
    const query = parseQueryText(text);
    if (query.length === 0 || query.some(([, value]) => value === ''))
      throw refused(
        'each of "criteria" must have a condition, as in category=laboratory',
        `rules[${index}].criteria[${place}]`,
      );
    return query;
  });
  return { types, rights: parseRights(interactions) ?? new Set(), anyOf };
}

function withoutDollar(code: string): string {
  return code.startsWith('$') ? code.slice(1) : code;
}

function texts(member: string, value: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [undefined];
  const found = list.filter((each) => typeof each === 'string');
  if (found.length !== list.length || found.length > MOST)
    throw refused(`it is a list of at most ${MOST} texts`, member);
  return found;
}

function asObject(value: unknown, place: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  const reason = 'it is a JSON object with "rules", and "operations", "hidden" or "readOnly" if wanted';
  throw refused(place === '' ? reason : 'a rule is a JSON object', place);
}

function requireMembers(
  members: Readonly<Record<string, unknown>>,
  allowed: ReadonlySet<string>,
  what: string,
  place: string,
): void {
  const other = Object.keys(members).find((name) => !allowed.has(name));
  if (other !== undefined)
    throw refused(`${what} has no member "${other.slice(0, 40)}"; it has ${[...allowed].join(', ')}`, place);
}

/** `place`: a path within the policy; empty for the policy itself. */
function refused(reason: string, place: string): Error {
  const details = { reason: `This is not a policy: ${place === '' ? '' : `${place}: `}${reason}` };
  return fhirError('invalidValue', details, place === '' ? undefined : place);
}
