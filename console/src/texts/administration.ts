import { administrationAccess } from './administration-access';
import { administrationAudit } from './administration-audit';
import { administrationBulk } from './administration-bulk';
import { administrationClients } from './administration-clients';
import { administrationGiveAccess } from './administration-give-access';
import { administrationJobs } from './administration-jobs';
import { administrationPeople } from './administration-people';
import { administrationPolicies } from './administration-policies';
import { administrationSubscriptions } from './administration-subscriptions';

const STATUS: Readonly<Record<string, string>> = {
  active: 'Active',
  disabled: 'Disabled',
  importing: 'Being imported',
  deleting: 'Being removed',
};

/** The frame of the administration, its tenants and their settings. */
export const administration = {
  title: 'Administration',
  path: 'You are here',
  screens: 'Administration of the tenant',
  overview: 'Overview',
  settings: 'Settings',
  clients: 'Clients',
  users: 'Users',
  issuers: 'Identity providers',
  keys: 'Signing keys',
  policies: 'Policies',
  audit: 'Audit trail',
  whoMay: 'Access',
  packages: 'Packages',
  indexes: 'Indexes',
  bulk: 'Exports and imports',
  subscriptions: 'Subscriptions',
  access: {
    title: 'This needs the rights of an administrator',
    signIn:
      'Sign in with an account of the tenant "system" that has the right "administrator". One administers all tenants of the server.',
    signedIn: (name: string) =>
      `You are signed in to the tenant "system" as ${name}, an account without the right "administrator".`,
    own: (tenant: string) =>
      `Administrators of the tenant "${tenant}" sign in there, and administer it alone.`,
    ownButton: (tenant: string) => `Sign in to ${tenant}`,
    command: 'If there is no such account yet, create it on the machine of the server:',
    commandText:
      'npx --no-install andiron user create --tenant system --name admin --administrator --auditor',
    commandName: 'the command that creates an administrator',
    button: 'Sign in as an administrator',
    other: 'Sign in with another account',
    answer: 'The server says:',
  },
  form: {
    save: 'Save',
    saved: 'Saved',
    create: 'Create',
    add: 'Add',
    edit: 'Edit',
    actions: 'Actions',
    status: 'Status',
    created: 'Created',
    name: 'Name',
    active: 'Active',
    disabled: 'Disabled',
    none: 'None',
    enable: 'Enable',
    disable: 'Disable',
    remove: 'Remove',
  },
  tenants: {
    intro:
      'A tenant holds all data, programs, people and rules of one organization. No other tenant sees them.',
    caption: 'Tenants of this server',
    display: 'Name for people',
    open: (name: string) => `Administer ${name}`,
    new: 'New tenant',
    newName: 'Name in addresses',
    newNameHint: '1 to 63 of a-z, 0-9 and -. It is part of all addresses and never changes.',
    newDisplayHint: 'Optional. It can be changed later.',
    timeZone: 'Time zone',
    timeZoneHint:
      'Of dates without a zone: a name such as Europe/Copenhagen, or +hh:mm. It can never be changed. Empty: UTC.',
    status: (status: string) => STATUS[status] ?? status,
    data: 'Browse its records',
  },
  tenant: {
    tasks: 'What would you like to do?',
    giveAccess: 'Give an app access to one patient',
    giveAccessHint: 'A guided path: patient, app, person',
    addClient: 'Register an app or a program',
    addClientHint: 'Clients with scopes, redirect addresses and secrets',
    addUser: 'Add a person',
    addUserHint: 'An account to sign in with, with its identity in FHIR',
    seeAudit: 'See who did what',
    seeAuditHint: 'The audit trail with filters',
    import: 'Import an implementation guide',
    importHint: 'A package by name and version, or from a file',
    changeSettings: 'Change the settings',
    changeSettingsHint: 'Validation, searches, limits and quotas',
    usage: 'Usage',
    resources: 'Resources',
    resourcesHint: 'In both releases, without deleted ones',
    bytes: 'Stored text',
    bytesHint: 'Of all versions in both releases',
    about: 'About this tenant',
    rename: 'Name for people',
    renameHint: 'Empty: the name in addresses',
    disableTitle: (name: string) => `Disable ${name}?`,
    disableWords:
      'All requests to the tenant are answered as if it did not exist, within 2 seconds. Its data stay, and it can be enabled again at any time.',
    disableHint: 'A disabled tenant is not answered. Its data stay.',
    removeTitle: (name: string) => `Remove ${name} and all its data?`,
    removeHint:
      'Deletes the tenant with all its records, versions, clients, users and audit events, for ever.',
    removeWords:
      'This deletes all records with their versions, all clients, users, policies and audit events. It cannot be undone. Export the tenant first if anything of it may be needed.',
    removeType: (name: string) => `Type ${name} to confirm`,
    removeButton: 'Remove the tenant',
    removing: 'Removing …',
    removeProgress: (removed: string, left: string) => `${removed} rows removed, ${left} left`,
    removed: (name: string) => `The tenant ${name} and all its data are removed.`,
    systemStays: 'The tenant "system" administers the server. It can be neither disabled nor removed.',
    danger: 'Disable or remove',
  },
  settingsScreen: {
    intro:
      'What is set here applies to this tenant alone. Everything else is as the server was started. A change applies within 2 seconds.',
    own: 'Set for this tenant',
    default: 'Default of the server',
    defaultIs: (value: string) => `Default of the server: ${value}`,
    from: (setting: string) => `It comes from the server's setting ${setting}.`,
    fixed: 'Fixed when the tenant was created',
    ofOperator: 'The operator of the server sets it.',
    reset: 'Reset to the default',
    resetOf: (name: string) => `Reset to the default: ${name}`,
    saveOf: (name: string) => `Save ${name}`,
    saveAll: 'Save all changes',
    unsaved: (count: number) => (count === 1 ? '1 change is not saved' : `${count} changes are not saved`),
    discard: 'Discard',
    savedNames: (names: string) => `Saved: ${names}`,
    expects: (words: string) => `Takes ${words}.`,
    requireTitle: 'Require a second factor?',
    requireWords:
      'Within 2 seconds everybody who has no second factor is signed out, apps included, and so are you if you have none. Each person sets one up at the next sign-in.',
    requireAction: 'Require it',
    perClient: 'Rates of single clients',
    perClientHint: 'A client with a rate of its own is not limited by rate-limit-client.',
    perClientClient: 'Client',
    perClientRate: 'Rate',
    removeOf: (name: string) => `Remove the rate of ${name}`,
  },
  auditScreen: administrationAudit,
  accessScreen: administrationAccess,
  bulkScreen: administrationBulk,
  clientScreens: administrationClients,
  giveAccess: administrationGiveAccess,
  jobs: administrationJobs,
  people: administrationPeople,
  policyScreens: administrationPolicies,
  subscriptionScreens: administrationSubscriptions,
} as const;
