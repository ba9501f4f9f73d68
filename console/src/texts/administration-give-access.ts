/** Texts of the guided path on which an app gets access to one patient. */
export const administrationGiveAccess = {
  intro: 'Choose the patient, the app and the person. Everything can be changed later.',
  way: 'Who will use the data?',
  ways: {
    app: 'An app in which a person signs in',
    program: 'A program without a person',
  },
  wayHints: {
    app: 'The person signs in, agrees, and the app sees the record of this patient, and no other one.',
    program: 'A service or script signs in by itself. A policy restricts it to the record of this patient.',
  },
  patientStep: '1. The patient',
  patient: 'Patient',
  appStep: '2. The app',
  programStep: '2. The program',
  which: 'Which app?',
  newApp: 'A new app',
  appName: 'Name of the app',
  programName: 'Name of the program',
  redirects: 'Redirect addresses',
  redirectsHint: 'The developer of the app knows them. One a line, exactly as the app sends them.',
  rights: 'What may it do with the record?',
  read: 'Read and search',
  write: 'Read, search, create, update and delete',
  personStep: '3. The person who signs in',
  account: 'Which account?',
  newAccount: 'A new account for the patient',
  accountName: 'Name to sign in with',
  boundNote: (patient: string) => `Apps will open the record ${patient} for this account, without asking.`,
  otherPatient: (now: string) =>
    `This account opens the record ${now} today. That ends, and the person is signed out everywhere.`,
  ownRecord: (now: string) =>
    `This account is that of the patient ${now}. Choose another account, or make one for this patient.`,
  wrongRelease: 'This account belongs to the other release. Choose another account, or make a new one.',
  noPatientScopes:
    'This app has no scope that begins with patient/, so that it cannot see the record. Add one first.',
  policyNote:
    'The policy names the id of the patient. It applies to both releases: a patient with the same id in the other release is reached too.',
  definitionNeeded:
    'The server must tell what belongs to the record of a patient (CompartmentDefinition/patient), and you may not read this in the tenant. Sign in to the tenant with an account that may read its records, then try again.',
  submit: 'Give access',
  doneTitle: 'Access is given',
  doneApp: (app: string, patient: string) =>
    `${app} can now see the record ${patient} when the person signs in.`,
  doneProgram: (app: string, patient: string) =>
    `${app} can now see the record ${patient}, and no other one.`,
  person: 'For the person',
  personInvited: (name: string) => `The person signs in as ${name}, and sets the password by a link first.`,
  personExisting: (name: string) => `The person signs in as ${name}, with the same password as before.`,
  policy: 'Policy',
  policyMade: (name: string) => `The policy ${name} restricts the program.`,
  openClient: 'Open the client',
  again: 'Give access to another patient',
} as const;
