/**
 * Explains what a caller may do, and why not: from the permissions of requests, the tests of resources and the guard of writes. It
 * decides nothing itself.
 */
import { didYouMean } from '../../../packages/fhir-values/closest-name';
import type {
  AccessExplanation,
  ExplainedAnswer,
  ExplainedGrant,
  ExplainedInteraction,
} from '../api/access-explanation';
import { FhirError, fhirError } from '../errors';
import type { RequestContext } from '../context';
import { parseStoredObject, type JsonObject } from '../fhir/json';
import { isValidId } from '../fhir/resource';
import { AUDIT_EVENT, PATIENT } from '../fhir/type-names';
import type { SearchServices } from '../ports';
import { compartmentOwners } from '../search/parameters/compartment';
import type { VersionRow } from '../storage/read/version-row';
import { inSpaceOf } from './audit-space';
import type { Grant } from './grant';
import type { RuleSource } from './caller-grants';
import type { Right } from './right';
import { visibilityOf, type Visibility } from './visibility';
import { presentFor, requireAllowed } from './write-guard';

/** Scopes and rules that a reason names; all of them are in `grants`. */
const MOST_NAMED = 3;

/** The rights that an interaction needs; the first is the one whose grants are shown. */
const RIGHTS: Readonly<Record<ExplainedInteraction, readonly [Right, ...Right[]]>> = {
  read: ['r'],
  search: ['s'],
  create: ['c'],
  update: ['u'],
  patch: ['u', 'r'],
  delete: ['d'],
};

export interface ExplainedResource {
  readonly type: string;
  readonly id: string | undefined;
  readonly interactions: readonly ExplainedInteraction[];
  /** What a create or update would write. */
  readonly content?: string | undefined;
}

/** `given` has the access that is explained, and the trail of who asks. Throws `invalidValue` for an unknown type, or a resource that does not exist. */
export async function explainAccess(
  services: SearchServices,
  given: RequestContext,
  { type, id, interactions, content }: ExplainedResource,
): Promise<Omit<AccessExplanation, 'who'>> {
  const context = inSpaceOf(given, type);
  const { space } = context;
  const definitions = services.definitions(space.release);
  const typeNumber = definitions.typeNumber(type);
  if (typeNumber === undefined || !definitions.isResourceType(type))
    throw fhirError('invalidValue', {
      reason: `'${type.slice(0, 64)}' is not a resource type${didYouMean(type, definitions.resourceTypes)}`,
    });
  const written = content === undefined ? undefined : contentOf(content, type, id);
  const visibility = visibilityOf(services, context);
  if (visibility === undefined) throw new Error('there is no access to explain');
  const { permissions } = visibility;
  const row =
    id === undefined
      ? undefined
      : await services.reader.current(space.number, { type: typeNumber, key: services.keys.keyOf(type, id) });
  if (id !== undefined && (row === undefined || row.change === 'delete'))
    throw fhirError('invalidValue', { reason: `${type}/${id} does not exist` });
  if (id !== undefined && row !== undefined) given.trail?.add(`${type}/${id}/_history/${row.version}`);
  const resource = row && parseStoredObject(row.body);
  const explained: Explained = { services, context, visibility, type, id, row, written };
  const answers: ExplainedAnswer[] = [];
  for (const interaction of interactions) answers.push(await answer(explained, interaction));
  const { hidden, readOnly } = permissions.elements.pathsOf(type);
  return {
    ...{ answers, hidden, readOnly, boundTo: permissions.boundTo },
    ...(resource === undefined || id === undefined
      ? {}
      : {
          hiddenHere: permissions.elements.pathsOf(type, resource).hidden,
          patients: ownersOf(explained, id, resource),
        }),
  };
}

interface Explained {
  readonly services: SearchServices;
  readonly context: RequestContext;
  readonly visibility: Visibility;
  readonly type: string;
  readonly id: string | undefined;
  readonly row: VersionRow | undefined;
  readonly written: WrittenContent | undefined;
}

/** A resource that would be written. */
interface WrittenContent {
  readonly text: string;
  readonly id: string;
}

/** Ids of resources that do not exist yet say nothing about them. */
const NEW_ID = 'new';

/** Throws `invalidValue` for what is no resource of the type, or another one than the question is about. */
function contentOf(text: string, type: string, id: string | undefined): WrittenContent {
  const { resourceType, id: own } = parseStoredObject(text);
  const isOther = id !== undefined && own !== undefined && own !== id;
  if (resourceType !== type || isOther)
    throw fhirError('invalidValue', {
      reason: `The resource must be ${id === undefined ? `a ${type}` : `${type}/${id}`}`,
    });
  return { text, id: id ?? (typeof own === 'string' && isValidId(own) ? own : NEW_ID) };
}

function ownersOf(
  { services, context: { space }, type }: Explained,
  id: string,
  resource: JsonObject,
): string[] {
  const definitions = services.definitions(space.release);
  return [...compartmentOwners(definitions, PATIENT, { type, id, resource }, services.references(space))];
}

async function answer(explained: Explained, interaction: ExplainedInteraction): Promise<ExplainedAnswer> {
  const { visibility, type, row } = explained;
  const { permissions } = visibility;
  const rights = RIGHTS[interaction];
  const grants = await grantsOf(explained, rights[0]);
  const missing = rights.find((right) => !permissions.allows(type, right));
  const no = (reason: string): ExplainedAnswer => ({ interaction, allowed: 'no', reason, grants });
  if (missing !== undefined) return no(textOf(permissions.missing(type, missing)));
  if (
    explained.written !== undefined &&
    (interaction === 'create' || (interaction === 'update' && row !== undefined))
  ) {
    const fault =
      (await storedFaultOf(explained, interaction)) ??
      (await faultOfContent(explained, explained.written, interaction));
    if (fault !== undefined) return no(fault === '' ? againstAll(explained, grants) : fault);
    return { interaction, allowed: 'yes', reason: `The resource meets the conditions of the grants`, grants };
  }
  if (row === undefined || interaction === 'create') {
    const isAll = rights.every((right) => permissions.conditions(type, right).length === 0);
    const reason = isAll
      ? `Every ${type}`
      : `Those of ${type} that meet the conditions of ${wordsOf(grants.filter(({ allows }) => allows !== 'none'))}`;
    return { interaction, allowed: isAll ? 'yes' : 'some', reason, grants };
  }
  const fault = await faultOf(explained, interaction, row);
  if (fault !== undefined) return no(fault === '' ? againstAll(explained, grants) : fault);
  return {
    interaction,
    allowed: 'yes',
    reason: `Allowed by ${wordsOf(grants.filter(({ allows }) => allows === 'all'))}`,
    grants,
  };
}

/** Why requests would be refused; empty: the resource does not exist for the caller. Undefined: they would not. */
async function faultOf(
  { services, context, visibility, type }: Explained,
  interaction: ExplainedInteraction,
  row: VersionRow,
): Promise<string | undefined> {
  if (interaction === 'read' || interaction === 'search' || interaction === 'create') {
    const [right] = RIGHTS[interaction];
    return (await visibility.seesCurrent(type, right, context.space.number, row)) ? undefined : '';
  }
  if (type === AUDIT_EVENT) return 'No AuditEvent can be changed';
  try {
    const present = await presentFor(services, context, { intent: interaction, type, mustExist: false }, row);
    return present === undefined ? '' : undefined;
  } catch (error) {
    if (error instanceof FhirError && error.key === 'forbidden') return textOf(error);
    throw error;
  }
}

function storedFaultOf(explained: Explained, interaction: ExplainedInteraction): Promise<string | undefined> {
  const { row } = explained;
  return interaction === 'create' || row === undefined
    ? Promise.resolve(undefined)
    : faultOf(explained, interaction, row);
}

/** Why the content would be refused; undefined: it would not. */
async function faultOfContent(
  { services, context, type, row }: Explained,
  { text, id }: WrittenContent,
  interaction: 'create' | 'update',
): Promise<string | undefined> {
  const isCreate = interaction === 'create';
  const before = isCreate ? undefined : row?.body;
  try {
    const key = services.keys.keyOf(type, id);
    await requireAllowed(services, context, isCreate ? 'c' : 'u', { type, key, text, before });
    return undefined;
  } catch (error) {
    if (error instanceof FhirError && error.key === 'forbidden') return textOf(error);
    throw error;
  }
}

/** The sentence about a resource that no grant reaches. */
function againstAll({ type, id = '' }: Explained, grants: readonly ExplainedGrant[]): string {
  const scopes = grants.filter(({ policy }) => policy === undefined);
  const isByScopes = scopes.some(({ allows }) => allows !== 'none');
  const side = isByScopes ? grants.filter(({ policy }) => policy !== undefined) : scopes;
  return `${type}/${id} does not meet the conditions of ${wordsOf(side)}: for this caller it does not exist`;
}

async function grantsOf(explained: Explained, right: Right): Promise<readonly ExplainedGrant[]> {
  const { visibility, type } = explained;
  if (type === AUDIT_EVENT && right !== 'c') return [];
  const { scopes, rules = [] } = visibility.permissions.sources(type, right);
  const grants: ExplainedGrant[] = [];
  for (const { text, grant } of scopes)
    grants.push({ grant: text, allows: await allowsBy(explained, grant) });
  for (const source of rules)
    grants.push({
      ...{ grant: wordsOfRule(source), policy: source.policy, rule: source.rule + 1 },
      allows: await allowsBy(explained, source.grant),
    });
  return grants;
}

async function allowsBy(
  { visibility, context, type, row }: Explained,
  grant: Grant | undefined,
): Promise<ExplainedGrant['allows']> {
  if (grant === undefined) return 'none';
  if (grant.criteria.length === 0) return 'all';
  if (row === undefined) return 'some';
  // A policy may have many rules, of which each may need a statement.
  if (Date.now() > context.deadline) throw fhirError('timeout');
  const met = await visibility.meeting(grant.criteria, type, context.space.number, [row]);
  return met.has(row) ? 'all' : 'none';
}

function wordsOfRule({ query }: RuleSource): string {
  return query === undefined
    ? 'without conditions'
    : query.map(([name, value]) => `${name}=${value}`).join('&');
}

function wordsOf(grants: readonly ExplainedGrant[]): string {
  if (grants.length === 0) return 'the rights of auditors and administrators';
  const words = grants.map(({ grant, policy, rule = 0 }) =>
    policy === undefined ? `the scope ${grant}` : `rule ${rule} of the policy ${policy} (${grant})`,
  );
  const all = [...new Set(words)];
  const more = all.length - MOST_NAMED;
  return more <= 0 ? all.join(', ') : `${all.slice(0, MOST_NAMED).join(', ')} and ${more} more`;
}

function textOf(error: FhirError): string {
  return error.message;
}
