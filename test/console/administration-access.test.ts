import {
  bindAccount,
  hasPatientScopes,
  newAccount,
  newApp,
  newProgram,
  problemOf,
  suggestName,
  type AccessDraft,
} from '../../console/src/screens/administration/give-access/access-draft';
import {
  patientPolicy,
  patientPolicyName,
} from '../../console/src/screens/administration/give-access/patient-policy';
import {
  endsSessions,
  userChangesOf,
  userDraftOf,
} from '../../console/src/screens/administration/people/draft';
import { toFound, toQueries } from '../../console/src/fhir/find-people';
import { makePassword } from '../../console/src/screens/administration/people/password';
import { printScopeMap, readScopeMap } from '../../console/src/screens/administration/people/scope-map';

const DRAFT: AccessDraft = {
  way: 'app',
  release: 'r4',
  patient: 'ann',
  client: '',
  name: ' Growth chart ',
  redirectUris: 'https://app.example/back\n',
  canWrite: false,
  user: '',
  userName: 'ann',
  email: '',
};
const USER = {
  id: 'u1',
  name: 'dora',
  display: 'Dr. Dora Doe',
  created: '2026-11-28T00:00:00Z',
  disabled: false,
  release: 'r4',
  fhirUser: 'Practitioner/doc',
  patient: null,
  administrator: false,
  auditor: false,
  secondFactor: false,
} as const;

describe('Access to one patient', () => {
  it('is given to an app by scopes of the patient, without a secret', () => {
    expect(newApp(DRAFT)).toEqual({
      name: 'Growth chart',
      public: true,
      redirectUris: ['https://app.example/back'],
      scopes: ['openid', 'fhirUser', 'launch/patient', 'patient/*.rs', 'offline_access'],
    });
    expect(newApp({ ...DRAFT, canWrite: true }).scopes).toContain('patient/*.cruds');
  });

  it('is given to a program by a policy', () => {
    expect(newProgram(DRAFT, 'patient-ann')).toEqual({
      name: 'Growth chart',
      scopes: ['system/*.rs'],
      policies: ['patient-ann'],
    });
  });

  it('needs an account that is the patient', () => {
    expect(newAccount(DRAFT, 'Ann Lee')).toEqual({
      name: 'ann',
      display: 'Ann Lee',
      release: 'r4',
      fhirUser: 'Patient/ann',
    });
  });

  it('binds an account that exists to the patient', () => {
    expect(bindAccount(USER, 'ann')).toEqual({ patient: 'ann' });
    expect(bindAccount({ ...USER, fhirUser: null }, 'ann')).toEqual({ fhirUser: 'Patient/ann' });
    expect(bindAccount({ ...USER, fhirUser: 'Patient/ann', patient: 'bob' }, 'ann')).toEqual({
      patient: null,
    });
  });

  it('says why an account cannot have it, and what changes', () => {
    expect(problemOf(USER, DRAFT)).toBeUndefined();
    expect(problemOf({ ...USER, patient: 'bob' }, DRAFT)).toBe('otherPatient');
    expect(problemOf({ ...USER, fhirUser: 'Patient/bob' }, DRAFT)).toBe('ownRecord');
    expect(problemOf({ ...USER, release: 'r4b' }, DRAFT)).toBe('wrongRelease');
    expect(problemOf({ ...USER, release: 'both' }, { ...DRAFT, release: 'r4b' })).toBeUndefined();
  });

  it('needs an app with scopes of a patient', () => {
    expect(hasPatientScopes(['openid', 'user/*.rs'])).toBe(false);
    expect(hasPatientScopes(['patient/Observation.rs?category=laboratory'])).toBe(true);
  });

  it('suggests a name to sign in with', () => {
    expect(suggestName('Peter James Chalmers')).toBe('peter.james.chalmers');
    expect(suggestName('Zoë Müller-Lüdenscheidt')).toBe('zoe.muller.ludenscheidt');
    expect(suggestName('')).toBe('');
  });
});

describe('The policy of one patient', () => {
  const compartment = {
    resourceType: 'CompartmentDefinition',
    resource: [
      { code: 'Account', param: ['subject'] },
      { code: 'Condition', param: ['patient', 'asserter'] },
      { code: 'AllergyIntolerance', param: ['asserter', 'patient'] },
      { code: 'Patient', param: ['link'] },
      { code: 'Device' },
      { code: 'Binary', param: [] },
    ],
  };

  it('reaches the patient and the compartment, and shares rules of types with the same parameters', () => {
    expect(patientPolicy(compartment, 'ann', 'rs')).toEqual({
      rules: [
        { types: ['Patient'], interactions: 'rs', criteria: ['_id=ann'] },
        { types: ['Account'], interactions: 'rs', criteria: ['subject=Patient/ann'] },
        {
          types: ['Condition', 'AllergyIntolerance'],
          interactions: 'rs',
          criteria: ['asserter=Patient/ann', 'patient=Patient/ann'],
        },
      ],
    });
  });

  it('has a name of at most 64 characters', () => {
    expect(patientPolicyName('ann', 1)).toBe('patient-ann');
    expect(patientPolicyName('ann', 2)).toBe('patient-ann-2');
    expect(patientPolicyName('a'.repeat(64), 12)).toMatch(/^patient-a+-12$/);
    expect(patientPolicyName('a'.repeat(64), 12)).toHaveLength(64);
  });
});

describe('The form of an account', () => {
  it('shows who the person is, and stores nothing else when nothing is changed', () => {
    const draft = userDraftOf(USER);
    expect(draft).toMatchObject({ type: 'Practitioner', id: 'doc', patient: '' });
    expect(userChangesOf(draft, USER)).toEqual({
      name: 'dora',
      display: 'Dr. Dora Doe',
      release: 'r4',
      fhirUser: 'Practitioner/doc',
      patient: null,
    });
    expect(endsSessions(draft, USER)).toBe(false);
    expect(endsSessions({ ...draft, patient: 'ann' }, USER)).toBe(true);
  });

  it('sends the rights that change', () => {
    const draft = { ...userDraftOf(USER), isAdministrator: true };
    expect(userChangesOf(draft, USER)).toMatchObject({ administrator: true });
    expect(userChangesOf(draft, USER)).not.toHaveProperty('auditor');
  });

  it('makes passwords that differ, are long enough and can be typed', () => {
    const passwords = new Set(Array.from({ length: 50 }, makePassword));
    expect(passwords.size).toBe(50);
    for (const password of passwords)
      expect(password).toMatch(/^(?:[a-km-zA-HJ-NP-Z2-9]{5}-){3}[a-km-zA-HJ-NP-Z2-9]{5}$/);
  });
});

describe('The choice of a person', () => {
  it('finds parts of a name, an id or an identifier', () => {
    expect(toQueries('Patient', 'peter chal')).toEqual(['name=peter&name=chal']);
    expect(toQueries('Patient', 'f001')).toEqual(['name=f001', '_id=f001', 'identifier=f001']);
    expect(toQueries('PractitionerRole', 'doe')[0]).toBe('practitioner.name=doe');
    expect(toQueries('Patient', '')).toEqual(['_sort=-_lastUpdated']);
  });

  it('takes characters with a meaning in searches as they are', () => {
    expect(toQueries('Patient', 'a,b')).toEqual(['name=a%5C%2Cb', 'identifier=a%5C%2Cb']);
  });

  it('tells people of the same name apart', () => {
    const record = {
      resourceType: 'Patient',
      id: 'ann',
      name: [{ given: ['Ann'], family: 'Lee' }],
      gender: 'female',
      birthDate: '1974-12-25',
    };
    const { title, details } = toFound(record);
    expect(title).toBe('Ann Lee');
    expect(details).toMatch(/^female · .*1974.* · ann$/);
  });
});

describe('The meaning of claims of an identity provider', () => {
  it('is written a line each', () => {
    const map = { doctors: ['user/*.cruds', 'openid'], nurses: ['user/*.rs'] };
    expect(printScopeMap(map)).toBe('doctors = user/*.cruds openid\nnurses = user/*.rs');
    expect(readScopeMap(' doctors=user/*.cruds  openid\n\nnurses = user/*.rs\n')).toEqual(map);
  });
});
