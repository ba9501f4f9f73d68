import type { JsonObject } from '../../fhir/json';
import type { RowCollector, RowSettings } from './collector';

/** Adds the rows of a resource; returns true when the resource has a value for the parameter. */
export type Rule = (resource: JsonObject, settings: RowSettings, rows: RowCollector) => boolean;
