/**
 * The version of the program and the date of its definitions, the same in every process, so that metadata has one
 * ETag.
 */
export const VERSION = '0.1.0';
export const VERSION_DATE = '2026-11-21';
