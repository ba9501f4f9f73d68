import type { Row } from './row';
import type { SETTINGS } from './table';

export type SettingName = keyof typeof SETTINGS;

type ValueOf<Setting> = Setting extends Row<infer Value> ? Value : never;

/** Every setting under the name of its variable. */
export type Settings = { readonly [Name in SettingName]: ValueOf<(typeof SETTINGS)[Name]> };
