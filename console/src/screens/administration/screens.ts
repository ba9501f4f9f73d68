/** The screens of the administration, which load together. */
export { AuditScreen } from './audit/audit-screen';
export { ClientScreen } from './clients/client-screen';
export { ClientsScreen } from './clients/clients-screen';
export { NewClientScreen } from './clients/new-client-screen';
export { GiveAccessScreen } from './give-access/give-access-screen';
export { IndexesScreen } from './jobs/indexes-screen';
export { PackagesScreen } from './jobs/packages-screen';
export { IssuersScreen } from './people/issuers-screen';
export { KeysScreen } from './people/keys-screen';
export { NewUserScreen } from './people/new-user-screen';
export { UserScreen } from './people/user-screen';
export { UsersScreen } from './people/users-screen';
export { PoliciesScreen } from './policies/policies-screen';
export { PolicyScreen } from './policies/policy-screen';
export { OverviewScreen } from './tenants/overview-screen';
export { SettingsScreen } from './tenants/settings-screen';
export { TenantsScreen } from './tenants/tenants-screen';
