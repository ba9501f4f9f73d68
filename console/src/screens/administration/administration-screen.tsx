/** The screens of the administration and their addresses. */
import { Route, Routes } from 'react-router';
import NotFoundScreen from '../not-found-screen';
import { AuditScreen } from './audit/audit-screen';
import { ClientScreen } from './clients/client-screen';
import { ClientsScreen } from './clients/clients-screen';
import { NewClientScreen } from './clients/new-client-screen';
import { GiveAccessScreen } from './give-access/give-access-screen';
import { IndexesScreen } from './jobs/indexes-screen';
import { PackagesScreen } from './jobs/packages-screen';
import { IssuersScreen } from './people/issuers-screen';
import { KeysScreen } from './people/keys-screen';
import { NewUserScreen } from './people/new-user-screen';
import { UserScreen } from './people/user-screen';
import { UsersScreen } from './people/users-screen';
import { PoliciesScreen } from './policies/policies-screen';
import { PolicyScreen } from './policies/policy-screen';
import { TenantFrame } from './tenant-frame';
import { OverviewScreen } from './tenants/overview-screen';
import { SettingsScreen } from './tenants/settings-screen';
import { TenantsScreen } from './tenants/tenants-screen';

export default function AdministrationScreen() {
  return (
    <Routes>
      <Route index element={<TenantsScreen />} />
      <Route path=":tenant" element={<TenantFrame />}>
        <Route index element={<OverviewScreen />} />
        <Route path="settings" element={<SettingsScreen />} />
        <Route path="give-access" element={<GiveAccessScreen />} />
        <Route path="clients" element={<ClientsScreen />} />
        <Route path="clients/new" element={<NewClientScreen />} />
        <Route path="clients/:client" element={<ClientScreen />} />
        <Route path="users" element={<UsersScreen />} />
        <Route path="users/new" element={<NewUserScreen />} />
        <Route path="users/:user" element={<UserScreen />} />
        <Route path="issuers" element={<IssuersScreen />} />
        <Route path="keys" element={<KeysScreen />} />
        <Route path="policies" element={<PoliciesScreen />} />
        <Route path="policies/:policy" element={<PolicyScreen />} />
        <Route path="audit" element={<AuditScreen />} />
        <Route path="packages" element={<PackagesScreen />} />
        <Route path="indexes" element={<IndexesScreen />} />
        <Route path="*" element={<NotFoundScreen />} />
      </Route>
    </Routes>
  );
}
