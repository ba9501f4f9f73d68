/** The program's version and the date of its lists, the same in every process, so that metadata has one ETag. */
export const VERSION = '0.1.0';
export const VERSION_DATE = '2026-11-21';
