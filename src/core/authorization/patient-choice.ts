/** The choice of a patient at sign-in: the Patients for which the user may open an app. */
import type { Interactions } from '../api/interactions';
import type { PatientChoice, SignInVisit } from '../api/sign-in';
import type { RequestContext, TenantSpace } from '../context';
import { FhirError } from '../errors';
import { isJsonObject, parseStoredObject, type JsonObject } from '../fhir/json';
import type { StoredClient } from '../storage/accounts/client-applications';
import { isValidId } from '../fhir/resource';
import { PATIENT } from '../fhir/type-names';

const MOST_SHOWN = 20;
const LONGEST_SEARCH = 100;

/** The interactions of core, authorized for the user and the client. */
export type PatientSource = Pick<Interactions, 'search' | 'read'>;

/** The resources of an account in the data of a release. */
export interface SigningInAccount {
  /** The space of the release. */
  readonly space: TenantSpace;
  readonly fhirUser: string | null;
  /** Id of the user's own Patient. */
  readonly patient: string | null;
  /** As `Access.userPatients`. */
  readonly userPatients: readonly string[];
}

export class PatientChoices {
  readonly #context: RequestContext;

  constructor(
    private readonly source: PatientSource,
    visit: SignInVisit,
    client: StoredClient,
    { space, fhirUser, patient, userPatients }: SigningInAccount,
  ) {
    this.#context = {
      space,
      actor: client.id,
      access: {
        client: client.id,
        ...(fhirUser === null ? {} : { user: fhirUser, userPatients }),
        ...(patient === null ? {} : { patient }),
        scopes: [patient === null ? 'user/Patient.rs' : 'patient/Patient.rs'],
        policies: client.policies,
        isAdministrator: false,
        isAuditor: false,
      },
      deadline: visit.deadline,
      requestId: visit.requestId,
      address: visit.address,
      log: visit.log,
    };
  }

  /** A Patient that the user may see; undefined: there is none of this id. */
  async find(id: string): Promise<PatientChoice | undefined> {
    if (!isValidId(id)) return undefined;
    try {
      return toChoice(id, (await this.source.read(this.#context, PATIENT, id)).text);
    } catch (error) {
      if (error instanceof FhirError && [403, 404, 410].includes(error.status)) return undefined;
      throw error;
    }
  }

  /** Up to twenty Patients by name, identifier or id; for an empty text the first twenty of all. */
  async search(text: string): Promise<readonly PatientChoice[]> {
    const searched = text.trim().slice(0, LONGEST_SEARCH);
    const value = searched.replace(/[\\,$|]/g, '\\$&');
    const ways = searched === '' ? [[]] : [[['name', value] as const], [['identifier', value] as const]];
    const found = new Map<string, PatientChoice>();
    const itself = searched === '' ? undefined : await this.find(searched);
    if (itself !== undefined) found.set(itself.id, itself);
    for (const way of ways) {
      const { matches } = await this.source.search(this.#context, {
        type: PATIENT,
        parameters: [...way, ['_count', String(MOST_SHOWN)]],
      });
      for (const { id, text: resource } of matches) found.set(id, toChoice(id, resource));
    }
    return [...found.values()].slice(0, MOST_SHOWN);
  }
}

function toChoice(id: string, text: string): PatientChoice {
  const { name: names, birthDate } = parseStoredObject(text);
  const name = Array.isArray(names)
    ? names
        .filter(isJsonObject)
        .map(toName)
        .find((each) => each !== '')
    : '';
  return {
    id,
    name: name === undefined || name === '' ? `Patient ${id}` : name,
    ...(typeof birthDate === 'string' ? { birthDate } : {}),
  };
}

function toName({ text, given, family }: JsonObject): string {
  if (typeof text === 'string') return text;
  const words = Array.isArray(given) ? given : [];
  return [...words, family].filter((word) => typeof word === 'string').join(' ');
}
