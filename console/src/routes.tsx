/** The one table of screens: addresses, names, links of the navigation, and whose session a screen uses. */
import { lazy, type ComponentType } from 'react';
import {
  IconBinaryTree2,
  IconGraph,
  IconHome,
  IconListSearch,
  IconServer,
  IconSettings,
  IconTerminal2,
} from './layout/icons/icons';
import { signedInRelease } from './api/session';
import type { Screen, Section } from './layout/current-screen';
import {
  ADMINISTRATION,
  consolePath,
  fhirPath,
  operatorPath,
  ownAdministrationPath,
  screenPath,
  serverPath,
  tenantPath,
} from './place';
import { StartScreen } from './screens/start/start-screen';
import { texts } from './texts';

const { administration: words, common, resources, rest, server, terminology } = texts;
/** The parameters of the addresses. */
const TENANT = ':tenant';
const SPACE = { tenant: TENANT, release: ':release' };

const NotFoundScreen = lazy(() => import('./screens/not-found-screen'));

/** One of the screens that load together. */
const screenOf =
  <Name extends string>(load: () => Promise<Readonly<Record<Name, ComponentType>>>) =>
  (name: Name): ComponentType =>
    lazy(async (): Promise<{ default: ComponentType }> => ({ default: (await load())[name] }));

const fromTerminology = screenOf(() => import('./screens/terminology/screens'));
const fromAdministration = screenOf(() => import('./screens/administration/screens'));

const fromServer = screenOf(() => import('./screens/server/screens'));

const ServerFrame = lazy(() => import('./screens/server/server-frame'));
const TenantFrame = lazy(() => import('./screens/administration/tenant-frame'));

/** The screens of the administration of one tenant, which the operator and its own administrators have. */
function administrationOf({ pathOf, session }: Administration): readonly Screen[] {
  const ofTenant = (
    path: string,
    screen: ComponentType,
    names: Pick<Screen, 'title' | 'isTab'> = {},
  ): Screen => ({ path: pathOf(TENANT, path), screen, frame: TenantFrame, session, ...names });
  return [
    ofTenant('', fromAdministration('OverviewScreen'), { title: words.overview, isTab: true }),
    ofTenant('settings', fromAdministration('SettingsScreen'), { title: words.settings, isTab: true }),
    ofTenant('clients', fromAdministration('ClientsScreen'), { title: words.clients, isTab: true }),
    ofTenant('clients/new', fromAdministration('NewClientScreen'), { title: words.clientScreens.new }),
    ofTenant('clients/:client', fromAdministration('ClientScreen')),
    ofTenant('users', fromAdministration('UsersScreen'), { title: words.users, isTab: true }),
    ofTenant('users/new', fromAdministration('NewUserScreen'), { title: words.people.new }),
    ofTenant('users/:user', fromAdministration('UserScreen')),
    ofTenant('issuers', fromAdministration('IssuersScreen'), { title: words.issuers, isTab: true }),
    ofTenant('keys', fromAdministration('KeysScreen'), { title: words.keys, isTab: true }),
    ofTenant('policies', fromAdministration('PoliciesScreen'), { title: words.policies, isTab: true }),
    ofTenant('policies/:policy', fromAdministration('PolicyScreen')),
    ofTenant('access', fromAdministration('AccessScreen'), { title: words.whoMay, isTab: true }),
    ofTenant('audit', fromAdministration('AuditScreen'), { title: words.audit, isTab: true }),
    ofTenant('packages', fromAdministration('PackagesScreen'), { title: words.packages, isTab: true }),
    ofTenant('indexes', fromAdministration('IndexesScreen'), { title: words.indexes, isTab: true }),
    ofTenant('bulk', fromAdministration('BulkScreen'), { title: words.bulk, isTab: true }),
    ofTenant('subscriptions', fromAdministration('SubscriptionsScreen'), {
      title: words.subscriptions,
      isTab: true,
    }),
    ofTenant('give-access', fromAdministration('GiveAccessScreen'), {
      title: words.tenant.giveAccess,
    }),
    ofTenant('*', NotFoundScreen),
  ];
}

/** The screens of the server, which only its operator has. */
const SERVER_SCREENS: readonly Screen[] = (
  [
    ['', 'ServerScreen', server.overview],
    ['searches', 'SearchesScreen', server.searches],
    ['subscriptions', 'AllSubscriptionsScreen', server.subscriptions],
    ['jobs', 'OpenJobsScreen', server.jobs],
    ['settings', 'SettingsInForceScreen', server.settings],
  ] as const
).map(([path, screen, title]) => ({
  ...{ path: serverPath(path), screen: fromServer(screen), title, isTab: true },
  ...{ frame: ServerFrame, session: () => ADMINISTRATION },
}));

/** Where the screens of an administration are, and whose session they use. */
interface Administration {
  readonly pathOf: (tenant: string, screen: string) => string;
  readonly session: NonNullable<Screen['session']>;
}

const OPERATOR: Administration = { pathOf: operatorPath, session: () => ADMINISTRATION };
const OWN: Administration = {
  pathOf: ownAdministrationPath,
  session: ({ tenant, release }) => ({ tenant, release: signedInRelease(tenant, release) }),
};

export const SECTIONS: readonly Section[] = [
  {
    link: { title: common.start, icon: IconHome, path: ({ space }) => tenantPath(space.tenant) },
    screens: ['/', tenantPath(TENANT), consolePath(TENANT)].map((path) => ({
      path,
      screen: StartScreen,
      title: '',
    })),
  },
  {
    link: { title: resources.title, icon: IconListSearch, path: ({ space }) => fhirPath(space) },
    screens: [{ path: fhirPath(SPACE, '*'), screen: lazy(() => import('./screens/fhir-screen')) }],
  },
  {
    link: {
      title: terminology.title,
      icon: IconBinaryTree2,
      path: ({ space }) => screenPath(space, 'terminology'),
    },
    screens: [
      {
        path: screenPath(SPACE, 'terminology'),
        screen: fromTerminology('TerminologyHome'),
      },
      {
        path: screenPath(SPACE, 'terminology/:kind/:id'),
        screen: fromTerminology('DefinitionScreen'),
      },
    ],
  },
  {
    link: { title: common.graphiql, icon: IconGraph, path: ({ space }) => screenPath(space, 'graphiql') },
    screens: [
      { path: screenPath(SPACE, 'graphiql'), screen: lazy(() => import('./screens/graphiql-screen')) },
    ],
  },
  {
    link: { title: rest.title, icon: IconTerminal2, path: ({ space }) => screenPath(space, 'rest') },
    screens: [{ path: screenPath(SPACE, 'rest'), screen: lazy(() => import('./screens/rest/rest-screen')) }],
  },
  {
    link: { title: words.title, icon: IconSettings, path: ({ administration }) => administration },
    screens: [
      { path: operatorPath(), screen: fromAdministration('TenantsScreen'), session: OPERATOR.session },
      // The operator's come first: a tenant may have the name of a screen.
      ...administrationOf(OPERATOR),
      ...administrationOf(OWN),
    ],
  },
  {
    link: {
      title: server.title,
      icon: IconServer,
      path: ({ administration }) =>
        administration?.startsWith(operatorPath()) === true ? serverPath() : undefined,
    },
    screens: SERVER_SCREENS,
  },
  {
    screens: [
      {
        path: consolePath(TENANT, 'signed-in'),
        screen: lazy(() => import('./screens/signed-in-screen')),
      },
      { path: tenantPath(TENANT, '*'), screen: NotFoundScreen },
      { path: '*', screen: NotFoundScreen },
    ],
  },
];
