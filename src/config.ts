/** The settings of a process, read from its environment by the table of config/table.ts. */
import { findCertificateFault } from './config/certificates';
import { findExposure, startWarnings } from './config/exposure';
import { Malformed } from './config/kinds';
import { findMisspelled } from './config/misspelled';
import { openFilesWarning } from './config/open-files';
import { findRedisFaults } from './config/redis-faults';
import type { Row } from './config/row';
import { sourceOf } from './config/setting-sources';
import type { Settings } from './config/settings';
import { RENAMED_SETTINGS, SETTINGS } from './config/table';

/** Faults of the configuration, one line each. */
export class ConfigurationError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.name = 'ConfigurationError';
    this.faults = faults;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

type Group = Readonly<Record<string, Row<unknown>>>;
const GROUPS = Object.entries<Group>(SETTINGS);
/** The rows with their places in the settings, by their variables. */
const ROWS = new Map(
  GROUPS.flatMap(([group, rows]) =>
    Object.entries(rows).map(([name, row]) => [row.variable, { group, name, row }] as const),
  ),
);

function findRow(variable: string): {
  readonly group: string;
  readonly name: string;
  readonly row: Row<unknown>;
} {
  const found = ROWS.get(variable);
  if (found === undefined) throw new Error(`${variable} is not a setting`);
  return found;
}

function readGroup(
  rows: Group,
  environment: Environment,
  faults: string[],
): Readonly<Record<string, unknown>> {
  const values = Object.entries(rows).map(
    ([name, row]) => [name, readSetting(row, environment, faults)] as const,
  );
  return Object.fromEntries(values);
}

function readSetting<Value>(setting: Row<Value>, environment: Environment, faults: string[]): Value {
  const { variable } = setting;
  const written = environment[variable];
  // Blanks at the ends are removed, except in secrets, where they may be meant.
  const trimmed = setting.secret === true ? written : written?.trim();
  if (trimmed === undefined) return setting.default;
  if (trimmed === '' && setting.emptyCounts !== true) return setting.default;
  try {
    return setting.kind.parse(trimmed === '' ? 'off' : trimmed);
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    const shown = setting.secret === true ? '' : `; it is '${trimmed}'`;
    faults.push(`${variable} ${error.message}${shown}`);
    return setting.default;
  }
}

/** A setting that is set by its old name would silently have its default. */
function findOldNames(environment: Environment): string[] {
  return Object.entries(RENAMED_SETTINGS).flatMap(([old, name]) =>
    isSet(environment[old]) ? [`${old} is now ${name}; rename it`] : [],
  );
}

function findContradictions(settings: Settings): string[] {
  const faults: string[] = [];
  const { database, redis, core, graphql, limits, connection, mail, content } = settings;
  for (const [authority, file, encrypted, isEncrypted] of [
    ['FHIR_DATABASE_CA_FILE', database.caFile, 'FHIR_DATABASE_SSL', database.ssl],
    ['REDIS_CA_FILE', redis.caFile, 'REDIS_TLS', redis.tls],
  ] as const) {
    if (file === undefined) continue;
    if (!isEncrypted) faults.push(`${authority} is set, but ${encrypted} is false`);
    const fault = findCertificateFault(file);
    if (fault !== undefined) faults.push(`${authority} ${fault}; it is '${file}'`);
  }
  faults.push(...findRedisFaults(redis));
  if ((mail.url === undefined) !== (mail.from === undefined)) {
    faults.push('SMTP_URL and SMTP_FROM must both be set, or neither');
  }
  const ofBucket = [content.endpoint, content.bucket, content.keyId, content.secret];
  const isBucketWhole = ofBucket.every((value) => value !== undefined);
  if (!isBucketWhole && ofBucket.some((value) => value !== undefined)) {
    faults.push(
      'CONTENT_BUCKET_ENDPOINT, CONTENT_BUCKET, CONTENT_BUCKET_KEY_ID and CONTENT_BUCKET_SECRET must all be set, or none',
    );
  }
  for (const [name, store] of [
    ['CONTENT_STORE', content.store],
    ['EXPORT_STORE', content.exports],
  ] as const) {
    if (store === 'folder' && content.folder === undefined) {
      faults.push(`${name} is folder, but CONTENT_FOLDER is not set`);
    }
    if (store === 'bucket' && !isBucketWhole) {
      faults.push(`${name} is bucket, but CONTENT_BUCKET_ENDPOINT and the others of the bucket are not set`);
    }
  }
  if (core.secretKeys.some((key) => key.length < 32)) {
    faults.push(
      'SECRET_KEYS must be a comma-separated list of keys of at least 32 characters; one is shorter',
    );
  }
  if (graphql.trustedOnly && graphql.trusted === undefined) {
    faults.push('GRAPHQL_TRUSTED_ONLY is on, but GRAPHQL_TRUSTED_DOCUMENTS is not set');
  }
  if (limits.maxBundleBytes < limits.maxBodyBytes) {
    faults.push('MAX_BUNDLE_BYTES must be at least MAX_BODY_BYTES, because a Bundle contains resources');
  }
  if (connection.headerBytes <= connection.urlBytes) {
    faults.push(
      'MAX_HEADER_BYTES must be larger than MAX_URL_BYTES, because the headers include the address',
    );
  }
  if (connection.arrivalTimeoutMs < connection.headersTimeoutMs) {
    faults.push('ARRIVAL_TIMEOUT_MS must be at least HEADERS_TIMEOUT_MS, because the headers arrive first');
  }
  if (limits.subscriptionEventsMs <= limits.subscriptionRetryMs) {
    faults.push(
      'SUBSCRIPTION_EVENTS_MS must be larger than SUBSCRIPTION_RETRY_MS, because events are kept until their last attempt',
    );
  }
  return faults;
}

/**
 * The settings from the environment; unset and empty variables have their defaults.
 * @throws ConfigurationError with all malformed and contradictory values, and all old names, at once
 */
export function loadSettings(environment: Environment): Settings {
  const faults: string[] = [];
  const values: object = Object.fromEntries(
    GROUPS.map(([group, rows]) => [group, readGroup(rows, environment, faults)]),
  );
  // Each value comes from the parser of its row, whose type Settings has.
  const read = values as Settings;
  const isExposed = findExposure(read) !== undefined;
  const mode = isExposed && !isSet(environment['AUTH_MODE']) ? 'enforced' : read.core.authMode;
  const isRecorded = (isExposed || mode === 'enforced') && !isSet(environment['AUDIT']);
  const isWarmed = environment['NODE_ENV'] === 'production' && !isSet(environment['WARM_UP']);
  const settings: Settings = {
    ...read,
    core: { ...read.core, authMode: mode },
    audit: { ...read.audit, records: isRecorded ? 'on' : read.audit.records },
    start: { ...read.start, warmsUp: isWarmed || read.start.warmsUp },
  };
  faults.push(...findOldNames(environment), ...findContradictions(settings));
  // A misspelled name may be the cause of a fault.
  if (faults.length > 0) throw new ConfigurationError([...faults, ...misspelledSettings(environment)]);
  return Object.freeze(settings);
}

/** The variables that are probably misspelled settings, one line each, for a warning. */
export function misspelledSettings(environment: Environment): readonly string[] {
  return findMisspelled(environment, settingNames());
}

export function isSet(written: string | undefined): boolean {
  return written !== undefined && written.trim() !== '';
}

/**
 * The warnings of every start: on access, on defaults that depend on other settings, and on a low limit of open
 * files. `limits`: the text of /proc/self/limits, if the system has it.
 */
export function describeStart(
  settings: Settings,
  environment: Environment,
  limits?: string,
): readonly string[] {
  const warning = openFilesWarning(settings, limits);
  return [
    ...startWarnings(settings, (name) => isSet(environment[name])),
    ...(warning === undefined ? [] : [warning]),
  ];
}

/** The names of the environment variables. */
export function settingNames(): readonly string[] {
  return [...ROWS.keys()];
}

export interface SettingDescription {
  readonly name: string;
  readonly help: string;
  readonly expects: string;
  readonly default: string;
  readonly secret: boolean;
}

/** The description of a setting for the documentation. */
export function describeSetting(name: string): SettingDescription {
  const { row: setting } = findRow(name);
  const secret = setting.secret === true;
  const defaultText = setting.defaultText ?? setting.kind.print(setting.default);
  return { name, help: setting.help, expects: setting.kind.expects, default: defaultText, secret };
}

/** The value of a setting as written in the environment; a secret that is set is `********`. */
export function printSetting(settings: Settings, name: string): string {
  const { group, name: member, row: setting } = findRow(name);
  const values: Readonly<Record<string, Readonly<Record<string, unknown>>>> = settings;
  const written = setting.kind.print(values[group]?.[member]);
  return setting.secret === true && written !== '' ? '********' : written;
}

export interface SettingInForce {
  readonly name: string;
  /** As in the environment; a secret that is set is `********`. */
  readonly value: string;
  /** `default`, `the environment`, `.env`, `the quick start` */
  readonly source: string;
  readonly default: string;
  readonly meaning: string;
}

/** All settings of a process with their values, and where each comes from. */
export function settingsInForce(settings: Settings, environment: Environment): readonly SettingInForce[] {
  return settingNames().map((name) => {
    const { help: meaning, default: defaultText } = describeSetting(name);
    const source = isSet(environment[name]) ? sourceOf(name) : 'default';
    return { name, value: printSetting(settings, name), source, default: defaultText, meaning };
  });
}
