import { closestName } from '../../../packages/fhir-values/closest-name';
import type { SettingChanges, TenantSetting } from '../api/tenant';
import {
  NOTHING_OPENED,
  openedTypesExpected,
  parseOpenedTypes,
  readOpenedTypes,
  RECORD_OPENS_MEANING,
} from '../authorization/opened-types';
import { RECORD_OPENS } from '../authorization/referenced';
import type { TenantSettings } from '../context';
import { fhirError } from '../errors';
import { findZone } from '../fhir/time-zone';
import { findLimitSetting, LIMIT_SETTINGS, nameLimits, toTenantLimits } from '../limits/tenant-limits';

interface TenantSettingKind<Value extends string> {
  /** The name in commands and in the database. */
  readonly name: string;
  readonly values: readonly Value[];
  /** The setting of the server that is its default. */
  readonly defaultFrom: string;
  readonly meaning: string;
}

/** The enumerated settings of a tenant. docs/reference/configuration.md is generated from them. */
export const TENANT_SETTINGS: {
  readonly [Member in Exclude<keyof TenantSettings, 'limits' | 'openedTypes'>]: TenantSettingKind<
    TenantSettings[Member]
  >;
} = {
  validation: {
    name: 'validation',
    values: ['full', 'lenient', 'structure'],
    defaultFrom: 'VALIDATION',
    meaning:
      'How a resource, and the input of an operation, is validated: full (structure, bindings, invariants, narrative, profiles), lenient (the same, but invariants, profiles and rules of the text only warn) or structure',
  },
  searchUnknown: {
    name: 'search-unknown',
    values: ['strict', 'lenient'],
    defaultFrom: 'SEARCH_UNKNOWN',
    meaning: 'Unknown search parameters are refused (strict) or ignored (lenient)',
  },
  referentialIntegrity: {
    name: 'referential-integrity',
    values: ['off', 'on-write', 'on-write-and-delete'],
    defaultFrom: 'REFERENTIAL_INTEGRITY',
    meaning:
      'Check that the target of a reference exists: never (off), when the resource is written (on-write), or always (on-write-and-delete: a resource that is referred to cannot be deleted)',
  },
  conditionalDelete: {
    name: 'conditional-delete',
    values: ['single', 'multiple'],
    defaultFrom: 'CONDITIONAL_DELETE',
    meaning:
      'Conditional delete with several matches: refused (single), or of all matches, up to 1,000 (multiple)',
  },
  secondFactor: {
    name: 'second-factor',
    values: ['optional', 'required'],
    defaultFrom: 'SECOND_FACTOR',
    meaning:
      'People may set up a second factor (optional), or must, at their next sign-in at the latest (required)',
  },
};

/** The only setting that cannot change after a tenant's creation, because index rows and searches depend on it. */
export const TIME_ZONE = 'time-zone';
export const DEFAULT_TIME_ZONE = 'UTC';
const TIME_ZONE_EXPECTED = 'a name such as Europe/Copenhagen, or +hh:mm';

/** The tenant's own settings, by name. */
export type StoredSettings = Readonly<Record<string, string>>;

/** The effective settings. Settings unknown to this release are ignored: another release has set them. */
export function toTenantSettings(stored: StoredSettings, defaults: TenantSettings): TenantSettings {
  const { validation, searchUnknown, referentialIntegrity, conditionalDelete, secondFactor } =
    TENANT_SETTINGS;
  return {
    validation: valueOf(stored, validation) ?? defaults.validation,
    searchUnknown: valueOf(stored, searchUnknown) ?? defaults.searchUnknown,
    referentialIntegrity: valueOf(stored, referentialIntegrity) ?? defaults.referentialIntegrity,
    conditionalDelete: valueOf(stored, conditionalDelete) ?? defaults.conditionalDelete,
    secondFactor: valueOf(stored, secondFactor) ?? defaults.secondFactor,
    openedTypes: readOpenedTypes(stored[RECORD_OPENS] ?? NOTHING_OPENED),
    limits: toTenantLimits(stored, defaults.limits),
  };
}

function valueOf<Value extends string>(
  stored: StoredSettings,
  { name, values }: TenantSettingKind<Value>,
): Value | undefined {
  return values.find((value) => value === stored[name]);
}

/** The effective settings by name, as operators see them. */
export function nameSettings(settings: TenantSettings): StoredSettings {
  const { validation, searchUnknown, referentialIntegrity, conditionalDelete, secondFactor } =
    TENANT_SETTINGS;
  return {
    [validation.name]: settings.validation,
    [searchUnknown.name]: settings.searchUnknown,
    [referentialIntegrity.name]: settings.referentialIntegrity,
    [conditionalDelete.name]: settings.conditionalDelete,
    [secondFactor.name]: settings.secondFactor,
    [RECORD_OPENS]: settings.openedTypes.length === 0 ? NOTHING_OPENED : settings.openedTypes.join(','),
    ...nameLimits(settings.limits),
  };
}

/** All settings of a tenant with their defaults. */
export function describeSettings(defaults: TenantSettings): readonly TenantSetting[] {
  const named = nameSettings(defaults);
  const kinds: readonly TenantSettingKind<string>[] = Object.values(TENANT_SETTINGS);
  return [
    ...kinds.map(({ name, values, defaultFrom, meaning }) => ({
      ...{ name, values, defaultFrom, meaning },
      isOfOperator: false,
    })),
    ...LIMIT_SETTINGS.map(({ name, expects, defaultFrom, meaning }) => ({
      ...{ name, expects, defaultFrom, meaning },
      isOfOperator: true,
    })),
  ]
    .map((setting): TenantSetting => ({ ...setting, default: named[setting.name] ?? '', isFixed: false }))
    .concat({
      name: RECORD_OPENS,
      expects: openedTypesExpected(),
      default: NOTHING_OPENED,
      meaning: RECORD_OPENS_MEANING,
      isFixed: false,
      isOfOperator: false,
    })
    .concat({
      name: TIME_ZONE,
      expects: TIME_ZONE_EXPECTED,
      default: DEFAULT_TIME_ZONE,
      meaning: 'Zone of dates without one, in stored resources and in searches',
      isFixed: true,
      isOfOperator: true,
    });
}

/** As `requireSettings`, for a new tenant: it may have a time zone, as an IANA name or an offset. */
export function requireFirstSettings({ [TIME_ZONE]: timeZone, ...others }: StoredSettings): void {
  requireSettings(others);
  if (timeZone === undefined || findZone(timeZone) !== undefined) return;
  const reason = `'${timeZone.slice(0, 40)}' is not a time zone: it is ${TIME_ZONE_EXPECTED}`;
  throw fhirError('invalidValue', { reason });
}

/** Throws `invalidValue` for a setting that does not exist or a value that it does not allow. */
export function requireSettings(changes: SettingChanges): void {
  const kinds: readonly TenantSettingKind<string>[] = Object.values(TENANT_SETTINGS);
  for (const [name, value] of Object.entries(changes)) {
    if (name === TIME_ZONE)
      throw fhirError('invalidValue', {
        reason: `The setting '${TIME_ZONE}' is fixed when a tenant is made`,
      });
    if (name === RECORD_OPENS) {
      if (value === null || parseOpenedTypes(value) !== undefined) continue;
      throw fhirError('invalidValue', {
        reason: `The value of the setting '${name}' must be ${openedTypesExpected()}`,
      });
    }
    const limit = findLimitSetting(name);
    if (limit !== undefined) {
      if (value === null || limit.accepts(value)) continue;
      throw fhirError('invalidValue', {
        reason: `The value of the setting '${name}' must be ${limit.expects}`,
      });
    }
    const kind = kinds.find((candidate) => candidate.name === name);
    if (kind === undefined) {
      const names = [...kinds, { name: RECORD_OPENS }, ...LIMIT_SETTINGS].map(({ name }) => name);
      const meant = closestName(name, names);
      const hint = meant === undefined ? '' : `did you mean ${meant}? There are `;
      throw fhirError('invalidValue', {
        reason: `'${name.slice(0, 40)}' is not a setting of a tenant: ${hint}${names.join(', ')}`,
      });
    }
    if (value !== null && !kind.values.includes(value))
      throw fhirError('invalidValue', {
        reason: `The value of the setting '${name}' must be ${kind.values.join(' or ')}`,
      });
  }
}

/** Throws `forbidden` for a setting that limits the tenant, which its own administrators do not change. */
export function requireOwnSettings(changes: SettingChanges): void {
  const limits = Object.keys(changes).filter((name) => findLimitSetting(name) !== undefined);
  if (limits.length === 0) return;
  throw fhirError('forbidden', {
    reason: `Only the operator of the server changes the limits of a tenant: ${limits.join(', ')}`,
  });
}
