/** All texts of the console, in one catalogue: each file has those of one part. */
import { administration } from './administration';
import { answer } from './answer';
import { common } from './common';
import { editing } from './editing';
import { failures } from './failures';
import { form } from './form';
import { history } from './history';
import { record } from './record';
import { resources } from './resources';
import { server } from './server';
import { rest } from './rest';
import { start } from './start';
import { summary } from './summary';
import { terminology } from './terminology';

export const texts = {
  answer,
  administration,
  common,
  editing,
  history,
  failures,
  form,
  resources,
  server,
  rest,
  start,
  record,
  summary,
  terminology,
};
