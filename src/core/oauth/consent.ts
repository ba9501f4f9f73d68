/** The consent of a person at sign-in: their identity in the data, the patient in context, and the scopes. */
import type { PatientChoice, SignInVisit } from '../api/sign-in';
import { PatientChoices, type PatientSource, type SigningInAccount } from '../authorization/patient-choice';
import { isStaff } from '../authorization/person';
import type { PersonPatients } from '../authorization/person-patients';
import { ADMINISTRATION, parseScope } from '../authorization/scope';
import { coversScope } from '../authorization/scope-cover';
import { ANY_PATIENT, usableScopes } from '../authorization/usable-scopes';
import { reachOf } from '../authorization/user-reach';
import type { TenantSpace } from '../context';
import { fhirError } from '../errors';
import { coversRelease, type Release } from '../fhir/release';
import type { SearchTypeContext } from '../search/types/search-type';
import type { StoredUser } from '../storage/accounts/user-accounts';
import type { GrantStore, LaunchContext } from '../storage/accounts/user-grants';
import { AuthorizationError, type AuthorizationRequest } from './authorization-request';
import { isConsole } from './console-client';
import { hashToken } from './random-token';
import { toWords } from './access-tokens';
import { PATIENT } from '../fhir/type-names';

export interface ConsentParts {
  readonly grants: GrantStore;
  readonly patients: PatientSource;
  readonly people: PersonPatients;
  findSpace(tenant: string, release: Release): Promise<TenantSpace | undefined>;
  searchContext(space: TenantSpace): SearchTypeContext;
}

export interface ConsentOffer {
  readonly person: SigningInAccount;
  /** The requested scopes that can allow something. */
  readonly scopes: readonly string[];
  /** Parts of them by conditions, of the client's scopes: the person may allow these in their place. */
  readonly parts: readonly string[];
  /** The Patient in context where it is certain. */
  readonly fixed?: PatientChoice;
  /** Set where the person must select a Patient. */
  readonly choices?: PatientChoices;
  /** The context of a launch from an EHR. */
  readonly launch?: LaunchContext;
}

/** Begins the names of the check boxes of scopes; each value is one or more scopes. */
const BOX = 'scopes-';

/** Scopes that say what a launch is about and allow nothing by themselves; they cannot be withdrawn. */
export function isAboutLaunch(scope: string): boolean {
  return scope === 'launch' || scope === 'launch/patient';
}

/** The scopes and parts of an offer that the form allows; a part of an allowed scope is left out. */
export function allowedScopes(
  form: ReadonlyMap<string, string>,
  { scopes, parts }: Pick<ConsentOffer, 'scopes' | 'parts'>,
): readonly string[] {
  const boxes = [...form].filter(([name]) => name.startsWith(BOX));
  const chosen = new Set(boxes.flatMap(([, value]) => toWords(value)));
  const allowed = scopes.filter((scope) => isAboutLaunch(scope) || chosen.has(scope));
  return [...allowed, ...parts.filter((part) => chosen.has(part) && !coversScope(allowed, part))];
}

/** Returns what the user may allow. Throws AuthorizationError where the account has nothing that the request needs. */
export async function offerOf(
  parts: ConsentParts,
  visit: SignInVisit,
  asked: AuthorizationRequest,
  user: StoredUser,
): Promise<ConsentOffer> {
  const person = await personOf(parts, visit, asked, user);
  const request = isConsole(asked.client) ? withoutImpossible(asked, person) : asked;
  requirePerson(request, person);
  const found = await patientOf(parts, visit, request, person);
  const patient = found.fixed?.id ?? (found.choices === undefined ? undefined : ANY_PATIENT);
  const { fhirUser, userPatients } = person;
  const holder = {
    ...(fhirUser === null ? {} : { user: fhirUser }),
    ...(patient === undefined ? {} : { patient }),
    userPatients: patient === ANY_PATIENT ? [...userPatients, patient] : userPatients,
    ...rightsOf(user, request.scopes),
  };
  const usable = (some: readonly string[]): readonly string[] =>
    usableScopes(parts.searchContext(person.space), holder, some);
  const scopes = usable(request.scopes);
  if (scopes.every(isAboutLaunch))
    throw new AuthorizationError('invalid_scope', 'None of the scopes grants anything here', request);
  const isPart = (scope: string): boolean =>
    (parseScope(scope)?.criteria.length ?? 0) > 0 && !scopes.includes(scope) && coversScope(scopes, scope);
  return { person, scopes, parts: usable(request.client.scopes.filter(isPart)), ...found };
}

/** The rights that a token with these scopes gives the user. */
export function rightsOf(
  { isAdministrator, isAuditor }: Pick<StoredUser, 'isAdministrator' | 'isAuditor'>,
  scopes: readonly string[],
): Pick<StoredUser, 'isAdministrator' | 'isAuditor'> {
  const isAllowed = scopes.includes(ADMINISTRATION);
  return { isAdministrator: isAdministrator && isAllowed, isAuditor: isAuditor && isAllowed };
}

/**
 * Returns the request of the console without the scopes that the person cannot have: who administers the server need not
 * be a person of the data.
 */
function withoutImpossible(
  request: AuthorizationRequest,
  { fhirUser, userPatients }: SigningInAccount,
): AuthorizationRequest {
  const hasReach = reachOf({ user: fhirUser ?? undefined, userPatients }).kind !== 'nothing';
  const { scopes } = request;
  return { ...request, scopes: scopes.filter((scope) => hasReach || parseScope(scope) === undefined) };
}

/** Returns the user's identity in the requested data. */
async function personOf(
  parts: ConsentParts,
  visit: SignInVisit,
  request: AuthorizationRequest,
  user: StoredUser,
): Promise<SigningInAccount> {
  const { release } = request;
  const space = await parts.findSpace(visit.space.tenant, release);
  if (space === undefined) throw fhirError('unknownTenant');
  const isOfRelease = coversRelease(user.release, release);
  const fhirUser = isOfRelease ? user.fhirUser : null;
  const patient = isOfRelease ? user.patient : null;
  const found = await parts.people.of(space, fhirUser ?? undefined);
  return { space, fhirUser, patient, userPatients: found?.ids ?? [] };
}

/** Throws AuthorizationError where the person has no identity in the data that allows the request. */
function requirePerson(
  request: AuthorizationRequest,
  { fhirUser, patient, userPatients }: SigningInAccount,
): void {
  const { scopes } = request;
  const asks = (isMeant: (scope: string) => boolean): boolean => scopes.some(isMeant);
  const refuse = (reason: string): never => {
    throw new AuthorizationError('access_denied', reason, request);
  };
  if (asks((scope) => parseScope(scope)?.context === 'user')) {
    const reach = reachOf({ user: fhirUser ?? undefined, userPatients });
    if (fhirUser !== null && reach.kind === 'nothing')
      refuse('The person of the account has access to no Patient of this release');
    if (reach.kind === 'nothing') refuse('The account has no person in this release');
  }
  const isAboutData = (scope: string): boolean =>
    /^launch(?:\/|$)/.test(scope) || parseScope(scope) !== undefined;
  if (fhirUser === null && patient === null && asks(isAboutData))
    refuse('The account has no person in this release');
}

/** The id of the only Patient whose record can be meant; undefined: there is none, or there are several. */
function ownPatientOf({ fhirUser, patient, userPatients }: SigningInAccount): string | undefined {
  const [type = '', id = ''] = fhirUser?.split('/') ?? [];
  const [onlyPatient, ...others] = type === PATIENT ? [id] : userPatients;
  return patient ?? (others.length === 0 ? onlyPatient : undefined);
}

/**
 * Returns the Patient in context: `fixed` where it is certain, `choices` where the user must select one, neither
 * where none is needed. Throws AuthorizationError.
 */
async function patientOf(
  parts: ConsentParts,
  visit: SignInVisit,
  request: AuthorizationRequest,
  person: SigningInAccount,
): Promise<Pick<ConsentOffer, 'fixed' | 'choices' | 'launch'>> {
  const { client, scopes, launch } = request;
  const refuse = (reason: string): never => {
    throw new AuthorizationError('access_denied', reason, request);
  };
  const choices = new PatientChoices(parts.patients, visit, client, person);
  const certain = async (id: string): Promise<PatientChoice> =>
    (await choices.find(id)) ?? refuse('The Patient does not exist, or is not allowed for this person');
  const context = launch === undefined ? undefined : await launchOf(parts, visit, request, launch);
  if (context !== undefined)
    return {
      launch: context,
      ...(context.patient === null ? {} : { fixed: await certain(context.patient) }),
    };
  const isNeeded =
    scopes.includes('launch/patient') || scopes.some((scope) => parseScope(scope)?.context === 'patient');
  if (!isNeeded) return {};
  const own = ownPatientOf(person);
  if (own !== undefined) return { fixed: await certain(own) };
  if (isStaff(person.fhirUser ?? undefined) || person.userPatients.length > 1) return { choices };
  return refuse('The account has no Patient');
}

async function launchOf(
  { grants }: ConsentParts,
  { space }: SignInVisit,
  request: AuthorizationRequest,
  launch: string,
): Promise<LaunchContext> {
  const context = await grants.findLaunch(space, hashToken(launch));
  if (context === undefined || context.client !== request.client.id || context.release !== request.release)
    throw new AuthorizationError('invalid_request', 'The launch is not good, or not any more', request);
  return context;
}
