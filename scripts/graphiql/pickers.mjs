/** The fields that show the tenant and release of the page, and switch to others. */
import { createElement, useState } from 'react';
import { lastHeaders } from './fetcher.mjs';
import { consoleAddress, docsAddress, gatewayAddress, place, tenantsAddress } from './place.mjs';

const RELEASES = ['r4', 'r4b'];

/** Lists the tenants to administrators only; other users write the name. */
async function listTenants() {
  const response = await fetch(tenantsAddress, { headers: lastHeaders }).catch(() => undefined);
  if (!response?.ok) return [];
  const { tenants } = await response.json();
  return tenants.map(({ name }) => name);
}

async function go(input, tenant, release) {
  const address = gatewayAddress(tenant, release);
  const page = await fetch(address, { headers: { accept: 'text/html' } }).catch(() => undefined);
  if (page?.ok) return window.location.assign(address);
  input.setCustomValidity(`There is no tenant ${tenant}`);
  input.reportValidity();
}

export function Pickers() {
  const [tenants, setTenants] = useState([place.tenant]);
  const [isListed, setListed] = useState(false);
  const list = async () => {
    if (isListed) return;
    setListed(true);
    const found = await listTenants();
    if (found.length > 0) setTenants(found);
  };
  const leaveFor = (event) => {
    event.preventDefault();
    const { tenant, release } = event.currentTarget.form?.elements ?? event.currentTarget.elements;
    const name = tenant.value.trim() || place.tenant;
    if (name !== place.tenant || release.value !== place.release) void go(tenant, name, release.value);
  };
  return createElement(
    'form',
    { className: 'andiron-place', onSubmit: leaveFor },
    createElement(
      'a',
      { className: 'andiron-name', href: consoleAddress, title: 'The console' },
      createElement('img', { src: document.querySelector('link[rel=icon]').href, alt: '' }),
      'Andiron',
    ),
    createElement('input', {
      name: 'tenant',
      'aria-label': 'Tenant',
      title: 'Tenant: write a name and press Enter',
      list: 'andiron-tenants',
      defaultValue: place.tenant,
      autoComplete: 'off',
      spellCheck: false,
      size: 12,
      placeholder: place.tenant,
      onFocus(event) {
        // The list has the names that begin with the text.
        event.currentTarget.value = '';
        void list();
      },
      onBlur(event) {
        event.currentTarget.value ||= place.tenant;
      },
      onChange(event) {
        event.currentTarget.setCustomValidity('');
        // The name was chosen from the list.
        if (!event.nativeEvent.inputType || event.nativeEvent.inputType === 'insertReplacementText')
          leaveFor(event);
      },
    }),
    createElement(
      'datalist',
      { id: 'andiron-tenants' },
      tenants.map((name) => createElement('option', { key: name, value: name })),
    ),
    createElement(
      'select',
      { name: 'release', 'aria-label': 'Release', defaultValue: place.release, onChange: leaveFor },
      RELEASES.map((name) => createElement('option', { key: name, value: name }, name.toUpperCase())),
    ),
    createElement('a', { className: 'andiron-docs', href: docsAddress }, 'Docs'),
  );
}
