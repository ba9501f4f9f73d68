/** docs/reference/configuration.md, from the tables of settings. */
import { cell, code, table } from './markdown.mjs';

export const file = 'docs/reference/configuration.md';

export function toPage(load) {
  const { settingNames, describeSetting } = load('config.js');
  const { TENANT_SETTINGS } = load('core/tenants/tenant-settings.js');
  const { RECORD_OPENS } = load('core/authorization/referenced.js');
  const { NOTHING_OPENED, openedTypesExpected, RECORD_OPENS_MEANING } = load(
    'core/authorization/opened-types.js',
  );
  const { LIMIT_SETTINGS } = load('core/limits/tenant-limits.js');

  const settings = settingNames().map((name) => {
    const { help, default: defaultText, expects, secret } = describeSetting(name);
    const value = expects === 'text' ? '' : ` Takes ${expects}.`;
    const hidden = secret ? ' Never shown.' : '';
    const shown = defaultText.includes(' ') ? defaultText : code(defaultText);
    return [`\`${name}\``, cell(shown), cell(`${help}.${value}${hidden}`)];
  });
  const ofTenants = [
    ...Object.values(TENANT_SETTINGS).map(({ values, ...setting }) => ({
      ...setting,
      allowed: values.map(code).join(', '),
    })),
    ...LIMIT_SETTINGS.map(({ expects, ...setting }) => ({
      ...setting,
      allowed: cell(expects),
      by: 'operator',
    })),
    {
      name: RECORD_OPENS,
      allowed: cell(openedTypesExpected()),
      meaning: RECORD_OPENS_MEANING,
      standard: code(NOTHING_OPENED),
    },
  ].map(
    ({
      name,
      allowed,
      defaultFrom,
      meaning,
      standard = code(defaultFrom),
      by = 'operator, administrator',
    }) => [code(name), allowed, standard, by, `${cell(meaning)}.`],
  );

  return `# Configuration

*For operators. Generated from src/config/table.ts by \`npm run build:docs\`; change it there.*

Settings are environment variables. A file \`.env\` in the working directory is read too; the environment takes
precedence. An unset or empty variable has its default. A malformed or contradictory value stops the start, with one line
per fault. A variable that is probably a misspelled setting is a warning. \`andiron config\` shows the values in force and where each comes
from; \`andiron config --json\` shows them for programs.

${table(['variable', 'default', 'meaning'], settings)}

## Settings of a tenant

Generated from src/core/tenants/tenant-settings.ts. A tenant can override these settings of the server, which the third column
names, and has some of its own, whose default stands there. The operator can change them all, and [an administrator of the
tenant](../run/own-administration.md) those where the fourth column says so.

${table(['setting', 'values', 'default', 'changed by', 'meaning'], ofTenants)}

| | command | HTTP ([who may use it](../run/tenants.md)) |
|---|---|---|
| set | \`andiron tenant set acme validation=structure search-unknown=lenient\` | \`PATCH /w/system/api/v1/tenants/acme\` with \`{"settings":{"validation":"structure"}}\` |
| reset | \`andiron tenant set acme validation=\` | the same with \`null\` |
| show | \`andiron tenant show acme\` | \`GET /w/system/api/v1/tenants/acme\`; \`own\` lists the settings that the tenant overrides |

A change applies in every server process within 2 s, at once if Redis is reachable.
`;
}
