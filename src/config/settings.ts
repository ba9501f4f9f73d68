import type { Row } from './row';
import type { SETTINGS } from './table';

type ValueOf<Setting> = Setting extends Row<infer Value> ? Value : never;
type ValuesOf<Group> = { readonly [Name in keyof Group]: ValueOf<Group[Name]> };

/** Every setting by its group and name. */
export type Settings = { readonly [Group in keyof typeof SETTINGS]: ValuesOf<(typeof SETTINGS)[Group]> };
