/** All texts of the console, in one catalogue: each file has those of one part. */
import { common } from './common';
import { failures } from './failures';
import { start } from './start';

export const texts = { common, failures, start };
